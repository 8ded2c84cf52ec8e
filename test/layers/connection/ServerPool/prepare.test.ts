/** What agents need of a list is made before they are told of it. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as PromptBridgeLayer from "../../../../src/layers/content/PromptBridge.ts"
import * as ResourceBridgeLayer from "../../../../src/layers/content/ResourceBridge.ts"
import { makePrepare } from "../../../../src/layers/connection/ServerPool/prepare.ts"
import { EMPTY, type ResourceDefinition, type ToolDefinition } from "../../../../src/schemas/connection/Catalogue.ts"
import { ContentSanitizer } from "../../../../src/services/content/ContentSanitizer.ts"
import { DefinitionLedger } from "../../../../src/services/call/DefinitionLedger.ts"
import { PromptBridge } from "../../../../src/services/content/PromptBridge.ts"
import { Redactor } from "../../../../src/services/content/Redactor.ts"
import { ResourceBridge } from "../../../../src/services/content/ResourceBridge.ts"
import type { SupervisedServer } from "../../../../src/services/connection/ServerPool.ts"
import { ToolBridge } from "../../../../src/services/call/ToolBridge.ts"
import { TestServers } from "../../../../src/testing/TestServers.ts"
import { tool as pinned } from "../../../support/pins.ts"
import { lease, one } from "../../../support/pool.ts"
import { sanitizer } from "../../../support/sanitizer.ts"
import { serverConfig } from "../../../support/serverConfig.ts"

const tool = (name: string, description = "") => ({ name, description, inputSchema: { type: "object" } })

const names = (server: SupervisedServer | undefined) => server?.snapshot().catalogue?.tools.map(({ name }) => name)

const resource = (name: string): ResourceDefinition => ({
  uri: `file:///${name}`,
  name,
  title: undefined,
  description: `says ${name}`,
  mimeType: undefined,
  size: undefined
})

const nobody = () => assert.fail("nobody asks")

/** How often a description was cleaned. */
const cleaned = { count: 0 }
const counting = Layer.provideMerge(
  Layer.effect(
    ContentSanitizer,
    Effect.map(ContentSanitizer, (real) => ({
      ...real,
      describe: (text: string, maxChars: number) => {
        if (maxChars < Number.POSITIVE_INFINITY) cleaned.count++
        return real.describe(text, maxChars)
      }
    }))
  ),
  sanitizer
)

describe("ServerPool: preparation of lists", () => {
  it.effect("includes resources, templates and prompts", () => {
    const prepared: Array<string> = []
    /** What is made of it is nobody's yet. */
    const note = ({ name }: { readonly name: string }): never => prepared.push(name) as never
    const bridges = Layer.mergeAll(
      Layer.succeed(ToolBridge, {
        toAgentTool: (_name, _server, definition) => note(definition),
        toResult: nobody,
        toErrorResult: nobody,
        toDefectResult: nobody,
        toProgress: nobody
      }),
      Layer.succeed(ResourceBridge, {
        toReading: nobody,
        toContext: nobody,
        toAgentResource: (_server, definition) => note(definition),
        toAgentTemplate: (_server, definition) => note(definition)
      }),
      Layer.succeed(PromptBridge, {
        toAgentPrompt: (_name, _server, definition) => note(definition),
        toResult: nobody,
        toCompletion: nobody
      })
    )
    return Effect.gen(function* () {
      const prepare = yield* makePrepare
      yield* prepare(serverConfig("fs"), {
        ...EMPTY,
        tools: [pinned("a")],
        resources: [resource("b"), resource("c")],
        resourceTemplates: [resource("d")],
        prompts: [{ name: "e", title: undefined, description: "", arguments: [] }]
      })
      assert.deepStrictEqual(prepared, ["a", "b", "c", "d", "e"])
    }).pipe(Effect.provide(bridges))
  })

  it.effect("sanitizes each definition once, and again after a new secret", () =>
    Effect.gen(function* () {
      const { toAgentResource, toAgentTemplate } = yield* ResourceBridge
      const { toAgentPrompt } = yield* PromptBridge
      const definition = { ...resource("sesame-open-42"), arguments: [] }
      const shown = () => ({
        resource: toAgentResource("fs", definition).agentResource,
        template: toAgentTemplate("fs", definition).agentTemplate,
        prompt: toAgentPrompt("p", "fs", definition).agentPrompt.description,
        counted: cleaned.count
      })
      const first = shown()
      const again = shown()
      assert.strictEqual(first.counted, 3)
      assert.deepStrictEqual(again, first)
      assert.strictEqual(again.resource, first.resource)
      ;(yield* Redactor).register("sesame-open-42")
      const masked = shown()
      assert.strictEqual(masked.counted, 6)
      for (const { description } of [masked.resource, masked.template, { description: masked.prompt }]) {
        assert.strictEqual(description, "says [REDACTED]")
      }
    }).pipe(
      Effect.provide(Layer.provideMerge(Layer.mergeAll(ResourceBridgeLayer.layer, PromptBridgeLayer.layer), counting))
    )
  )

  it.effect("runs for new definitions before the list is published", () => {
    const prepared: Array<readonly [name: string, published: ReadonlyArray<string> | undefined]> = []
    let server: SupervisedServer | undefined
    const ledger = Layer.mock(DefinitionLedger, {
      review: () => assert.fail("nobody looks"),
      version: () => 0,
      prepare:
        () =>
        ({ name }: ToolDefinition) =>
          void prepared.push([name, names(server)])
    })
    return Effect.gen(function* () {
      const { announceLists, setTools } = yield* TestServers
      server = yield* lease()
      yield* server.settled
      assert.deepStrictEqual(prepared.splice(0), [["a", undefined]])
      yield* setTools("fs", [tool("b"), tool("c")])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(prepared.splice(0), [
        ["b", ["a"]],
        ["c", ["a"]]
      ])
      assert.deepStrictEqual(names(server), ["b", "c"])
      yield* announceLists("fs")
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(prepared, [])
    }).pipe(Effect.provide(Layer.provide(one({ tools: [tool("a")] }), ledger)))
  })
})
