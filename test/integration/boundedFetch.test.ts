import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { makeEventLoop } from "../../src/system/EventLoop.ts"
import { makeBoundedFetch } from "../../src/layers/connection/ServerConnector/http/boundedFetch.ts"
import { httpServer } from "../fixtures/httpServer.ts"
import { doorTo } from "../support/network.ts"

const bounded = (takenMs: number, url: string) =>
  Effect.map(doorTo(url), (door) =>
    makeBoundedFetch({
      door,
      answersInResponse: true,
      takenMs,
      onListenEnd: () => {},
      allowance: makeEventLoop().allowance()
    })
  )

const post = (fetch: typeof globalThis.fetch, url: string, message: object) =>
  Effect.tryPromise(() => fetch(url, { method: "POST", body: JSON.stringify({ jsonrpc: "2.0", ...message }) }))

describe("messages to an HTTP server that does not take them", () => {
  it.live("an answer, and a notification, has a time of its own to be taken", () =>
    Effect.gen(function* () {
      const { connections, url } = yield* httpServer("hang:*")
      const { fetch } = yield* bounded(20, url)
      for (const message of [
        { id: 1, result: {} },
        { id: "a", error: { code: -1, message: "no" } },
        { method: "notifications/cancelled", params: { requestId: 1 } }
      ]) {
        const { cause } = yield* Effect.flip(post(fetch as typeof globalThis.fetch, url, message))
        assert.strictEqual((cause as Error).name, "TimeoutError")
      }
      yield* connections.pipe(Effect.repeat({ until: (count) => count === 0 }), Effect.timeout("30 seconds"))
    }).pipe(Effect.scoped)
  )

  it.live("a request has none: its deadlines are those of whoever asked", () =>
    Effect.gen(function* () {
      const { url } = yield* httpServer("hang:*")
      const { fetch } = yield* bounded(20, url)
      const asked = post(fetch as typeof globalThis.fetch, url, { id: 1, method: "tools/call", params: {} })
      const said = post(fetch as typeof globalThis.fetch, url, { id: 1, result: {} })
      const first = yield* Effect.raceFirst(
        Effect.as(Effect.exit(asked), "asked"),
        Effect.as(Effect.exit(Effect.andThen(Effect.exit(said), said)), "said twice")
      )
      assert.strictEqual(first, "said twice")
    }).pipe(Effect.scoped)
  )
})
