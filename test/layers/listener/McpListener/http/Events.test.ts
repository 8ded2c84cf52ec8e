import { assert, describe, it } from "@effect/vitest"
import { Events } from "../../../../../src/layers/listener/McpListener/http/Events.ts"
import { ClientQuota, makeClientQuotas } from "../../../../../src/layers/listener/McpListener/requests/ClientQuota.ts"
import { CALLS } from "../../../../../src/layers/listener/McpListener/requests/intake.ts"
import {
  LISTENER_EVENTS_EACH_MAX_CHARS,
  LISTENER_EVENTS_IN_ALL_MAX_CHARS,
  LISTENER_EVENTS_MAX,
  LISTENER_EVENTS_MAX_CHARS
} from "../../../../../src/schemas/defaults/Listener.ts"

const news = (text: string) => ({ jsonrpc: "2.0", method: "notifications/progress", params: { text } })
const answer = (id: number, text = "") => ({ jsonrpc: "2.0", id, result: { text } })

const messages = (events: Events, event: string) => events.after(event).map(([, message]) => message)

describe("what was said on the streams of a session", () => {
  it("is found from an event on, on its own stream, in its order; without what says nothing", () => {
    const events = new Events(new ClientQuota())
    const first = events.add("a", {})
    events.add("b", news("another's"))
    events.add("a", news("one"))
    const second = events.add("a", answer(1))
    assert.deepStrictEqual(messages(events, first), [news("one"), answer(1)])
    assert.deepStrictEqual(
      events.after(first).map(([name]) => name),
      [first.replace(/1$/, "3"), second]
    )
    assert.isEmpty(messages(events, second))
    assert.strictEqual(events.streamOf(second), "a")
  })

  it("is not found by the names of another session", () => {
    const [one, other] = [new Events(new ClientQuota()), new Events(new ClientQuota())]
    const event = one.add("a", {})
    other.add("a", answer(1))
    assert.isUndefined(other.streamOf(event))
    assert.isEmpty(other.after(event))
    for (const wrong of ["", "-", "--", "a-b-c", `${event}-1`.slice(1), "__proto__-1-1"]) {
      assert.isUndefined(one.streamOf(wrong))
    }
  })

  it("is bounded in number: news may be lacking, an answer may not", () => {
    const events = new Events(new ClientQuota())
    const first = events.add("a", {})
    for (let i = 0; i < LISTENER_EVENTS_MAX * 2; i++) events.add("a", news(`${i}`))
    assert.strictEqual(events.streamOf(first), "a")
    assert.lengthOf(messages(events, first), LISTENER_EVENTS_MAX)
    const told = events.add("a", answer(1))
    for (let i = 0; i < LISTENER_EVENTS_MAX; i++) events.add("b", news(`${i}`))
    assert.isUndefined(events.streamOf(first))
    assert.strictEqual(events.streamOf(told), "a")
  })

  it("is bounded in its streams: the oldest one goes, and one that is in use only if all are", () => {
    const inUse = new Set(["a", "b"])
    const events = new Events(new ClientQuota(), (id) => inUse.has(id))
    const [a, b, c] = ["a", "b", "c"].map((id) => events.add(id, {}))
    const found = () => [a, b, c].map((event) => events.streamOf(event!) !== undefined)
    for (let i = 3; i <= LISTENER_EVENTS_MAX; i++) events.add(`${i}`, {})
    assert.deepStrictEqual(found(), [true, true, false])
    inUse.delete("a")
    events.add("one more", {})
    assert.deepStrictEqual(found(), [false, true, false])
    const all = new Events(new ClientQuota(), () => true)
    const names = Array.from({ length: LISTENER_EVENTS_MAX + 1 }, (_, i) => all.add(`${i}`, {}))
    assert.strictEqual(
      names.findIndex((name) => all.streamOf(name) !== undefined),
      1
    )
  })

  it("is bounded in size, for each session and for each holder of a token; and gives its room back", () => {
    const holder = new ClientQuota()
    const most = Math.floor(LISTENER_EVENTS_MAX_CHARS / LISTENER_EVENTS_EACH_MAX_CHARS)
    const large = "x".repeat(LISTENER_EVENTS_EACH_MAX_CHARS - 1_024)
    const sessions = Array.from({ length: most + 1 }, () => new Events(holder))
    const begun = sessions.map((events) => {
      const event = events.add("a", {})
      events.add("a", answer(1, large))
      return event
    })
    const found = () => sessions.map((events, i) => events.streamOf(begun[i]!) !== undefined)
    assert.deepStrictEqual(found(), [...Array.from({ length: most }, () => true), false])
    assert.isAtMost(holder.shares.events.taken(), LISTENER_EVENTS_MAX_CHARS)
    sessions[0]!.add("a", answer(2, "x".repeat(2_048)))
    assert.isFalse(found()[0])
    for (const events of sessions) events.clear()
    assert.strictEqual(holder.shares.events.taken(), 0)
  })

  it("is bounded for all holders together, and each has its part whatever the others have", () => {
    const holders = ["a", "b", "c", "d"].map(makeClientQuotas(["a", "b", "c", "d"], CALLS).of)
    const large = "x".repeat(1024 * 1024)
    const fill = (holder: ClientQuota) => {
      const events = new Events(holder)
      for (let i = 0; i < LISTENER_EVENTS_EACH_MAX_CHARS / large.length - 1; i++) events.add("a", answer(i, large))
    }
    for (const holder of holders) for (let session = 0; session < 4; session++) fill(holder)
    const taken = holders.map(({ shares }) => shares.events.taken())
    assert.isBelow(
      taken.reduce((sum, one) => sum + one, 0),
      2 * LISTENER_EVENTS_IN_ALL_MAX_CHARS
    )
    const part = LISTENER_EVENTS_IN_ALL_MAX_CHARS / holders.length
    for (const one of taken) assert.isAbove(one, part - 2 * large.length)
  })
})
