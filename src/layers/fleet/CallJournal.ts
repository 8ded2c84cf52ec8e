/**
 * The journal of calls in the database of the fleet. A call leaves when its row is written, over a connection that does nothing else. The rows
 * of calls that come while a statement is under way are the next statement; the ends of calls are gathered for a moment. While the database
 * is away, rows go to a bounded file of this node, and from there to the database before all later rows.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { join } from "node:path"
import {
  JOURNAL_BATCH_MAX,
  JOURNAL_CLOSE_MS,
  JOURNAL_LATE_MS,
  JOURNAL_SETTLE_MS,
  SPOOL_MAX_BYTES
} from "../../schemas/defaults/Fleet.ts"
import { OWED_RETRY_MS } from "../../schemas/defaults/FleetStores.ts"
import type { DatabaseAway } from "../../schemas/fleet/FleetError.ts"
import type { NodeId } from "../../schemas/fleet/Node.ts"
import { CallJournal, type Journal, type JournalEntry, type Origin } from "../../services/call/CallJournal.ts"
import { CallsOfDead } from "../../services/fleet/CallsOfDead.ts"
import { Database } from "../../services/fleet/Database.ts"
import { again, tryEach, untilDone } from "../../system/rounds.ts"
import { makeSpool, sendOwed } from "../../system/spool.ts"
import { type Departure, makeDepartures } from "./CallJournal/departures.ts"
import {
  begin,
  bury,
  close,
  type Closed,
  loseCalls,
  OPEN,
  OPEN_KEPT,
  OPEN_ONE,
  type Opened,
  ofSession,
  parametersOf,
  parametersOfOne,
  unburied
} from "./CallJournal/rows.ts"
import { makeRepeats, type Repeats } from "./CallJournal/repeats.ts"
import { entryOfRuns, type Run } from "./CallJournal/runs.ts"
import { makeDayOf, storable } from "./CallJournal/storable.ts"

export interface Options {
  /** As it is now: a process that others took for dead goes on as another incarnation. */
  readonly self: () => NodeId
  /** The folder of the spool. */
  readonly directory: string
  readonly maxBytes?: number | undefined
  /** After this time nothing that a dead node had sent is under way any more. */
  readonly lateMs?: number | undefined
  /** How often it looks for dead nodes that nobody has buried. */
  readonly settleMs?: number | undefined
  /** What may run again elsewhere if this node dies. */
  readonly repeats?: Repeats | undefined
}

const NOT_WRITTEN = "the journal of calls cannot be written"
const AGAIN_MS = 1_000

