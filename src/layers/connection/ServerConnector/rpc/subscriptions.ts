/**
 * Subscriptions to changes of lists and of single resources. Up to 2025-11-25, servers announce changes of lists without a request, and
 * each resource has its own subscription. Since 2026-07-28, both arrive on streams that we request.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { HEALTHY_AFTER_MS } from "../../../../schemas/defaults/Connections.ts"
import {
  LISTEN_AGAIN_MAX_MS,
  LISTEN_AGAIN_MS,
  WATCH_CONCURRENCY,
  WATCHED_RESOURCES_MAX
} from "../../../../schemas/defaults/HostRequests.ts"
import { URI_MAX_CHARS } from "../../../../schemas/defaults/Texts.ts"
import { isObject } from "../../../../schemas/data/Json.ts"
import { CallTimeout, type ProtocolError, type RequestError } from "../../../../schemas/connection/RequestError.ts"
import type { RequestOptions } from "../../../../services/connection/ServerConnector.ts"
import { roundsOf } from "../../../../system/rounds.ts"
import type { Agreement } from "../connect/handshake.ts"
import type { Notifications, OnAcknowledged } from "./notifications.ts"
import { request, type Session } from "./Session.ts"

type Filter = Readonly<Record<string, true | ReadonlyArray<string>>>

const LISTEN = "subscriptions/listen"
const FOREVER: RequestOptions = { idleMs: Number.POSITIVE_INFINITY, totalMs: Number.POSITIVE_INFINITY }

/** A session with what subscriptions need of it. */
export interface Subscriber {
  readonly session: Session
  readonly agreement: Agreement
  readonly incoming: Notifications
  /** The time for one answer of the server. */
  readonly timeoutMs: number
}

// ---- streams (2026-07-28) ------------------------------------------------------------------------------------------

/** One stream of announcements, from its request to its end. */
const stream = (
  { incoming, session }: Subscriber,
  notifications: Filter,
  onAcknowledged: OnAcknowledged,
  onAsked: () => void
): Effect.Effect<void, RequestError> =>
  Effect.suspend(() => {
    let id: number | undefined
    return Effect.callback<void, RequestError>((resume) => {
      id = session.peer.request(LISTEN, { notifications }, FOREVER, (outcome) => {
        resume(outcome.ok ? Effect.void : Effect.fail(outcome.error))
      })
      incoming.acknowledged.set(id, onAcknowledged)
      onAsked()
    }).pipe(
      Effect.ensuring(
        Effect.sync(() => {
          if (id === undefined) return
          incoming.acknowledged.delete(id)
          session.peer.cancel(id)
        })
      )
    )
  })

/**
 * Opens a stream again when it ends (proxies end streams), less and less often if it does not last. Changes in between were missed,
 * so everything counts as changed. Fails if the server refuses, because it would refuse each time.
 */
const keepListening = Effect.fnUntraced(function* (
  subscriber: Subscriber,
  notifications: Filter,
  onAcknowledged: OnAcknowledged,
  changed: () => void
): Effect.fn.Return<void, ProtocolError> {
  let delay = LISTEN_AGAIN_MS
  let onAsked = () => {}
  const rounds = roundsOf(`listening to changes of '${subscriber.session.server}'`)
  while (true) {
    const openedAt = yield* Clock.currentTimeMillis
    const end = yield* rounds(Effect.result(stream(subscriber, notifications, onAcknowledged, onAsked)))
    if (end !== undefined && Result.isFailure(end) && end.failure._tag === "ProtocolError") return yield* end.failure
    if (subscriber.session.peer.lost !== undefined) return
    if ((yield* Clock.currentTimeMillis) - openedAt >= HEALTHY_AFTER_MS) delay = LISTEN_AGAIN_MS
    yield* Effect.sleep(delay)
    delay = Math.min(delay * 2, LISTEN_AGAIN_MAX_MS)
    onAsked = changed
  }
})

/** Follows changes of the lists while the Scope is open. Servers up to 2025-11-25 need no request for that. */
export const followLists = (subscriber: Subscriber): Effect.Effect<void, never, Scope.Scope> => {
  const { agreement, incoming, session } = subscriber
  const announces = (list: string) => {
    const capability = agreement.capabilities[list]
    return isObject(capability) && capability["listChanged"] === true
  }
  const notifications: Filter = {
    ...(announces("tools") ? { toolsListChanged: true as const } : undefined),
    ...(announces("resources") ? { resourcesListChanged: true as const } : undefined),
    ...(announces("prompts") ? { promptsListChanged: true as const } : undefined)
  }
  if (Object.keys(notifications).length === 0) return Effect.void
  const changed = () => incoming.emit({ _tag: "ListChanged" })
  if (agreement.era === "legacy") return Effect.sync(() => session.onMissed?.(changed))
  const onAcknowledged: OnAcknowledged = (announced) => {
    const missing = Object.keys(notifications).filter((key) => announced[key] !== true)
    if (missing.length > 0) incoming.hooks.onViolation(`a subscription of which it leaves out ${missing.join(", ")}`)
  }
  return keepListening(subscriber, notifications, onAcknowledged, changed).pipe(
    Effect.ignore,
    Effect.forkScoped({ startImmediately: true }),
    Effect.asVoid
  )
}

