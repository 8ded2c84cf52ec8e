/**
 * One server's life: Idle, Connecting, Ready, Backoff, Failed. Each connection is opened in a Scope of its own inside the
 * retry, so that the next one starts only when everything of the last one is gone.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type { Catalogue } from "../../../schemas/connection/Catalogue.ts"
import { ALIVE_EVERY_MS, HEALTHY_AFTER_MS } from "../../../schemas/defaults/Connections.ts"
import { LIST_REFRESH_MIN_MS } from "../../../schemas/defaults/Definitions.ts"
import type { ServerUnavailable } from "../../../schemas/call/CallError.ts"
import { HandshakeFailed, type ConnectError } from "../../../schemas/connection/ConnectError.ts"
import type { ListRoom } from "../../../schemas/connection/ListRoom.ts"
import type { ServerConfig } from "../../../schemas/connection/ServerConfig.ts"
import { faultOf, type ServerState } from "../../../schemas/connection/ServerState.ts"
import type { ServerConnection, ServerConnector } from "../../../services/connection/ServerConnector.ts"
import type { Snapshot, SupervisedServer } from "../../../services/connection/ServerPool.ts"
import type { Prepare } from "./prepare.ts"
import { beginningOf, STARTABLE } from "./beginning.ts"
import { reconcile } from "./reconcile.ts"
import { followChanges, makeRefresh, type Refresh } from "./refresh.ts"
import { restartSchedule, type Ended } from "./restart.ts"
import { makeWatching } from "./watching.ts"
import { readyWords, unavailable } from "./stateText.ts"

/** States in which nothing is on its way and nothing will come of waiting. */
const HOPELESS: ReadonlySet<ServerState["_tag"]> = new Set(["Disabled", "Backoff", "Failed", "Closed"])

/** A bug of ours, or of a library, must not end the supervision: it counts as a server that is down. */
const defectAsFailure = (server: string) =>
  Effect.catchDefect((defect: unknown) =>
    Effect.logError(`[${server}] unexpected failure`, Cause.die(defect)).pipe(
      Effect.andThen(
        Effect.fail<ConnectError>(
          new HandshakeFailed({ server, detail: "an unexpected failure on our side, see the log", stderr: "" })
        )
      )
    )
  )

