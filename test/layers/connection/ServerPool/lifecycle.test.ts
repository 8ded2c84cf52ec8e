import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import {
  beginningOf,
  hasArrived,
  isSettled,
  isStartable,
  liveOf,
  step,
  type Event,
  type Supervision
} from "../../../../src/layers/connection/ServerPool/lifecycle.ts"
import type { Catalogue } from "../../../../src/schemas/connection/Catalogue.ts"
import { ConnectionLost } from "../../../../src/schemas/connection/RequestError.ts"
import type { ServerConnection } from "../../../../src/services/connection/ServerConnector.ts"
import { serverConfig } from "../../../support/serverConfig.ts"

const cause = new ConnectionLost({ server: "fs", detail: "gone", maybeExecuted: false })
const catalogue = { tools: [] } as unknown as Catalogue
const INFO = { transport: "stdio", protocolVersion: "2025-11-25", era: "legacy", pid: undefined, connectMs: 0 } as const
const connection = { info: INFO } as unknown as ServerConnection
const live = { connection, refresh: Effect.succeed(true) }
const OPENED: Event = { _tag: "Opened", live, catalogue, since: 5 }

const after = (...events: ReadonlyArray<Event>): Supervision => events.reduce(step, beginningOf(serverConfig("fs")))
const stateAfter = (...events: ReadonlyArray<Event>) => after(...events).state._tag

describe("the lifecycle of a supervised server", () => {
  it("begins in the state that the configuration implies", () => {
    const fault = { file: "a.json", line: 1, path: "x", message: "no" }
    const beginnings = [{}, { lazy: true }, { enabled: false }, { fault }].map((fields) =>
      beginningOf(serverConfig("fs", fields))
    )
    assert.deepStrictEqual(
      beginnings.map(({ state }) => state._tag),
      ["Connecting", "Idle", "Disabled", "Failed"]
    )
    assert.deepStrictEqual(beginnings.map(isStartable), [true, true, false, false])
    assert.deepStrictEqual(beginnings.map(isSettled), [false, true, true, true])
    assert.include(beginnings[3]!.lastError, "a.json:1")
  })

  it("has a connection in the state Ready only", () => {
    assert.strictEqual(liveOf(after(OPENED))?.connection, connection)
    for (const event of [
      { _tag: "Slept" },
      { _tag: "Stopped" },
      { _tag: "Ended", attempt: 1, at: 0, cause },
      { _tag: "Closed" }
    ] as const) {
      assert.isUndefined(liveOf(after(OPENED, event)), event._tag)
    }
  })

  it("counts restarts that led to a connection, and resets the count on Reset", () => {
    const planned: Event = { _tag: "Planned", attempt: 1, until: 9, cause }
    assert.strictEqual(after(OPENED, planned).restarts, 0)
    assert.strictEqual(after(OPENED, planned, planned, OPENED).restarts, 2)
    assert.deepInclude(after(OPENED, planned, OPENED, { _tag: "Reset" }, OPENED), {
      restarts: 0,
      lastError: undefined
    })
  })

  it("is not settled between the end of a connection and the next state", () => {
    const ended = after(OPENED, { _tag: "Ended", attempt: 1, at: 0, cause })
    assert.deepStrictEqual([hasArrived(ended), isSettled(ended), ended.lastError], [true, false, cause.message])
    assert.isTrue(isSettled(step(ended, { _tag: "GivenUp", cause })))
  })

  it("is started by Woken only from Idle", () => {
    assert.strictEqual(stateAfter(OPENED, { _tag: "Slept" }, { _tag: "Woken" }), "Connecting")
    assert.strictEqual(stateAfter({ _tag: "GivenUp", cause }, { _tag: "Woken" }), "Failed")
  })

  it("keeps the same object for events that change nothing", () => {
    const ready = after(OPENED)
    for (const event of [
      { _tag: "Woken" },
      { _tag: "Paced", relistMs: undefined },
      { _tag: "Listed", connection, catalogue },
      { _tag: "Listed", connection: { ...connection }, catalogue: { ...catalogue } }
    ] as const) {
      assert.strictEqual(step(ready, event), ready, event._tag)
    }
    const next = { ...catalogue }
    assert.strictEqual(step(ready, { _tag: "Listed", connection, catalogue: next }).catalogue, next)
  })

  it("ends with Closed", () => {
    for (const event of [OPENED, { _tag: "Slept" }, { _tag: "Ended", attempt: 1, at: 0, cause }] as const) {
      assert.strictEqual(stateAfter({ _tag: "Closed" }, event), "Closed")
    }
  })
})