const updated = (incoming: Notifications, uris: Iterable<string>) => {
  for (const uri of uris) incoming.emit({ _tag: "ResourceUpdated", uri })
}

/** The resources of a stream cannot be changed, so the next stream is opened before the last one is closed. */
const watchByStream = (
  subscriber: Subscriber,
  scope: Scope.Scope
): ((uris: ReadonlyArray<string>) => Effect.Effect<void, RequestError>) => {
  const { incoming } = subscriber
  let watched: ReadonlyArray<string> = []
  let listening: Fiber.Fiber<void, ProtocolError> | undefined

  /** An interruption during this leaves no stream open. */
  const open = (uris: ReadonlyArray<string>) => Effect.uninterruptibleMask((restore) => opening(uris, restore))

  const opening = Effect.fnUntraced(function* (
    uris: ReadonlyArray<string>,
    restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  ) {
    const acknowledged = yield* Deferred.make<Readonly<Record<string, unknown>>>()
    const changed = () => updated(incoming, uris)
    const onAcknowledged: OnAcknowledged = (announced) => Deferred.doneUnsafe(acknowledged, Effect.succeed(announced))
    const fiber = yield* keepListening(subscriber, { resourceSubscriptions: uris }, onAcknowledged, changed).pipe(
      Effect.interruptible,
      Effect.forkIn(scope, { startImmediately: true })
    )
    const announced = yield* restore(
      Effect.raceFirst(Deferred.await(acknowledged), Effect.andThen(Fiber.join(fiber), Effect.never))
    ).pipe(Effect.onExit((exit) => (exit._tag === "Failure" ? Fiber.interrupt(fiber) : Effect.void)))
    const honoured = announced["resourceSubscriptions"]
    const count = Array.isArray(honoured) ? honoured.length : 0
    if (count < uris.length) {
      incoming.hooks.onViolation(`a subscription to ${uris.length} resources, of which it announces ${count}`)
    }
    return fiber
  })

  return Effect.fnUntraced(function* (uris: ReadonlyArray<string>) {
    const same = uris.length === watched.length && uris.every((uri) => watched.includes(uri))
    // `listening` has ended if the server refused to open the stream again.
    if (same && (uris.length === 0 || listening?.pollUnsafe() === undefined)) return
    const next = uris.length === 0 ? undefined : yield* open(uris)
    const last = listening
    watched = uris
    listening = next
    if (last !== undefined) yield* Fiber.interrupt(last)
  })
}

// ---- one by one (up to 2025-11-25) ---------------------------------------------------------------------------------

/** If one subscription fails, the others are made all the same. It is tried again the next time. */
const watchOneByOne = ({ incoming, session, timeoutMs }: Subscriber) => {
  const watched = new Set<string>()
  session.onMissed?.(() => updated(incoming, watched))
  const options: RequestOptions = { idleMs: timeoutMs, totalMs: timeoutMs }

  const subscribe = (uri: string) =>
    Effect.tap(request(session, "resources/subscribe", { uri }, options), () => Effect.sync(() => watched.add(uri)))
  const unsubscribe = (uri: string) =>
    Effect.suspend(() => {
      watched.delete(uri)
      return request(session, "resources/unsubscribe", { uri }, options)
    })

  return Effect.fnUntraced(function* (uris: ReadonlyArray<string>) {
    const gone = [...watched].filter((uri) => !uris.includes(uri))
    const fresh = uris.filter((uri) => !watched.has(uri))
    const outcomes = yield* Effect.forEach([...gone.map(unsubscribe), ...fresh.map(subscribe)], Effect.result, {
      concurrency: WATCH_CONCURRENCY
    })
    const failure = outcomes.find(Result.isFailure)
    if (failure !== undefined) return yield* failure.failure
  })
}

// ---- either --------------------------------------------------------------------------------------------------------

const bounded = (uris: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(uris)].filter((uri) => uri.length <= URI_MAX_CHARS).slice(0, WATCHED_RESOURCES_MAX)

/** Subscribes to these resources instead of the last ones, one change at a time, within a time limit. */
export const makeWatch = (
  subscriber: Subscriber,
  scope: Scope.Scope
): ((uris: ReadonlyArray<string>) => Effect.Effect<void, RequestError>) => {
  const { agreement, session, timeoutMs } = subscriber
  const modern = agreement.era === "modern"
  const replace = modern ? watchByStream(subscriber, scope) : watchOneByOne(subscriber)
  const turn = Semaphore.makeUnsafe(1)
  const tooLong = () =>
    new CallTimeout({
      server: session.server,
      method: modern ? LISTEN : "resources/subscribe",
      timeoutMs,
      deadline: "total"
    })
  return (uris) =>
    replace(bounded(uris)).pipe(
      Effect.timeoutOrElse({ duration: timeoutMs, orElse: () => Effect.fail(tooLong()) }),
      turn.withPermit
    )
}
