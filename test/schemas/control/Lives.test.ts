import { assert, describe, it } from "@effect/vitest"
import { makeLives, type Moved } from "../../../src/schemas/control/Lives.ts"
import { StoppedByOperator } from "../../../src/schemas/connection/ConnectError.ts"
import { LIFE_EVENTS_MAX, LIFE_SERVERS_MAX } from "../../../src/schemas/defaults/Control.ts"

const cause = new StoppedByOperator({ server: "fs" })
const connecting: Moved["to"] = { _tag: "Connecting", attempt: 1 }
const idle: Moved["to"] = { _tag: "Idle" }
const closed: Moved["to"] = { _tag: "Closed" }
const failed: Moved["to"] = { _tag: "Failed", cause }
const backoff: Moved["to"] = { _tag: "Backoff", attempt: 1, until: 9, cause }

const moved = (at: number, from: Moved["from"], to: Moved["to"], given: Partial<Moved> = {}): Moved => ({
  at,
  server: "fs",
  process: 1,
  from,
  to,
  ...given
})
const lived = (moves: ReadonlyArray<Moved>) => {
  const lives = makeLives()
  for (const move of moves) lives.add(move)
  return lives
}

describe("the life of a server", () => {
  it("is told moment by moment: states, restarts with their reason, and ends", () => {
    const { events } = lived([
      moved(1, undefined, connecting),
      moved(2, "Connecting", backoff),
      moved(3, "Backoff", connecting),
      moved(4, "Ready", failed),
      moved(5, "Ready", idle)
    ]).timeline("fs")
    assert.deepStrictEqual(
      events.map(({ kind, state }) => [kind, state]),
      [
        ["state", "Connecting"],
        ["restart", "Backoff"],
        ["state", "Connecting"],
        ["exit", "Failed"],
        ["state", "Idle"]
      ]
    )
    assert.deepStrictEqual(
      events.map(({ reason }) => reason === cause.message),
      [false, true, false, true, false]
    )
  })

  it("is shown as states that follow each other, from a time on", () => {
    const lives = lived([
      moved(1, undefined, connecting),
      moved(5, "Connecting", backoff),
      moved(9, "Backoff", connecting)
    ])
    assert.deepStrictEqual(lives.states("fs", undefined, 3), [
      { from: 3, to: 5, state: "Connecting" },
      { from: 5, to: 9, state: "Backoff", reason: cause.message },
      { from: 9, state: "Connecting" }
    ])
    assert.deepStrictEqual(lives.states("fs", undefined, 7)[0], {
      from: 7,
      to: 9,
      state: "Backoff",
      reason: cause.message
    })
    assert.deepStrictEqual(lives.states("git", undefined, 0), [])
  })

  it("continues in the one that takes its place, also while the older one still ends", () => {
    const lives = lived([
      moved(1, undefined, connecting),
      moved(4, undefined, idle, { process: 2 }),
      moved(5, "Connecting", closed)
    ])
    assert.deepStrictEqual(lives.states("fs", undefined, 0), [
      { from: 1, to: 4, state: "Connecting" },
      { from: 4, state: "Idle" }
    ])
  })

  it("is that of an agent or client alone where they have a process of their own", () => {
    const lives = lived([moved(1, undefined, connecting), moved(2, undefined, idle, { process: 2, holder: "agent:b" })])
    assert.deepStrictEqual(lives.states("fs", "agent:b", 0), [{ from: 2, state: "Idle" }])
    assert.deepStrictEqual(lives.states("fs", undefined, 0), [{ from: 1, state: "Connecting" }])
  })

  it("is remembered up to a number of moments and servers", () => {
    const lives = makeLives()
    for (let at = 0; at < LIFE_EVENTS_MAX + 3; at++) lives.add(moved(at, "Backoff", connecting))
    const { events, missed } = lives.timeline("fs")
    assert.deepStrictEqual([events.length, missed, events[0]!.at], [LIFE_EVENTS_MAX, 3, 3])
    for (let i = 0; i < LIFE_SERVERS_MAX; i++) lives.add(moved(i, undefined, idle, { server: `s${i}` }))
    assert.deepStrictEqual(lives.timeline("fs").events, [])
  })
})
