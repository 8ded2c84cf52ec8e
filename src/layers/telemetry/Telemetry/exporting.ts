/**
 * Sends what has gathered, again and again, in the background. What waits is bounded, and nobody waits for it: a collector that does not
 * answer costs one line in the log and what it missed.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import {
  OTLP_BATCH_MAX,
  OTLP_CLOSE_MS,
  OTLP_RETRY_MAX_MS,
  OTLP_RETRY_MS,
  OTLP_WAITING_MAX
} from "../../../schemas/defaults/Telemetry.ts"
import { nextTurn } from "../../../system/inTurns.ts"
import { codeOf } from "../../../system/ownFiles.ts"
import { roundsOf } from "../../../system/rounds.ts"

/** A body, and its content type. */
export interface Parcel {
  readonly body: Uint8Array
  readonly contentType: string
}

export interface Collector {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
}

/** `sent`: it has it; `refused`: it will never take it; `away`: it may take it later. */
type Reception = "sent" | "refused" | "away"
export type Post = (parcel: Parcel) => Effect.Effect<Reception>

/** Answers after which the same may be sent again (OTLP › OTLP/HTTP Response). */
const LATER: ReadonlySet<number> = new Set([429, 502, 503, 504])

const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  if (error instanceof Error && error.name === "TimeoutError") return "it did not answer in time"
  return codeOf(cause) ?? "the request failed"
}

/** Says once that the collector cannot be reached, and once that it can be again. */
export const makePost = ({ headers, timeoutMs, url }: Collector): Post => {
  const { host } = new URL(url)
  let isDown = false
  const missed = (reason: string, reception: Reception) =>
    Effect.suspend(() => {
      if (isDown) return Effect.succeed(reception)
      isDown = true
      const line = `telemetry: the collector at ${host} takes nothing (${reason}); what it misses is dropped`
      return Effect.as(Effect.logWarning(line), reception)
    })
  const taken = Effect.suspend(() => {
    if (!isDown) return Effect.succeed<Reception>("sent")
    isDown = false
    return Effect.as(Effect.logInfo(`telemetry: the collector at ${host} is there again`), "sent" as const)
  })
  return ({ body, contentType }) =>
    Effect.tryPromise({
      try: async (signal) => {
        const response = await fetch(url, {
          method: "POST",
          headers: { ...headers, "content-type": contentType },
          body: body as Uint8Array<ArrayBuffer>,
          // Headers may be credentials.
          redirect: "error",
          signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
        })
        await response.body?.cancel()
        return response.status
      },
      catch: reasonOf
    }).pipe(
      Effect.flatMap((status) => {
        if (status >= 200 && status < 300) return taken
        return missed(`HTTP ${status}`, LATER.has(status) ? "away" : "refused")
      }),
      Effect.catch((reason) => missed(reason, "away"))
    )
}

/**
 * Runs `flush` every `everyMs`, sooner when woken, and once more when the Scope closes. `flush` says whether the collector is there: after
 * one that is not, the pause is longer, and only the end wakes it.
 */
const again = Effect.fnUntraced(function* (
  everyMs: number,
  flush: Effect.Effect<boolean>
): Effect.fn.Return<() => void, never, Scope.Scope> {
  const woken = yield* Queue.sliding<void>(1)
  const wake = () => void Queue.offerUnsafe(woken, undefined)
  let isClosing = false
  let isThere = true
  const called: Effect.Effect<void> = Effect.flatMap(Queue.take(woken), () =>
    isThere || isClosing ? Effect.void : called
  )
  const rounds = roundsOf("the export of telemetry")
  const loop = Effect.gen(function* () {
    let retryMs = OTLP_RETRY_MS
    while (true) {
      yield* Effect.raceFirst(Effect.sleep(isThere ? everyMs : Math.max(everyMs, retryMs)), called)
      const isLast = isClosing
      if (!isThere) retryMs = Math.min(retryMs * 2, OTLP_RETRY_MAX_MS)
      isThere = (yield* rounds(flush)) ?? false
      if (isThere) retryMs = OTLP_RETRY_MS
      if (isLast) return
    }
  })
  const fiber = yield* Effect.forkScoped(loop)
  yield* Effect.addFinalizer(() => {
    isClosing = true
    wake()
    return Effect.timeoutOption(Effect.interruptible(Fiber.await(fiber)), OTLP_CLOSE_MS)
  })
  return wake
})

/** Sends things in batches; the result takes one. What does not fit is dropped. */
export const inBatches = Effect.fnUntraced(function* <A>(
  everyMs: number,
  post: Post,
  pack: (batch: ReadonlyArray<A>) => Parcel
): Effect.fn.Return<(one: A) => void, never, Scope.Scope> {
  let waiting: Array<A> = []
  const flush: Effect.Effect<boolean> = Effect.suspend(() => {
    if (waiting.length === 0) return Effect.succeed(true)
    const batch = waiting.slice(0, OTLP_BATCH_MAX)
    waiting = waiting.slice(OTLP_BATCH_MAX)
    return Effect.flatMap(post(pack(batch)), (reception) => {
      if (reception !== "away") return flush
      waiting = [...batch, ...waiting].slice(0, OTLP_WAITING_MAX)
      return Effect.succeed(false)
    })
  })
  const wake = yield* again(everyMs, flush)
  return (one) => {
    if (waiting.length >= OTLP_WAITING_MAX) return
    waiting.push(one)
    if (waiting.length === OTLP_BATCH_MAX) wake()
  }
})

/** Sends what `pack` makes, which is all there is, one after the other. Each parcel is made in a turn of its own. */
export const asWhole = (
  everyMs: number,
  post: Post,
  pack: () => Iterator<Parcel, void>
): Effect.Effect<void, never, Scope.Scope> => {
  const flush = (parcels: Iterator<Parcel, void>): Effect.Effect<boolean> =>
    Effect.flatMap(nextTurn, () => {
      const { done, value } = parcels.next()
      if (done === true) return Effect.succeed(true)
      return Effect.flatMap(post(value), (reception) => (reception === "away" ? Effect.succeed(false) : flush(parcels)))
    })
  return Effect.asVoid(
    again(
      everyMs,
      Effect.suspend(() => flush(pack()))
    )
  )
}
