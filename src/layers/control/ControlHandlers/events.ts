/**
 * The stream of what happens. What passes (records, lines) is read from the rings at the reader's own pace: a slow reader delays nobody, and is
 * told how much it has missed. What describes a present state is told anew to everybody who comes.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import type { Power } from "../../../schemas/control/Powers.ts"
import type { EventPosition, GatewayEvent, NumberedEvent } from "../../../schemas/control/Events.ts"
import type { FiguresValue } from "../../../schemas/control/FiguresValue.ts"
import { FIGURES_EVERY_MS, KEPT_PIECE } from "../../../schemas/defaults/Control.ts"
import type { DefinitionLedger } from "../../../services/call/DefinitionLedger.ts"
import type { McpRuntimeShape } from "../../../services/call/McpRuntime.ts"
import type { LiveConfig } from "../../../services/config/LiveConfig.ts"
import type { Desk } from "../../../services/control/Desk.ts"
import type { Masked } from "./masked.ts"
import type { Passed, Remembered } from "./remembered.ts"

interface Sources {
  readonly remembered: Remembered
  readonly figures: (runtime: McpRuntimeShape) => Effect.Effect<FiguresValue>
  readonly desk: Pick<Desk["Service"], "questions" | "shown">
  readonly ledger: Pick<DefinitionLedger["Service"], "listChanges">
  readonly live: Pick<LiveConfig["Service"], "states">
  readonly masked: Masked
}

interface Asked {
  readonly runtime: McpRuntimeShape
  readonly powers: Power
  readonly after: EventPosition | undefined
}

/** Without a number, it describes the present. */
interface Told {
  readonly seq?: number
  readonly at?: number
  readonly event: GatewayEvent
}

export const makeEvents = ({ desk, figures, ledger, live, masked, remembered }: Sources) => {
  const { after, epoch, heard, last, watch } = remembered

  const eventsOf = (passed: ReadonlyArray<Passed>): ReadonlyArray<Told> => {
    const records = heard(passed.flatMap((one) => (one._tag === "Record" ? [{ seq: one.seq, value: one.record }] : [])))
    let next = 0
    return passed.flatMap((one): ReadonlyArray<Told> => {
      const { at, seq } = one
      if (one._tag === "Line") return [{ seq, at, event: { _tag: "Log", line: masked(one.line) } }]
      const record = records[next++]
      return record === undefined ? [] : [{ seq, at, event: { _tag: "Call", ...record } }]
    })
  }

  /** What passed after `from`, and what passes. Each piece is read when the one before has been taken. */
  const passing = (from: number) =>
    Stream.unwrap(
      Effect.gen(function* () {
        const woken = yield* Queue.sliding<void>(1)
        yield* watch(() => Queue.offerUnsafe(woken, undefined))
        return Stream.unfold(from, (seen) =>
          Effect.gen(function* () {
            while (last() <= seen) yield* Queue.take(woken)
            const passed = after(seen, KEPT_PIECE)
            const until = passed.at(-1)?.seq ?? last()
            const missed = until - seen - passed.length
            const gap: ReadonlyArray<Told> =
              missed > 0 ? [{ seq: (passed[0]?.seq ?? until + 1) - 1, event: { _tag: "Missed", count: missed } }] : []
            return [[...gap, ...eventsOf(passed)], until] as const
          })
        ).pipe(Stream.flatMap((piece) => Stream.fromIterable(piece)))
      })
    )

  const statuses = ({ changes, status }: McpRuntimeShape) =>
    Stream.buffer(changes, { capacity: 1, strategy: "sliding" }).pipe(
      Stream.mapEffect(() => status),
      Stream.map((statuses): Told => ({ event: { _tag: "Statuses", statuses: masked(statuses) } }))
    )

  /**
   * By what a list holds: the same list is often made anew. It waits for servers that start, because a look at half of them would take the rest for
   * newcomers.
   */
  const tools = ({ allTools, changes, ready }: McpRuntimeShape) =>
    Stream.buffer(changes, { capacity: 1, strategy: "sliding" }).pipe(
      Stream.mapEffect(() => Effect.andThen(ready, allTools)),
      Stream.changesWith((a, b) => a.length === b.length && a.every((tool, i) => tool === b[i])),
      Stream.map((): Told => ({ event: { _tag: "Tools" } }))
    )

  const present = ({ powers, runtime }: Asked): ReadonlyArray<Stream.Stream<Told>> => [
    statuses(runtime),
    tools(runtime),
    Stream.fromEffectSchedule(figures(runtime), Schedule.spaced(FIGURES_EVERY_MS)).pipe(
      Stream.map((value): Told => ({ event: { _tag: "Figures", figures: masked(value) } }))
    ),
    Stream.map(powers === "all" ? desk.questions : desk.shown, (questions): Told => ({
      event: { _tag: "Questions", questions: masked(questions) }
    })),
    Stream.map(live.states, (state): Told => ({ event: { _tag: "Configuration", state: masked(state) } })),
    // The first one is the present.
    Stream.map(ledger.listChanges, (): Told => ({ event: { _tag: "Pins" } }))
  ]

  return (asked: Asked): Stream.Stream<NumberedEvent> =>
    Stream.suspend(() => {
      const { after: given } = asked
      const isKnown = given !== undefined && given.epoch === epoch && given.seq >= 0 && given.seq <= last()
      const from = isKnown ? given.seq : last()
      const lost: ReadonlyArray<Told> =
        given === undefined || isKnown ? [] : [{ seq: from, event: { _tag: "Missed", count: null } }]
      /** The number of what was told last: whoever comes back with it misses nothing. */
      let seen = from
      return Stream.concat(
        Stream.fromIterable(lost),
        Stream.mergeAll([...present(asked), passing(from)], { concurrency: "unbounded" })
      ).pipe(
        Stream.mapEffect(({ at, event, seq = seen }) =>
          Effect.map(Clock.currentTimeMillis, (now) => ({ epoch, seq: (seen = seq), at: at ?? now, event }))
        )
      )
    })
}
