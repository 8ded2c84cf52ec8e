/**
 * Keeps one server alive. Each connection is opened in a Scope of its own inside the retry, so that the next one starts only when
 * everything of the last one is gone. What is known of the server is one `SubscriptionRef`, changed by `lifecycle.ts` alone.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type { Catalogue } from "../../../schemas/connection/Catalogue.ts"
import { ALIVE_EVERY_MS, HEALTHY_AFTER_MS } from "../../../schemas/defaults/Connections.ts"
import { RELOAD_DRAIN_MS } from "../../../schemas/defaults/Reload.ts"
import { LIST_REFRESH_MIN_MS } from "../../../schemas/defaults/Definitions.ts"
import type { ServerUnavailable } from "../../../schemas/call/CallError.ts"
import { StoppedByOperator } from "../../../schemas/connection/ConnectError.ts"
import type { ListRoom } from "../../../schemas/connection/ListRoom.ts"
import type { ServerConfig } from "../../../schemas/connection/ServerConfig.ts"
import type { ServerConnection, ServerConnector } from "../../../services/connection/ServerConnector.ts"
import type { ServerLives } from "../../../services/connection/ServerLives.ts"
import type { ServerLogs } from "../../../services/connection/ServerLogs.ts"
import type { Recording } from "../../../services/telemetry/Telemetry.ts"
import type { SupervisedServer } from "../../../services/connection/ServerPool.ts"
import { faultOf } from "../../../schemas/connection/ServerState.ts"
import { again } from "../../../system/rounds.ts"
import type { Prepare } from "./prepare.ts"
import { makeUses } from "./idle.ts"
import {
  beginningOf,
  hasArrived,
  isAtRest,
  isSettled,
  isStartable,
  liveOf,
  step,
  type Event,
  type Supervision
} from "./lifecycle.ts"
import { logBeginning, makeLifeLog } from "./lifeLog.ts"
import { reconcile } from "./reconcile.ts"
import { followChanges, makeRefresh } from "./refresh.ts"
import { defectAsFailure, restartSchedule, type Ended } from "./restart.ts"
import { makeWatching } from "./watching.ts"
import { readyWords, unavailable } from "./stateText.ts"

/** Who is told of the life of a server. */
export interface Surroundings {
  readonly logs: ServerLogs["Service"] | undefined
  readonly lives?: ServerLives["Service"] | undefined
  readonly telemetry: Recording
  /** What it offers, as far as that is known before its first connection. */
  readonly known?: Catalogue | undefined
}

