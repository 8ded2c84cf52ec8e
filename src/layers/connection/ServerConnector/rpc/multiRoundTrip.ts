/**
 * Requests of revision 2026-07-28 up to their final result: if a server asks for input instead of answering, the host provides it and the
 * request is sent again. The number of rounds is bounded, and one total deadline covers all of them. The time that the host takes does
 * not count as silence. If the host refuses, the request ends.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import {
  HOST_REQUESTS_MAX,
  INPUT_HELD_MAX_BYTES,
  INPUT_ROUND_PAUSE_MS,
  INPUT_ROUNDS_MAX
} from "../../../../schemas/defaults/HostRequests.ts"
import { CallTimeout, ProtocolError, type RequestError } from "../../../../schemas/connection/RequestError.ts"
import type { RequestOptions, ServerConnection } from "../../../../services/connection/ServerConnector.ts"
import type { Answer } from "./hostAnswers.ts"
import { monotonicMs } from "./deadlines.ts"
import { InputRequired, type InputRequest } from "./InputRequired.ts"
import type { Session } from "./Session.ts"

type Request = ServerConnection["request"]

type Params = Readonly<Record<string, unknown>>

/** Sends a request once; `onInput` continues if the server asks for input. */
const sendOnce =
  (
    { peer }: Session,
    onInput: (
      input: InputRequired,
      method: string,
      params: Params,
      options: RequestOptions
    ) => Effect.Effect<unknown, RequestError>
  ): Request =>
  (method, params, options) =>
    Effect.callback((resume) => {
      const id = peer.request(method, params, options, (outcome) => {
        if (outcome.ok) resume(Effect.succeed(outcome.result))
        else if (outcome.input === undefined) resume(Effect.fail(outcome.error))
        else resume(onInput(outcome.input, method, params, options))
      })
      return Effect.sync(() => peer.cancel(id))
    })

/** `around` wraps each round, for links that handle certain failures themselves. */
export const makeModernRequest = (
  session: Session,
  answer: Answer,
  around: ((send: Request) => Request) | undefined
): Request => {
  const { server } = session
  const once = sendOnce(session, (input) => Effect.succeed(input))
  const send = around === undefined ? once : around(once)
  // For all requests to the server together: further ones wait.
  const places = Semaphore.makeUnsafe(HOST_REQUESTS_MAX)
  const unusable = (why: string) =>
    new ProtocolError({ server, code: null, detail: `it asks for input that it cannot get: ${why}`, isOurs: true })

  const gather = (requests: ReadonlyArray<InputRequest>) =>
    Effect.forEach(
      requests,
      ({ key, method, params }) =>
        Effect.map(places.withPermit(answer(method, params)), (result) => [key, result] as const),
      { concurrency: "unbounded" }
    ).pipe(
      Effect.mapError(({ message }) => unusable(message)),
      // A key may be `__proto__`, which an assignment would not define.
      Effect.map((responses): Record<string, unknown> => Object.fromEntries(responses))
    )

  /** Meets one demand and sends the request again. */
  const meet = Effect.fnUntraced(function* (
    input: InputRequired,
    method: string,
    params: Params,
    options: RequestOptions
  ): Effect.fn.Return<unknown, RequestError> {
    const demand = input.read()
    if (typeof demand === "string") return yield* unusable(demand)
    const { requests, requestState } = demand
    if (requests.length === 0) yield* Effect.sleep(INPUT_ROUND_PAUSE_MS)
    const again = {
      ...params,
      ...(requests.length === 0 ? undefined : { inputResponses: yield* gather(requests) }),
      ...(requestState === undefined ? undefined : { requestState })
    }
    return yield* send(method, again, options)
  })

  /** The memory of the demands that are being met. A person may take minutes for each of them. */
  let held = 0
  const holding = <A>({ bytes }: InputRequired, met: Effect.Effect<A, RequestError>) =>
    Effect.suspend(() => {
      if (held > 0 && held + bytes > INPUT_HELD_MAX_BYTES) {
        return Effect.fail(unusable("it holds too much, together with that for other requests"))
      }
      held += bytes
      return Effect.ensuring(
        met,
        Effect.sync(() => (held -= bytes))
      )
    })

  const follow = Effect.fnUntraced(function* (
    method: string,
    params: Params,
    options: RequestOptions,
    first: InputRequired
  ): Effect.fn.Return<unknown, RequestError> {
    let input = first
    for (let round = 1; round <= INPUT_ROUNDS_MAX; round++) {
      const outcome = yield* holding(input, meet(input, method, params, options))
      if (!(outcome instanceof InputRequired)) return outcome
      input = outcome
    }
    return yield* unusable(`it still does after ${INPUT_ROUNDS_MAX} rounds`)
  })

  /** One deadline for all rounds. */
  const within = (input: InputRequired, method: string, params: Params, options: RequestOptions) =>
    Effect.clockWith((clock) =>
      follow(method, params, { ...options, totalMs: Number.POSITIVE_INFINITY }, input).pipe(
        Effect.timeoutOrElse({
          duration: Math.max(0, input.totalAt - monotonicMs(clock)),
          orElse: () => Effect.fail(new CallTimeout({ server, method, timeoutMs: options.totalMs, deadline: "total" }))
        })
      )
    )

  // In the common case there is one round, and nothing is added to it.
  if (around === undefined) return sendOnce(session, within)
  return (method, params, options) =>
    Effect.filterOrElse(
      send(method, params, options),
      (outcome) => !(outcome instanceof InputRequired),
      (outcome) => within(outcome as InputRequired, method, params, options)
    )
}
