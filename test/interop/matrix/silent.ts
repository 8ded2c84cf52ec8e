/** A host with nothing configured, that lets one resource through. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { McpRuntime } from "../../../src/services/call/McpRuntime.ts"
import { call, callOf, textOf } from "./cell.ts"
import type { Expectations } from "./expectation.ts"

export const SILENT: Expectations = {
  "what it asks of a host that offers nothing is refused: an answer, no silence": ({ peer }) =>
    Effect.gen(function* () {
      for (const asking of [peer.sampling.tool, peer.elicitation?.tool, peer.urlElicitation, peer.roots]) {
        if (asking === undefined) continue
        const result = yield* call(asking, { ...peer.sampling.args, url: "https://a.example/" })
        assert.isTrue(result.isError, `${asking}: ${textOf(result.content)}`)
      }
      assert.isFalse((yield* call("echo", { message: "x" })).isError)
    }),

  "what the filter lets through is all there is": ({ peer }) =>
    Effect.gen(function* () {
      const runtime = yield* McpRuntime
      assert.deepStrictEqual(
        (yield* runtime.resources).map(({ uri }) => uri),
        [peer.text.uri]
      )
      const error = yield* Effect.flip(runtime.readResource(peer.binary.uri, "peer"))
      assert.strictEqual(error._tag, "ResourceNotFound")
    }),

  "its resource is in the agent's context, wrapped": ({ peer }) =>
    Effect.gen(function* () {
      const context = yield* (yield* McpRuntime).resourceContext
      assert.include(context, peer.text.says)
      assert.match(context, /<<<EXTERNAL_UNTRUSTED_CONTENT id="[0-9a-f]{16}">>>/)
    }),

  "a change of a resource is told": ({ peer }) =>
    Effect.gen(function* () {
      const runtime = yield* McpRuntime
      const told = yield* runtime.resourceUpdates.pipe(
        Stream.take(1),
        Stream.runCollect,
        Effect.forkChild({ startImmediately: true })
      )
      // Until it is subscribed to, a change is nobody's.
      const { touch } = peer
      if (touch !== undefined) yield* Effect.forkChild(Effect.forever(callOf(touch)))
      const [update] = yield* Fiber.join(told)
      assert.deepStrictEqual(update, { server: "peer", uri: peer.text.uri })
    })
}