export const supervise = Effect.fnUntraced(function* (
  config: ServerConfig,
  connector: ServerConnector["Service"],
  prepare: Prepare,
  room: ListRoom,
  { known: offered, lives, logs, telemetry }: Surroundings
): Effect.fn.Return<Omit<SupervisedServer, "gone">, never, Scope.Scope> {
  const { holder, idleTtlMs, name } = config
  const process = lives?.begin() ?? 0
  const scope = yield* Effect.scope
  const beginning = { ...beginningOf(config), catalogue: offered }
  const log = makeLifeLog(config, logs)
  yield* logBeginning(config, log, beginning)
  const ref = yield* SubscriptionRef.make(beginning)
  const known = () => SubscriptionRef.getUnsafe(ref)
  const live = () => liveOf(known())
  const moved = (before: Supervision | undefined, after: Supervision) => {
    const [from, to] = [before?.state._tag, after.state._tag]
    if (from !== to) lives?.moved({ server: name, holder, process, from, to: after.state })
    if (from !== to) telemetry.current?.moved(name, from, to === "Closed" ? undefined : to)
    if (before !== undefined && after.planned > before.planned) telemetry.current?.restarted(name)
  }
  moved(undefined, beginning)
  const change = (f: (before: Supervision) => Supervision) =>
    SubscriptionRef.updateSome(ref, (before) => {
      const after = f(before)
      if (after === before) return Option.none()
      moved(before, after)
      return Option.some(after)
    })
  const tell = (event: Event) => change((before) => step(before, event))

  const uses = makeUses(idleTtlMs, yield* Clock.Clock)
  const watching = yield* makeWatching(name, () => live()?.connection)

  // ---- while a connection lives ------------------------------------------------------------------------------------

  const untilIdle = Effect.gen(function* () {
    while (live() !== undefined) {
      const now = yield* Clock.currentTimeMillis
      const left = uses.leftMs(now)
      if (left > 0) yield* Effect.sleep(left)
      // In one step: whoever comes from now on wakes the next connection instead of using this one.
      else yield* change((before) => (uses.leftMs(now) > 0 ? before : step(before, { _tag: "Slept" })))
    }
  })

  /** What is listed, as far as it is new, and prepared for whoever looks at it. */
  const received = Effect.fnUntraced(function* (listed: Catalogue) {
    const { catalogue: last } = known()
    const catalogue = reconcile(last, listed)
    if (catalogue !== last) yield* prepare(config, catalogue)
    return catalogue
  })

  const relisted = (connection: ServerConnection) => (listed: Catalogue) =>
    Effect.flatMap(received(listed), (catalogue) => tell({ _tag: "Listed", connection, catalogue }))

  /** The shortest wait is the ordinary one, which need not be told. */
  const paced = (ms = 0) => tell({ _tag: "Paced", relistMs: ms > LIST_REFRESH_MIN_MS ? ms : undefined })

  /** From an open connection to a ready server, with all that runs beside it. */
  const ready = Effect.fnUntraced(function* (connection: ServerConnection) {
    const catalogue = yield* received(connection.catalogue)
    const since = yield* Clock.currentTimeMillis
    const changed = yield* Queue.sliding<void>(1)
    connection.onEvent((event) => {
      if (event._tag === "ListChanged") Queue.offerUnsafe(changed, undefined)
      else watching.updated(event.uri)
    })
    const refresh = makeRefresh(name, connection, relisted(connection))
    uses.begin(since)
    // Before the state is published: whoever shows it finds this line above.
    yield* log.info(`ready: ${readyWords(connection)}`)
    yield* tell({ _tag: "Opened", live: { connection, refresh }, catalogue, since })
    yield* Effect.forkScoped(followChanges(name, refresh, changed, paced))
    yield* Effect.forkScoped(watching.resume)
    // The end of a process is seen; that of a server elsewhere only when it is asked something.
    if (connection.info.transport !== "stdio") {
      yield* Effect.forkScoped(again(`[${name}] asking whether it is there`, ALIVE_EVERY_MS, connection.ping))
    }
  })

  // ---- one connection ----------------------------------------------------------------------------------------------

  /** Lives through one connection: succeeds when it was stopped for idleness, fails with how it ended. */
  const session = Effect.fnUntraced(function* (attempt: number) {
    let healthy = false
    yield* tell({ _tag: "Opening", attempt })
    yield* log.info(`starting`)
    const life = Effect.gen(function* () {
      let opened = false
      // First in, last out: by then everything of the connection is gone.
      yield* Effect.addFinalizer(() => (opened ? log.info(`stopped`) : Effect.void))
      const connection = yield* connector.open(config, room)
      opened = true
      yield* ready(connection)
      yield* Effect.sleep(HEALTHY_AFTER_MS).pipe(
        Effect.andThen(connection.ping),
        Effect.tap((alive) => Effect.sync(() => (healthy = alive))),
        Effect.forkScoped
      )
      return yield* Effect.raceFirst(connection.closed, idleTtlMs > 0 ? untilIdle : Effect.never)
    })
    return yield* life.pipe(
      // The state changes before the release of what the connection held, which may take long.
      Effect.onExit((exit) => {
        if (exit._tag === "Success") return log.info(`idle, stopped until the next call`)
        const cause = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
        if (cause === undefined) return tell({ _tag: "Stopped" })
        return Effect.flatMap(Clock.currentTimeMillis, (at) => tell({ _tag: "Ended", attempt, at, cause }))
      }),
      Effect.scoped,
      defectAsFailure(name),
      Effect.mapError((cause): Ended => ({ cause, healthy }))
    )
  })

  // ---- all connections ---------------------------------------------------------------------------------------------

  const planRestart = ({ duration, input, now }: Schedule.Metadata<Duration.Duration, Ended>, attempt: number) => {
    const { cause } = input
    const ms = Duration.toMillis(duration)
    return Effect.andThen(
      tell({ _tag: "Planned", attempt, until: now + ms, cause }),
      log.warn(`${faultOf(name, cause.message)}; restart ${attempt} in ${ms.toFixed(0)} ms`)
    )
  }

  /** Runs until the server sleeps (success) or is given up (failure). */
  const awake = Effect.suspend(() => {
    let attempt = 0
    return Effect.suspend(() => session(++attempt)).pipe(
      Effect.retry(
        restartSchedule(config).pipe(
          Schedule.tap((metadata) => {
            // What was healthy counts as a first attempt.
            if (metadata.input.healthy) attempt = 1
            return planRestart(metadata, attempt)
          })
        )
      )
    )
  })

  const giveUp = ({ cause }: Ended) => {
    const why = faultOf(name, cause.message)
    const isAccount = cause._tag === "AuthRequired" && cause.account !== undefined
    const said = isAccount ? log.info(why) : log.warn(`${cause._tag === "NoRoom" ? "waits" : "given up"}: ${why}`)
    return Effect.andThen(tell({ _tag: "GivenUp", cause }), said)
  }

  /** Given up for good, unless the cause goes away without us. */
  const unlessMended = ({ cause }: Ended): Effect.Effect<void> => {
    const mended = connector.mended?.(config, cause)
    return mended === undefined
      ? Effect.void
      : mended.pipe(
          Effect.andThen(log.info(`what it waited for, or was given up for, is there`)),
          Effect.andThen(tell({ _tag: "Mended" })),
          Effect.andThen(Effect.suspend(() => life))
        )
  }

  const until = (holds: (known: Supervision) => boolean) =>
    SubscriptionRef.changes(ref).pipe(Stream.filter(holds), Stream.runHead)

  const life: Effect.Effect<void> = until(({ state }) => state._tag !== "Idle").pipe(
    Effect.andThen(awake),
    Effect.forever,
    Effect.catch((ended) => Effect.andThen(giveUp(ended), unlessMended(ended)))
  )

  // ---- the handle --------------------------------------------------------------------------------------------------

  const oneReset = Semaphore.makeUnsafe(1)
  const living = yield* FiberHandle.make<void>()
  if (isStartable(beginning)) yield* FiberHandle.run(living, life)
  yield* Effect.addFinalizer(() => tell({ _tag: "Closed" }))

  const connected: Effect.Effect<ServerConnection, ServerUnavailable> = Effect.gen(function* () {
    yield* tell({ _tag: "Woken" })
    yield* until(hasArrived)
    // It may have been lost since.
    return live()?.connection ?? (yield* unavailable(config, known().state, yield* Clock.currentTimeMillis))
  })

  /** Ends what lives of the server, and then does the rest of a reset or a stop. A server that can never be started has no life. */
  const ended = (rest: Effect.Effect<unknown>): Effect.Effect<void> =>
    isStartable(beginning)
      ? // Half of it would leave a server that nobody supervises.
        oneReset.withPermit(Effect.uninterruptible(Effect.asVoid(Effect.andThen(FiberHandle.clear(living), rest))))
      : Effect.void

  /** Only what is used keeps a connection from being replaced; whoever waits for one that does not come does not. */
  const quiet = Effect.suspend(() => (live() === undefined ? Effect.void : uses.none))
  const reset = ended(Effect.andThen(tell({ _tag: "Reset" }), FiberHandle.run(living, life)))

  /** While it is there, uses wait for the connection that comes. */
  let renewal: Deferred.Deferred<void> | undefined
  const renew = Effect.gen(function* () {
    if (renewal !== undefined || isAtRest(known())) return
    const done = (renewal = yield* Deferred.make<void>())
    yield* Effect.timeoutOption(quiet, RELOAD_DRAIN_MS).pipe(
      Effect.andThen(reset),
      Effect.ensuring(Effect.suspend(() => ((renewal = undefined), Deferred.succeed(done, undefined)))),
      Effect.forkIn(scope)
    )
  })

  return {
    config,
    snapshot: known,
    changes: SubscriptionRef.changes(ref),
    use: (use) =>
      uses.during((begin) => {
        const onceConnected = () => (begin(), Effect.flatMap(connected, use))
        if (renewal !== undefined) return Effect.flatMap(Deferred.await(renewal), onceConnected)
        const now = live()
        if (now === undefined) return onceConnected()
        begin()
        return use(now.connection)
      }),
    wake: tell({ _tag: "Woken" }),
    settled: Effect.asVoid(until(isSettled)),
    refresh: Effect.suspend(() => Effect.asVoid(live()?.refresh ?? Effect.void)),
    prepare: Effect.suspend(() => {
      const { catalogue } = known()
      return catalogue === undefined ? Effect.void : prepare(config, catalogue)
    }),
    resourceUpdates: watching.updates,
    watchResources: watching.watch,
    quiet,
    renew: Effect.uninterruptible(renew),
    reset,
    stop: ended(giveUp({ cause: new StoppedByOperator({ server: name }), healthy: false }))
  }
})