export const supervise = Effect.fnUntraced(function* (
  config: ServerConfig,
  connector: ServerConnector["Service"],
  prepare: Prepare,
  room: ListRoom
): Effect.fn.Return<SupervisedServer, never, Scope.Scope> {
  const { idleTtlMs, name } = config
  const scope = yield* Effect.scope
  const beginning = yield* beginningOf(config)
  const ref = yield* SubscriptionRef.make<Snapshot>({ ...beginning, catalogue: undefined, restarts: 0 })
  /** Open while somebody needs the server; closed puts it to sleep. */
  const demand = Latch.makeUnsafe(!config.lazy)
  let connection: ServerConnection | undefined
  /** Of the present connection. */
  let refresh: Refresh = Effect.succeed(false)
  let restarts = 0
  /** Between the loss of a connection and the decision whether there is another: what that decision waits for takes time. */
  let undecided = false
  let usesInFlight = 0
  let lastUsedAt = 0

  const watching = yield* makeWatching(name, () => connection)

  const publish = (change: Partial<Snapshot>) => SubscriptionRef.update(ref, (snapshot) => ({ ...snapshot, ...change }))

  // ---- while a connection lives ------------------------------------------------------------------------------------

  /** Ends, with success, when nobody has used the server for so long. */
  const untilIdle = Effect.gen(function* () {
    while (true) {
      const now = yield* Clock.currentTimeMillis
      const left = usesInFlight > 0 ? idleTtlMs : lastUsedAt + idleTtlMs - now
      if (left <= 0) {
        // In one step: whoever comes from now on wakes the next connection instead of using this one.
        connection = undefined
        demand.closeUnsafe()
        return
      }
      yield* Effect.sleep(left)
    }
  })

  /** What is listed, as far as it is new; ready for whoever looks at it. */
  const received = Effect.fnUntraced(function* (listed: Catalogue) {
    const known = SubscriptionRef.getUnsafe(ref).catalogue
    const catalogue = reconcile(known, listed)
    if (catalogue !== known) yield* prepare(config, catalogue)
    return catalogue
  })

  /** Says so when what is listed differs from what is known. */
  const publishLists = Effect.fnUntraced(function* (live: ServerConnection, listed: Catalogue) {
    const catalogue = yield* received(listed)
    if (connection === live && catalogue !== SubscriptionRef.getUnsafe(ref).catalogue) yield* publish({ catalogue })
  })

  /** The shortest wait is the ordinary one, and nobody's news. */
  const publishWait = (ms = 0) =>
    Effect.suspend(() => {
      const relistMs = ms > LIST_REFRESH_MIN_MS ? ms : undefined
      return relistMs === SubscriptionRef.getUnsafe(ref).relistMs ? Effect.void : publish({ relistMs })
    })

  // ---- one connection ----------------------------------------------------------------------------------------------

  /** Lives through one connection: succeeds when it was stopped for idleness, fails with how it ended. */
  const session = Effect.fnUntraced(function* (attempt: number) {
    let healthy = false
    yield* publish({ state: { _tag: "Connecting", attempt } })
    yield* Effect.logInfo(`[${name}] starting`)
    const life = Effect.gen(function* () {
      let opened = false
      // First in, last out: by then everything of the connection is gone.
      yield* Effect.addFinalizer(() => (opened ? Effect.logInfo(`[${name}] stopped`) : Effect.void))
      const live = yield* connector.open(config, room)
      opened = true
      const catalogue = yield* received(live.catalogue)
      const since = yield* Clock.currentTimeMillis
      const changed = yield* Queue.sliding<void>(1)
      live.onEvent((event) => {
        if (event._tag === "ListChanged") Queue.offerUnsafe(changed, undefined)
        else watching.updated(event.uri)
      })
      connection = live
      refresh = makeRefresh(name, live, (listed) => publishLists(live, listed))
      lastUsedAt = since
      // Before it is published: whoever shows the state has said so by then.
      yield* Effect.logInfo(`[${name}] ready: ${readyWords(live)}`)
      yield* publish({
        state: { _tag: "Ready", info: live.info, since },
        catalogue,
        restarts,
        relistMs: undefined
      })
      yield* Effect.forkScoped(followChanges(refresh, changed, publishWait))
      yield* Effect.forkScoped(watching.resume)
      yield* Effect.sleep(HEALTHY_AFTER_MS).pipe(
        Effect.andThen(live.ping),
        Effect.tap((alive) => Effect.sync(() => (healthy = alive))),
        Effect.forkScoped
      )
      // The end of a process is seen; that of a server elsewhere only when it is asked something.
      if (live.info.transport !== "stdio") {
        yield* Effect.sleep(ALIVE_EVERY_MS).pipe(Effect.andThen(live.ping), Effect.forever, Effect.forkScoped)
      }
      return yield* Effect.raceFirst(live.closed, idleTtlMs > 0 ? untilIdle : Effect.never)
    })
    return yield* life.pipe(
      // What callers see changes before the (possibly slow) release of what the connection held.
      Effect.onExit((exit) => {
        connection = undefined
        if (exit._tag === "Success") {
          return Effect.andThen(
            publish({ state: { _tag: "Idle" } }),
            Effect.logInfo(`[${name}] idle, stopped until the next call`)
          )
        }
        const cause = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
        if (cause === undefined) return Effect.void
        undecided = true
        return Effect.flatMap(Clock.currentTimeMillis, (until) =>
          publish({ state: { _tag: "Backoff", attempt, until, cause }, lastError: cause.message })
        )
      }),
      Effect.scoped,
      defectAsFailure(name),
      Effect.mapError((cause): Ended => ({ cause, healthy }))
    )
  })

  // ---- all connections ---------------------------------------------------------------------------------------------

  const announceBackoff = ({ duration, input, now }: Schedule.Metadata<Duration.Duration, Ended>, attempt: number) => {
    undecided = false
    restarts++
    return Effect.andThen(
      publish({ state: { _tag: "Backoff", attempt, until: now + Duration.toMillis(duration), cause: input.cause } }),
      Effect.logWarning(
        `[${name}] ${faultOf(name, input.cause.message)}; restart ${attempt} in ${Duration.toMillis(duration).toFixed(0)} ms`
      )
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
            return announceBackoff(metadata, attempt)
          })
        )
      )
    )
  })

  const giveUp = ({ cause }: Ended) => {
    undecided = false
    return Effect.andThen(
      publish({ state: { _tag: "Failed", cause }, lastError: cause.message }),
      Effect.logWarning(`[${name}] ${cause._tag === "NoRoom" ? "waits" : "given up"}: ${faultOf(name, cause.message)}`)
    )
  }

  /** Given up for good, unless the cause goes away without us. */
  const unlessMended = ({ cause }: Ended): Effect.Effect<void> => {
    const mended = connector.mended?.(config, cause)
    return mended === undefined
      ? Effect.void
      : mended.pipe(
          Effect.andThen(Effect.logInfo(`[${name}] what it waited for, or was given up for, is there`)),
          Effect.andThen(publish({ state: { _tag: "Connecting", attempt: 1 }, lastError: undefined })),
          Effect.andThen(Effect.suspend(() => life))
        )
  }

  const life: Effect.Effect<void> = demand.await.pipe(
    Effect.andThen(awake),
    Effect.forever,
    Effect.catch((ended) => Effect.andThen(giveUp(ended), unlessMended(ended)))
  )

  // ---- the handle --------------------------------------------------------------------------------------------------

  const oneReset = Semaphore.makeUnsafe(1)
  let fiber = STARTABLE.has(beginning.state._tag) ? yield* Effect.forkIn(life, scope) : undefined
  yield* Effect.addFinalizer(() => publish({ state: { _tag: "Closed" } }))

  const until = (holds: (snapshot: Snapshot) => boolean) =>
    SubscriptionRef.changes(ref).pipe(
      Stream.filter(holds),
      Stream.runHead,
      Effect.map(Option.getOrElse(() => SubscriptionRef.getUnsafe(ref)))
    )

  /** Ready counts once its connection can be used: at its end the connection goes before the state does. */
  const arrived = ({ state }: Snapshot) =>
    HOPELESS.has(state._tag) || (state._tag === "Ready" && connection !== undefined)

  const ready: Effect.Effect<ServerConnection, ServerUnavailable> = Effect.gen(function* () {
    yield* demand.open
    const { state } = yield* until(arrived)
    return connection ?? (yield* unavailable(name, state, yield* Clock.currentTimeMillis))
  })

  const used = Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.sync(() => {
      usesInFlight--
      lastUsedAt = now
    })
  )

  return {
    config,
    snapshot: () => SubscriptionRef.getUnsafe(ref),
    changes: SubscriptionRef.changes(ref),
    use: (use) =>
      Effect.suspend(() => {
        const run = connection === undefined ? Effect.flatMap(ready, use) : use(connection)
        if (idleTtlMs === 0) return run
        usesInFlight++
        return Effect.ensuring(run, used)
      }),
    wake: Effect.asVoid(demand.open),
    settled: Effect.asVoid(
      until((snapshot) => !undecided && (arrived(snapshot) || (snapshot.state._tag === "Idle" && !demand.isOpen())))
    ),
    refresh: Effect.suspend(() => (connection === undefined ? Effect.void : Effect.asVoid(refresh))),
    prepare: Effect.suspend(() => {
      const { catalogue } = SubscriptionRef.getUnsafe(ref)
      return catalogue === undefined ? Effect.void : prepare(config, catalogue)
    }),
    resourceUpdates: watching.updates,
    watchResources: watching.watch,
    // Half a reset would leave a server that nobody supervises.
    reset: oneReset.withPermit(
      Effect.uninterruptible(
        Effect.gen(function* () {
          if (fiber === undefined) return
          yield* Fiber.interrupt(fiber)
          connection = undefined
          undecided = false
          yield* publish({ state: { _tag: "Connecting", attempt: 1 }, restarts: 0, lastError: undefined })
          restarts = 0
          yield* demand.open
          fiber = yield* Effect.forkIn(Effect.interruptible(life), scope)
        })
      )
    )
  }
})
