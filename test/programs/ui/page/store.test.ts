/** What the page knows of its gateway. */
import { assert, describe, it } from "@effect/vitest"
import type { Hello } from "../../../../src/schemas/control/Control.ts"
import type { GatewayEvent } from "../../../../src/schemas/control/Events.ts"
import { makeStore } from "../../../../src/programs/ui/page/store/Store.ts"
import { fakeGateway, type FakeGateway } from "./fakeGateway.ts"

/** A clock that a test turns. */
const handTimers = () => {
  let waiting: Array<() => void> = []
  return {
    later: (run: () => void) => void waiting.push(run),
    turn: () => {
      const now = waiting
      waiting = []
      for (const run of now) run()
    }
  }
}

const setUp = () => {
  const gateway = fakeGateway()
  const timers = handTimers()
  const store = makeStore(gateway, timers)
  return { gateway, store, timers }
}

const event = (seq: number, event: GatewayEvent, epoch = "first") => ({ epoch, seq, at: 0, event })
const afterOf = (gateway: FakeGateway) => gateway.followed.map(({ payload }) => payload)

const HELLO = {
  contract: 1,
  version: "",
  kind: "serve",
  pid: 0,
  startedAt: 0,
  configuration: null,
  agents: [],
  agent: "",
  powers: "all"
} as const

/** The gateway has said whose page it is. */
const greeted = async () => {
  for (let i = 0; i < 10; i++) await Promise.resolve()
}

const LOST = { state: "lost", retryAt: 0 } as const

describe("the store of the page", () => {
  it("follows one stream of events", () => {
    const { gateway, store, timers } = setUp()
    gateway.tell("Events", event(1, { _tag: "Questions", questions: [] }))
    gateway.tell("Events", event(1, { _tag: "Statuses", statuses: {} }))
    assert.isUndefined(store.statuses.value)
    timers.turn()
    assert.deepStrictEqual(store.statuses.value, {})
    assert.deepStrictEqual(afterOf(gateway), [{}])
  })

  it("takes it up where it was left when the connection is back, and keeps what it knew meanwhile", () => {
    const { gateway, store, timers } = setUp()
    gateway.tell("Events", event(7, { _tag: "Statuses", statuses: {} }))
    timers.turn()
    gateway.setLink(LOST)
    assert.deepStrictEqual(gateway.followed, [])
    assert.deepStrictEqual(store.statuses.value, {})
    gateway.setLink({ state: "open" })
    assert.deepStrictEqual(afterOf(gateway), [{ after: { epoch: "first", seq: 7 } }])
  })

  it("begins anew when somebody else is greeted than before, and shows nothing meanwhile", async () => {
    const ada = { ...HELLO, person: "ada" }
    for (const [first, then, times] of [
      [ada, { ...HELLO, person: "bob" }, 1],
      [ada, HELLO, 1],
      [HELLO, ada, 1],
      [ada, { ...ada, pid: 2 }, 0],
      [HELLO, { ...HELLO, pid: 2 }, 0]
    ] as const) {
      let said: Hello = first
      let begun = 0
      const gateway = fakeGateway({ Hello: () => said })
      const store = makeStore(gateway, handTimers(), () => void begun++)
      await greeted()
      assert.deepStrictEqual([store.hello.value, begun], [first, 0])
      gateway.setLink(LOST)
      said = then
      gateway.setLink({ state: "open" })
      await greeted()
      assert.deepStrictEqual([store.hello.value, begun], [times === 0 ? then : undefined, times])
    }
  })

  it("is out when the gateway refuses the page of a person, and not when it is away", async () => {
    const [person, operator] = [{ ...HELLO, person: "ada" }, HELLO].map((said) => {
      const gateway = fakeGateway({ Hello: () => said })
      return { gateway, store: makeStore(gateway, handTimers()) }
    })
    await greeted()
    for (const { gateway } of [person!, operator!]) gateway.setLink(LOST)
    assert.deepStrictEqual([person!.store.isOut.value, operator!.store.isOut.value], [false, false])
    for (const { gateway } of [person!, operator!]) gateway.setLink({ state: "refused" })
    assert.deepStrictEqual([person!.store.isOut.value, operator!.store.isOut.value], [true, false])
  })

  it("says that everything may be different when events were missed", () => {
    const { gateway, store, timers } = setUp()
    gateway.tell("Events", event(1, { _tag: "Missed", count: null }, "second"))
    gateway.tell("Events", event(1, { _tag: "Tools" }, "second"))
    timers.turn()
    assert.deepStrictEqual(store.revisions.value, { all: 1, pins: 1, tools: 2 })
  })

  it("passes on what was heard, many at once, until nobody listens", () => {
    const { gateway, store, timers } = setUp()
    const heard: Array<number> = []
    const end = store.hear("Pins", (events) => heard.push(events.length))
    for (let seq = 0; seq < 100; seq++) gateway.tell("Events", event(seq, { _tag: "Pins" }))
    timers.turn()
    assert.deepStrictEqual(heard, [100])
    end()
    gateway.tell("Events", event(101, { _tag: "Pins" }))
    timers.turn()
    assert.deepStrictEqual(heard, [100])
  })

  it("begins again when the stream ends though the gateway is there", () => {
    const { gateway, timers } = setUp()
    const [before] = gateway.followed as unknown as ReadonlyArray<{ by: { end: (error: Error) => void } }>
    before!.by.end(new Error("slow"))
    timers.turn()
    assert.strictEqual(gateway.followed.length, 1)
    assert.notStrictEqual(gateway.followed[0], before as never)
  })
})
