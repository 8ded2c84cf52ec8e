import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as AuditLogLayer from "../../../../src/layers/call/AuditLog.ts"
import { makeEvents } from "../../../../src/layers/control/ControlHandlers/events.ts"
import { makeRemembered } from "../../../../src/layers/control/ControlHandlers/remembered.ts"
import type { EventPosition, NumberedEvent } from "../../../../src/schemas/control/Events.ts"
import { FIGURES_EVERY_MS, KEPT_RECORDS_MAX } from "../../../../src/schemas/defaults/Control.ts"
import { AuditLog } from "../../../../src/services/call/AuditLog.ts"
import { ServerLogs } from "../../../../src/services/connection/ServerLogs.ts"
import * as ContentSanitizerLayer from "../../../../src/layers/content/ContentSanitizer.ts"
import * as RedactorLayer from "../../../../src/layers/content/Redactor.ts"
import { toolRuntime } from "../../../support/toolRuntime.ts"

const quiet = Layer.succeed(ServerLogs, { write: () => {}, lines: Stream.never, onLine: () => Effect.void })
const layer = AuditLogLayer.layerUnwritten.pipe(
  Layer.provide(ContentSanitizerLayer.layer),
  Layer.provide(RedactorLayer.layer),
  Layer.merge(quiet)
)

const made = Effect.gen(function* () {
  const audit = yield* AuditLog
  const remembered = yield* makeRemembered
  let looks = 0
  const events = makeEvents({
    remembered,
    figures: () => Effect.sync(() => (looks++, {})),
    desk: { questions: Stream.make([]), shown: Stream.never },
    ledger: { listChanges: Stream.never },
    live: { states: Stream.never },
    masked: (value) => value
  })
  const record = (tool: string) =>
    audit.record({
      agent: "main",
      server: "fs",
      tool,
      shape: () => "{}",
      durationMs: 1,
      outcome: "ok",
      resultChars: 0,
      findings: []
    })
  const from = (after?: EventPosition) => events({ runtime: toolRuntime({}), powers: "read-only", after })
  return { remembered, record, from, looks: () => looks }
})

const passing = (stream: Stream.Stream<NumberedEvent>, count: number) =>
  stream.pipe(
    Stream.filter(({ event }) => event._tag === "Call" || event._tag === "Missed"),
    Stream.take(count),
    Stream.runCollect
  )
const shown = (events: ReadonlyArray<NumberedEvent>) =>
  events.map(({ event }) =>
    event._tag === "Call" && event.record.kind === "call"
      ? event.record.tool
      : event._tag === "Missed"
        ? `missed ${event.count}`
        : event._tag
  )

describe("the stream of what happens", () => {
  it.effect("continues after a number, and says how many events were dropped", () =>
    Effect.gen(function* () {
      const { from, record, remembered } = yield* made
      for (let i = 1; i <= KEPT_RECORDS_MAX + 3; i++) yield* record(`t${i}`)
      const { epoch } = remembered
      const last = KEPT_RECORDS_MAX + 3
      assert.deepStrictEqual(shown(yield* passing(from({ epoch, seq: last - 2 }), 2)), [`t${last - 1}`, `t${last}`])
      const [missed, first] = yield* passing(from({ epoch, seq: 1 }), 2)
      assert.deepStrictEqual(shown([missed!, first!]), ["missed 2", "t4"])
      assert.strictEqual(missed!.seq, first!.seq - 1)
      for (const unknown of [
        { epoch, seq: last + 1 },
        { epoch, seq: -1 },
        { epoch: "x", seq: 1 }
      ]) {
        assert.deepStrictEqual(shown(yield* passing(from(unknown), 1)), ["missed null"])
      }
    }).pipe(Effect.provide(layer), Effect.scoped)
  )

  it.effect("gives what describes the present the number of what was told before it", () =>
    Effect.gen(function* () {
      const { from, record, remembered } = yield* made
      yield* record("before")
      const fiber = yield* Effect.forkChild(
        from({ epoch: remembered.epoch, seq: 0 }).pipe(
          Stream.takeUntil(({ event, seq }) => event._tag === "Figures" && seq === 2),
          Stream.runCollect
        ),
        { startImmediately: true }
      )
      yield* TestClock.adjust(1)
      yield* record("after")
      yield* TestClock.adjust(FIGURES_EVERY_MS)
      const events = yield* Fiber.join(fiber)
      const seqs = events.map(({ seq }) => seq)
      assert.deepStrictEqual(seqs, seqs.toSorted())
      assert.deepStrictEqual(shown(events.filter(({ event }) => event._tag === "Call")), ["before", "after"])
    }).pipe(Effect.provide(layer), Effect.scoped)
  )

  it.effect("does no work without a listener", () =>
    Effect.gen(function* () {
      const { from, looks } = yield* made
      yield* TestClock.adjust(FIGURES_EVERY_MS * 10)
      assert.strictEqual(looks(), 0)
      const fiber = yield* Effect.forkChild(Stream.runDrain(from()), { startImmediately: true })
      for (let i = 0; i < 4; i++) yield* TestClock.adjust(FIGURES_EVERY_MS)
      const seen = looks()
      assert.isAtLeast(seen, 2)
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust(FIGURES_EVERY_MS * 10)
      assert.strictEqual(looks(), seen)
    }).pipe(Effect.provide(layer), Effect.scoped)
  )
})
