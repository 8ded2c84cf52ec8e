/** The resources of a runtime over fake servers, with the real bridges, and short ways to speak of what they give. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import type { Report } from "../../../../src/layers/call/McpRuntime/definitions.ts"
import { makeResources } from "../../../../src/layers/call/McpRuntime/resources.ts"
import * as ResourceBridgeLayer from "../../../../src/layers/content/ResourceBridge.ts"
import * as ToolBridgeLayer from "../../../../src/layers/call/ToolBridge.ts"
import { ProtocolError, type RequestError } from "../../../../src/schemas/connection/RequestError.ts"
import type { NamingStyle } from "../../../../src/schemas/call/Names.ts"
import type { ToolResult } from "../../../../src/schemas/call/Tool.ts"
import { ContentSanitizer } from "../../../../src/services/content/ContentSanitizer.ts"
import { ResourceBridge } from "../../../../src/services/content/ResourceBridge.ts"
import { ResultStore } from "../../../../src/services/call/ResultStore.ts"
import { ToolBridge } from "../../../../src/services/call/ToolBridge.ts"
import { bodyOf } from "../../../support/boundaries.ts"
import { sanitizer } from "../../../support/sanitizer.ts"
import type { FakeServer } from "./fakeServer.ts"

export const bridges = Layer.mergeAll(ResourceBridgeLayer.layer, ToolBridgeLayer.layer).pipe(
  Layer.provide(
    Layer.succeed(ResultStore, {
      keep: () => undefined,
      open: () => Effect.die("nothing is kept"),
      part: Effect.die("nothing is kept"),
      readAny: () => Effect.die("nothing is kept"),
      settled: Effect.void,
      read: () => Effect.die("nothing is kept")
    })
  ),
  Layer.provideMerge(sanitizer),
  Layer.provideMerge(Logger.layer([]))
)

export const resourcesOf = (
  fakes: ReadonlyArray<FakeServer>,
  naming: NamingStyle = "gateway",
  report: Report = () => {}
) =>
  Effect.gen(function* () {
    const servers = fakes.map(({ server }) => server)
    return yield* makeResources({
      guard: () => Effect.void,
      standings: { refusedAt: () => undefined },
      admit: (_, __, request) => request(),
      naming,
      servers: () => servers,
      serverChanges: Stream.make(servers),
      bridge: yield* ResourceBridge,
      toolBridge: yield* ToolBridge,
      sanitizer: yield* ContentSanitizer,
      report,
      secrets: () => 0
    })
  })

export const resource = (uri: string, more: object = {}) => ({ uri, name: uri, ...more })
export const numbered = (count: number) => Array.from({ length: count }, (_, i) => resource(`x://${i}`))
export const refused = (code: number): Effect.Effect<never, RequestError> =>
  Effect.fail(new ProtocolError({ server: "a", code, detail: "words of the server" }))

export const textOf = ({ content: [block] }: Pick<ToolResult, "content">) =>
  block?.type === "text" ? bodyOf(block.text) : ""
export const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => error._tag)
export const messageOf = <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => error.message)
