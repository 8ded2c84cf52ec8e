import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { setImmediate as nextTurn } from "node:timers/promises"
import { openHttp } from "../../src/layers/connection/ServerConnector/http/http.ts"
import { make as makeGuard } from "../../src/layers/connection/NetworkGuard.ts"
import { MESSAGE_TAKEN_MS } from "../../src/schemas/defaults/HostRequests.ts"
import { makeEventLoop } from "../../src/system/EventLoop.ts"
import { httpServer } from "../fixtures/httpServer.ts"
import { noDeadlines } from "../support/deadlines.ts"

const HOOKS = {
  deadlines: noDeadlines,
  loop: makeEventLoop(),
  onNotification: () => {},
  onViolation: () => {},
  tidy: (text: string) => text
}

const open = (url: string) =>
  openHttp(
    "web",
    { kind: "http", url: new URL(url), headers: {}, timeoutMs: 5_000, allowPrivate: false },
    HOOKS,
    makeGuard()
  )

/** The clock of the test stands still, so nothing here depends on time. */
const until = (holds: () => boolean) =>
  Effect.promise(async () => {
    while (!holds()) await nextTurn()
  })

describe("messages to an HTTP server that never answers", () => {
  it.effect("answers and notifications have a time limit for delivery; requests do not", () =>
    Effect.gen(function* () {
      const server = yield* httpServer("hang:*")
      const { peer } = yield* open(server.url)
      const outcomes: Array<unknown> = []
      peer.request("tools/call", {}, { idleMs: 1, totalMs: 1 }, (outcome) => outcomes.push(outcome))
      peer.notify("notifications/cancelled", { requestId: 1 })
      peer.receiveText('{"jsonrpc":"2.0","id":"a","method":"ping"}')
      yield* until(() => server.requests.length === 3)
      yield* TestClock.adjust(MESSAGE_TAKEN_MS - 1)
      assert.deepStrictEqual(
        server.requests.map(({ connected }) => connected()),
        [true, true, true]
      )
      yield* TestClock.adjust(1)
      yield* until(() => server.requests.filter(({ connected }) => connected()).length === 1)
      assert.deepStrictEqual(outcomes, [])
      assert.isTrue(server.requests.find(({ method }) => method === "tools/call")!.connected())
    }).pipe(Effect.scoped)
  )

  it.effect("a cancelled request is closed, and a value that is not JSON is reported to the caller", () =>
    Effect.gen(function* () {
      const server = yield* httpServer("hang:*")
      const { peer } = yield* open(server.url)
      const outcomes: Array<string> = []
      const ask = (params: Record<string, unknown>) =>
        peer.request("tools/call", params, { idleMs: 1, totalMs: 1 }, (outcome) =>
          outcomes.push(outcome.ok ? "answered" : outcome.error.message)
        )
      const id = ask({})
      yield* until(() => server.requests.length === 1)
      peer.cancel(id)
      yield* until(() => !server.requests[0]!.connected())
      ask({ arguments: { n: 1n } })
      assert.lengthOf(outcomes, 2)
      assert.include(outcomes[1]!, "is not JSON")
    }).pipe(Effect.scoped)
  )
})
