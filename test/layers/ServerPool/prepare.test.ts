/** What agents need of a list is made before they are told of it. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import type { ToolDefinition } from "../../../src/schemas/Catalogue.ts"
import { DefinitionLedger } from "../../../src/services/DefinitionLedger.ts"
import type { SupervisedServer } from "../../../src/services/ServerPool.ts"
import { TestServers } from "../../../src/testing/TestServers.ts"
import { lease, one } from "../../support/pool.ts"

const tool = (name: string, description = "") => ({ name, description, inputSchema: { type: "object" } })

const names = (server: SupervisedServer | undefined) => server?.snapshot().catalogue?.tools.map(({ name }) => name)

describe("ServerPool: preparing", () => {
  it.effect("each definition of a list is prepared before the list is published, and not when nothing is new", () => {
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