const make = Effect.fnUntraced(function* ({
  directory,
  lateMs = JOURNAL_LATE_MS,
  maxBytes = SPOOL_MAX_BYTES,
  repeats,
  self: selfNow,
  settleMs = JOURNAL_SETTLE_MS
}: Options) {
  const scope = yield* Effect.scope
  const self = selfNow()
  const database = yield* Database
  const kept = yield* makeRepeats(database, repeats)
  const clock = yield* Clock.Clock
  const spool = makeSpool(join(directory, `calls-${self.name}.jsonl`), maxBytes)
  const ended: Array<Closed> = []
  /** Open when the end of a call is to be written. */
  const ends = Latch.makeUnsafe(false)
  const lane = yield* database.lane
  const dayOf = makeDayOf()
  let seq = 0
  let isFull = false

  const owe = (opened: ReadonlyArray<Opened>, closed: ReadonlyArray<Closed>) =>
    Effect.suspend(() => {
      // What was asked for is not on the disk.
      const lines = [
        ...opened.map((o) => JSON.stringify({ o: { ...o, again: undefined } })),
        ...closed.map((c) => JSON.stringify({ c }))
      ]
      if (lines.length === 0 || spool.add(lines)) return Effect.void
      if (isFull) return Effect.void
      isFull = true
      return Effect.logError(
        "fleet: the database has been out of reach for so long that the journal of calls is full: calls go on without it, and after a crash nobody knows of them"
      )
    })

  let begun: string | undefined
  /** A life is written before its calls: whoever buries it finds them. */
  const beginLife = Effect.suspend(() => {
    const { incarnation, name } = selfNow()
    if (incarnation === begun) return Effect.void
    return Effect.tap(
      database.run(NOT_WRITTEN, (sql) => begin(sql, name, incarnation)),
      () => Effect.sync(() => (begun = incarnation))
    )
  })

  /** While something is owed, what comes later is owed, too: an end must not overtake its beginning. Says whether it is not owed. */
  const unlessOwed = (
    written: Effect.Effect<void, DatabaseAway>,
    opened: ReadonlyArray<Opened>,
    closed: ReadonlyArray<Closed>
  ): Effect.Effect<boolean> =>
    spool.isEmpty()
      ? Effect.matchEffect(written, {
          onSuccess: () => Effect.succeed(true),
          onFailure: () => Effect.as(owe(opened, closed), false)
        })
      : Effect.as(owe(opened, closed), false)

  const insert = (opened: ReadonlyArray<Opened>) => {
    if (opened.some(({ again }) => again !== undefined)) return lane.run(NOT_WRITTEN, OPEN_KEPT, parametersOf(opened))
    return opened.length === 1
      ? lane.run(NOT_WRITTEN, OPEN_ONE, parametersOfOne(opened[0]!))
      : lane.run(NOT_WRITTEN, OPEN, parametersOf(opened))
  }
  const writeClosed = (closed: ReadonlyArray<Closed>) => database.run(NOT_WRITTEN, (sql) => close(sql, closed))

  const writeOpened = (opened: ReadonlyArray<Opened>) => {
    const written = unlessOwed(insert(opened), opened, [])
    return selfNow().incarnation === begun ? written : Effect.andThen(Effect.ignore(beginLife), written)
  }

  const end = (closed: Closed) => {
    ended.push(closed)
    ends.openUnsafe()
  }
  const departures = yield* makeDepartures(writeOpened, end)

  /** An end that the database refuses is left out, and keeps no others from being written. */
  const endThese = (closed: ReadonlyArray<Closed>): Effect.Effect<void> =>
    Effect.catchDefect(
      Effect.suspend(() => Effect.asVoid(unlessOwed(writeClosed(closed), [], closed))),
      (defect) => (closed.length > 1 ? tryEach(closed, (one) => endThese([one])) : Effect.die(defect))
    )

  const endAll = Effect.gen(function* () {
    while (ended.length > 0) yield* endThese(ended.splice(0, JOURNAL_BATCH_MAX))
    ends.closeUnsafe()
  }).pipe(Effect.uninterruptible)

  const send = (lines: ReadonlyArray<string>) => {
    const rows = lines.map((line) => JSON.parse(line) as { readonly o?: Opened; readonly c?: Closed })
    const opened = rows.flatMap(({ o }) => (o === undefined ? [] : [{ ...o, ...storable(o) }]))
    const closed = rows.flatMap(({ c }) => (c === undefined ? [] : [c]))
    // An earlier life may be buried already, and nobody would look for what is written only now.
    const now = selfNow().incarnation
    const earlier = new Set(opened.map(({ incarnation }) => incarnation).filter((incarnation) => incarnation !== now))
    return database.run(NOT_WRITTEN, (sql) =>
      // The end of a call may be in the same part: its row has to be there before.
      sql
        .unsafe(OPEN, parametersOf(opened))
        .pipe(
          Effect.andThen(closed.length === 0 ? Effect.void : close(sql, closed)),
          Effect.andThen(Effect.forEach(earlier, (incarnation) => bury(sql, incarnation), { discard: true }))
        )
    )
  }

  /** Also a line that was cut on the disk. */
  const isRefused = (defect: unknown) => defect instanceof SyntaxError || database.isRefused(defect)
  const sendAll = Effect.flatMap(sendOwed(spool, send, isRefused), (wasOwed) => {
    if (!wasOwed) return Effect.void
    isFull = false
    return Effect.logInfo("fleet: the journal of calls is written again, including what had to wait")
  })

  const look = (act: typeof bury, incarnations: ReadonlyArray<string>) =>
    Effect.forEach(incarnations, (incarnation) =>
      database.run("the calls of a dead node cannot be looked through", (sql) => act(sql, incarnation))
    )

  /** Looks twice: what dead nodes had sent to the database may be written a moment later. If this node ends before that, others look. */
  const buried = (incarnations: ReadonlyArray<string>) =>
    Effect.tap(look(loseCalls, incarnations), () =>
      look(bury, incarnations).pipe(
        Effect.delay(lateMs),
        Effect.retry(Schedule.spaced(AGAIN_MS)),
        (looked) => untilDone("fleet: the second look at the calls of a dead node", AGAIN_MS, looked),
        Effect.forkIn(scope)
      )
    )

  /** What earlier lives of this node have left, and nodes whose death no living node has heard of. */
  const settle = Effect.suspend(() => database.run(NOT_WRITTEN, (sql) => unburied(sql, selfNow().incarnation))).pipe(
    Effect.flatMap((dead) => (dead.length === 0 ? Effect.void : buried(dead)))
  )

  // Other nodes count on this one already: its start does not wait for what is owed.
  const round = beginLife.pipe(Effect.andThen(sendAll), Effect.andThen(settle))
  // A database that was only busy says nothing when it has time again.
  const whenOwed = Stream.filter(Stream.tick(OWED_RETRY_MS), () => !spool.isEmpty() && !database.isAway())
  yield* database.states.pipe(
    Stream.filter((state) => state === "here"),
    Stream.merge(whenOwed),
    Stream.merge(Stream.fromSchedule(Schedule.spaced(settleMs))),
    Stream.runForEach(() =>
      round.pipe(
        Effect.retry({ schedule: Schedule.spaced(AGAIN_MS), while: () => !database.isAway() }),
        Effect.ignore,
        (sent) => untilDone("fleet: the writing of what the journal of calls owes", AGAIN_MS, sent)
      )
    ),
    Effect.forkScoped
  )
  // What has ended is written before the database is given up.
  yield* Effect.addFinalizer(() => Effect.andThen(departures.last, endAll))
  const gathered = Effect.delay(ends.await, JOURNAL_CLOSE_MS)
  yield* Effect.forkScoped(again("fleet: the writing of how calls ended", gathered, endAll))

  const closing = (departure: Departure) => {
    let isClosed = false
    /** `goesOn`: another run follows, which needs what its client asked for. */
    return (outcome: Closed["outcome"], goesOn = false) => {
      if (isClosed) return
      isClosed = true
      if (outcome === "failed" && departures.takeBack(departure)) return
      const { again, day, incarnation, request, seq: number, session } = departure.row
      const at = clock.currentTimeMillisUnsafe()
      const kept = again === undefined || goesOn ? {} : { kept: { session, request } }
      const closed = { incarnation, seq: number, day, outcome, at, ...kept }
      // An end must not overtake its beginning.
      if (Deferred.isDoneUnsafe(departure.written)) end(closed)
      else departure.ended = closed
    }
  }

  const runOf = (entry: JournalEntry, origin: Origin | undefined): Run => {
    const at = clock.currentTimeMillisUnsafe()
    const again = kept.of(entry, origin)
    const departure = departures.add({
      incarnation: selfNow().incarnation,
      seq: ++seq,
      day: dayOf(at),
      node: self.name,
      at,
      ...(origin !== undefined && { session: origin.session, request: JSON.stringify(origin.request) }),
      ...(again !== undefined && { again }),
      ...storable(entry)
    })
    return { written: Deferred.await(departure.written), close: closing(departure) }
  }

  const open: Journal["open"] = (entry, origin) =>
    kept.mayRepeat(entry) ? entryOfRuns(() => runOf(entry, origin), origin?.runs) : runOf(entry, origin)

  const dead = CallsOfDead.of({
    bury: ({ incarnation }) => Effect.map(buried([incarnation]), ([lost = 0]) => lost),
    ofSession: (session) =>
      database.run("the calls of a session cannot be looked up", (sql) => ofSession(sql, session)),
    takeRepeat: kept.takeRepeat,
    hasRepeat: kept.hasRepeat
  })
  return { journal: { open } satisfies Journal, dead }
})

/** The journal of calls in the database of the fleet. */
export const layer = (options: Options): Layer.Layer<CallsOfDead, never, Database> =>
  Layer.effectContext(
    Effect.map(make(options), ({ dead, journal }) =>
      Context.make(CallsOfDead, dead).pipe(Context.add(CallJournal, { current: journal }))
    )
  )
