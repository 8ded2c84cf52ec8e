/** What a running gateway tells a page: what happens, what happened, and what each server is, over a real socket with real servers. */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { EventPosition, GatewayEvent, NumberedEvent } from "../../../src/schemas/control/Events.ts"
import { hostile } from "../../fixtures/servers.ts"
import { contract, reachable, type Contract } from "../../support/control.ts"

const one = { mcp: { servers: { fs: hostile() } } }

const call = (gateway: Contract, name: string, args: object) =>
  gateway
    .Call({ name, arguments: args as never, look: "agent", asks: false })
    .pipe(Stream.runLast, Effect.map(Option.getOrThrow))

type Of<Tag extends GatewayEvent["_tag"]> = NumberedEvent & { readonly event: Extract<GatewayEvent, { _tag: Tag }> }

/** The events until one that `isLast`, that one included. */
const until = (gateway: Contract, isLast: (one: NumberedEvent) => boolean, after?: EventPosition) =>
  gateway.Events(after === undefined ? {} : { after }).pipe(Stream.takeUntil(isLast), Stream.runCollect)

/** The events of a stream that was there before `work` began: its first event has come by then. */
const during = Effect.fnUntraced(function* <A, E>(
  gateway: Contract,
  isLast: (one: NumberedEvent) => boolean,
  work: Effect.Effect<A, E>
) {
  const isThere = yield* Deferred.make<void>()
  const first = (one: NumberedEvent) => {
    Deferred.doneUnsafe(isThere, Effect.void)
    return isLast(one)
  }
  const later = Effect.andThen(Deferred.await(isThere), work)
  const [events] = yield* Effect.all([until(gateway, first), later], { concurrency: "unbounded" })
  return events
})

const tags = (events: ReadonlyArray<NumberedEvent>) => new Set(events.map(({ event }) => event._tag))
const isCallOf =
  (tool: string) =>
  (one: NumberedEvent): one is Of<"Call"> =>
    one.event._tag === "Call" && one.event.record.kind === "call" && one.event.record.tool === tool
const PRESENT = ["Statuses", "Tools", "Figures", "Questions", "Configuration", "Pins"] as const

describe.skipIf(process.platform === "win32")("what happens in a running gateway", () => {
  it.live("begins with the present, and goes on with calls and lines", () =>
    Effect.gen(function* () {
      const { found } = yield* reachable(one)
      const gateway = yield* contract(found)
      yield* gateway.Ready({})
      const seen = new Set<string>()
      const present = yield* until(gateway, ({ event }) => seen.add(event._tag).size >= PRESENT.length)
      assert.isTrue(PRESENT.every((tag) => tags(present).has(tag)))
      const events = yield* during(gateway, isCallOf("echo"), call(gateway, "mcp_fs_echo", { text: "hello" }))
      const last = events.at(-1)!
      assert.isTrue(isCallOf("echo")(last) && last.event.id !== undefined)
    }).pipe(Effect.scoped)
  )

  it.live("misses nothing for a page that comes back with the last number it has seen", () =>
    Effect.gen(function* () {
      const { found } = yield* reachable(one)
      const gateway = yield* contract(found)
      yield* gateway.Ready({})
      const first = yield* during(gateway, isCallOf("echo"), call(gateway, "mcp_fs_echo", { text: "1" }))
      const { epoch, seq } = first.at(-1)!
      // While nobody listens.
      yield* call(gateway, "mcp_fs_add", { a: 1, b: 2 })
      yield* call(gateway, "mcp_fs_echo", { text: "2" })
      yield* call(gateway, "mcp_fs_nothing_like_it", {})
      const isLast = (one: NumberedEvent) =>
        one.event._tag === "Call" && one.event.record.kind === "call" && one.event.record.outcome === "ToolNotFound"
      const missed = yield* until(gateway, isLast, { epoch, seq })
      const passed = missed.filter(({ event }) => event._tag === "Call" || event._tag === "Missed")
      assert.deepStrictEqual(
        passed.map(({ event }) =>
          event._tag === "Call" && event.record.kind === "call" ? event.record.tool : event._tag
        ),
        ["add", "echo", "mcp_fs_nothing_like_it"]
      )
      const seqs = missed.map((each) => each.seq)
      assert.deepStrictEqual(
        seqs,
        seqs.toSorted((a, b) => a - b)
      )
      // What describes the present never runs ahead of what passed.
      assert.isTrue(passed.every(({ seq: own }) => own > seq))
    }).pipe(Effect.scoped)
  )

  it.live("says so when the number is that of another start", () =>
    Effect.gen(function* () {
      const { found } = yield* reachable(one)
      const gateway = yield* contract(found)
      const [first] = yield* until(gateway, () => true, { epoch: "another", seq: 3 })
      assert.deepStrictEqual(first!.event, { _tag: "Missed", count: null })
    }).pipe(Effect.scoped)
  )

  it.live("is remembered: states of servers, calls by minute and by tool, and the records of calls", () =>
    Effect.gen(function* () {
      const { found } = yield* reachable(one)
      const gateway = yield* contract(found)
      yield* gateway.Ready({})
      yield* call(gateway, "mcp_fs_echo", { text: "hello" })
      yield* call(gateway, "mcp_fs_fail", {})
      const { minutes, servers, now } = yield* gateway.History({})
      assert.strictEqual(minutes.length, 60)
      assert.strictEqual(
        minutes.reduce((sum, { calls }) => sum + calls, 0),
        2
      )
      const { states } = servers["fs"]!
      assert.deepStrictEqual(
        states.map(({ state }) => state),
        ["Connecting", "Ready"]
      )
      assert.isTrue(states[0]!.to === states[1]!.from && states[1]!.from <= now)
      const { tools } = yield* gateway.Tallies({})
      assert.deepStrictEqual(tools.map(({ tool }) => tool).toSorted(), ["echo", "fail"])
      yield* gateway.Reset({ server: "fs" })
      yield* gateway.Ready({})
      const { events } = yield* gateway.Timeline({ server: "fs" })
      assert.isAtLeast(events.filter(({ state }) => state === "Ready").length, 2)
    }).pipe(Effect.scoped)
  )

  it.live("is a way through the stages for each call that is kept", () =>
    Effect.gen(function* () {
      const { found } = yield* reachable({ ...one, audit: { enabled: false, maxFiles: 2 } })
      const gateway = yield* contract(found)
      yield* gateway.Ready({})
      yield* call(gateway, "mcp_fs_slow", { ms: 60 })
      yield* call(gateway, "mcp_fs_nothing_like_it", {})
      const { records } = yield* gateway.PastCalls({ limit: 10, kind: "call" })
      const [slow, unknown] = yield* Effect.forEach(records, ({ id }) => gateway.Trace({ call: id! }))
      assert.deepStrictEqual(
        slow!.spans.map(({ name }) => name),
        ["call", "resolve", "authorize", "approve", "admit", "dispatch", "shape", "record"]
      )
      const [whole] = slow!.spans
      const dispatch = slow!.spans.find(({ name }) => name === "dispatch")!
      assert.isAtLeast(dispatch.durationUs, 50_000)
      assert.strictEqual(dispatch.server, "fs")
      for (const { durationUs, startUs } of slow!.spans) {
        assert.isAtMost(startUs + durationUs, whole!.durationUs + slow!.spans.length)
      }
      assert.deepStrictEqual(
        unknown!.spans.map(({ name }) => name),
        ["call", "resolve"]
      )
      assert.isNull(yield* gateway.Trace({ call: "nobody" }))
      assert.isNull(yield* gateway.Trace({ call: `${slow!.id}9` }))
    }).pipe(Effect.scoped)
  )
})
