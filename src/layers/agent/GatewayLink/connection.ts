/**
 * One connection to a gateway, from its challenge to its end: requests and responses, and events for subscribers. Nothing
 * here throws, whatever the gateway sends. A useless frame is ignored; too many of them end the connection.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { randomUUID } from "node:crypto"
import {
  GATEWAY_EARLY_FRAMES_MAX,
  GATEWAY_EVENTS_MAX,
  GATEWAY_EVENTS_MAX_CHARS,
  GATEWAY_IDLE_FRAME_CHARS,
  GATEWAY_IDLE_FRAMES_MAX,
  GATEWAY_IDLE_FRAME_MS,
  GATEWAY_REQUESTS_MAX,
  GATEWAY_SILENT_TICKS
} from "../../../schemas/defaults/Gateway.ts"
import { ERROR_TEXT_MAX_CHARS } from "../../../schemas/defaults/Results.ts"
import { GatewayError } from "../../../schemas/agent/GatewayError.ts"
import {
  GATEWAY_PROTOCOL,
  readChallenge,
  readFrame,
  readHello,
  type GatewayChallenge,
  type GatewayHello
} from "../../../schemas/agent/GatewayFrames.ts"
import type { GatewayEvent } from "../../../services/agent/GatewayLink.ts"
import type { GuardedSocket } from "../../../services/connection/NetworkGuard.ts"
import { closed, down, passing, refusalOf, type Ended, type Words } from "./ended.ts"

export interface Connection {
  readonly hello: GatewayHello
  readonly request: (
    method: string,
    params: Readonly<Record<string, unknown>>,
    timeoutMs: number
  ) => Effect.Effect<unknown, GatewayError>
  readonly events: Effect.Effect<Stream.Stream<GatewayEvent, GatewayError>, never, Scope.Scope>
  readonly ended: Effect.Effect<Ended>
}

export interface ConnectionOptions extends Words {
  /** `onControl` is called for each ping and pong. */
  readonly open: (onControl: () => void) => GuardedSocket
  /** The answer to the challenge. */
  readonly introduce: (challenge: GatewayChallenge) => Readonly<Record<string, unknown>>
  readonly timeoutMs: number
}

/** Signs of life, and events that no client of ours uses: some are large, and all are frequent. */
const HEARTBEAT: ReadonlySet<string> = new Set(["tick", "health", "presence"])

const CONNECT_ID = "connect"

interface Subscriber {
  readonly queue: Queue.Queue<Held, GatewayError | Cause.Done>
  chars: number
}

interface Held {
  readonly event: GatewayEvent
  readonly chars: number
}

type Answer = (outcome: Result.Result<unknown, GatewayError>) => void

export const connect = Effect.fnUntraced(function* (
  options: ConnectionOptions
): Effect.fn.Return<Connection, Ended, Scope.Scope> {
  const { address, clean, introduce, open, timeoutMs } = options
  const pending = new Map<string, Answer>()
  const subscribers = new Set<Subscriber>()
  const ended = Deferred.makeUnsafe<Ended>()
  const greeted = Deferred.makeUnsafe<GatewayHello, Ended>()
  const prefix = randomUUID()
  let requests = 0
  let isOver = false
  let isHeard = true
  const clock = yield* Clock.Clock

  const { close, failure, socket } = yield* Effect.acquireRelease(
    Effect.try({
      try: () => open(() => ignore()),
      catch: () => passing(down("the OpenClaw gateway cannot be dialled"))
    }),
    (opened) =>
      Effect.sync(() => {
        finish(passing(down("the link to the OpenClaw gateway was closed")))
        opened.socket.close(1000)
        // The close frame is being sent; a peer that does not accept it is cut off.
        setImmediate(() => void opened.close().catch(() => {}))
      })
  )

  /** Runs once. Everybody who waits gets an error. */
  function finish(end: Ended) {
    if (isOver) return
    isOver = true
    Deferred.doneUnsafe(ended, Effect.succeed(end))
    Deferred.doneUnsafe(greeted, Effect.fail(end))
    const lost = new GatewayError({
      code: "LINK_LOST",
      detail: `the connection to the OpenClaw gateway was lost; what was asked of it may have been done (${end.error.detail})`
    })
    for (const answer of pending.values()) answer(Result.fail(lost))
    pending.clear()
    for (const { queue } of subscribers) Queue.failCauseUnsafe(queue, Cause.fail(lost))
    subscribers.clear()
  }

  const cut = (end: Ended) => {
    finish(end)
    void close().catch(() => {})
  }

  let [mayIgnore, ignoredAt, ignoresMax] = [GATEWAY_EARLY_FRAMES_MAX, 0, GATEWAY_EARLY_FRAMES_MAX]

  /** Counts a useless frame; a large one counts as several. */
  function ignore(size = 0) {
    const now = clock.currentTimeMillisUnsafe()
    const since = Math.max(0, now - ignoredAt)
    mayIgnore =
      Math.min(ignoresMax, mayIgnore + since / GATEWAY_IDLE_FRAME_MS) - 1 - Math.floor(size / GATEWAY_IDLE_FRAME_CHARS)
    ignoredAt = now
    if (mayIgnore < 0 && !isOver) cut(passing(down(`the OpenClaw gateway at ${address} sends too many useless frames`)))
  }

  const tell = (event: string, payload: unknown, chars: number) => {
    for (const subscriber of subscribers) {
      subscriber.chars += chars
      const isTaken =
        subscriber.chars <= GATEWAY_EVENTS_MAX_CHARS &&
        Queue.offerUnsafe(subscriber.queue, { event: { event, payload }, chars })
      if (isTaken) continue
      subscribers.delete(subscriber)
      const detail = "the OpenClaw gateway sends events faster than they are taken"
      Queue.failCauseUnsafe(subscriber.queue, Cause.fail(new GatewayError({ code: "LINK_LOST", detail })))
    }
  }

  const greet = (challenge: GatewayChallenge) => {
    pending.set(CONNECT_ID, (outcome) => {
      if (Result.isFailure(outcome)) return
      const hello = readHello(outcome.success)
      if (hello?.protocol === GATEWAY_PROTOCOL) {
        mayIgnore = ignoresMax = GATEWAY_IDLE_FRAMES_MAX
        return void Deferred.doneUnsafe(greeted, Effect.succeed(hello))
      }
      const detail = `the peer is not an OpenClaw gateway of protocol ${GATEWAY_PROTOCOL}`
      cut({ kind: "refused", error: new GatewayError({ code: "LINK_REFUSED", detail }), retryAfterMs: 0 })
    })
    try {
      socket.send(JSON.stringify({ type: "req", id: CONNECT_ID, method: "connect", params: introduce(challenge) }))
    } catch {
      cut(passing(down("the OpenClaw gateway cannot be answered")))
    }
  }

  let isChallenged = false

  const hear = (text: string) => {
    if (isOver) return
    isHeard = true
    const frame = readFrame(text)
    if (frame === undefined) return ignore(text.length)
    if (frame.type === "event") {
      const challenge = frame.event === "connect.challenge" && !isChallenged ? readChallenge(frame.payload) : undefined
      if (challenge !== undefined) {
        isChallenged = true
        return greet(challenge)
      }
      // Before the hello there are no subscribers.
      if (ignoresMax === GATEWAY_EARLY_FRAMES_MAX || frame.event === "connect.challenge") return ignore()
      if (!HEARTBEAT.has(frame.event)) tell(frame.event, frame.payload, text.length)
      return
    }
    const answer = pending.get(frame.id)
    if (answer === undefined) return ignore()
    pending.delete(frame.id)
    if (frame.type === "answer") return answer(Result.succeed(frame.payload))
    if (frame.id === CONNECT_ID) return cut(refusalOf(frame.failure, options))
    const { code, message } = frame.failure
    answer(Result.fail(new GatewayError({ code, detail: clean(message, ERROR_TEXT_MAX_CHARS) || code })))
  }

  let isOpen = false
  socket.addEventListener("open", () => void (isOpen = true))
  socket.addEventListener("message", ({ data }) => {
    if (typeof data === "string") hear(data)
    else ignore(data instanceof Blob ? data.size : 0)
  })
  socket.addEventListener("close", ({ reason }) => finish(closed(reason, failure(), isOpen, options)))
  socket.addEventListener("error", () => {})

  const hello = yield* Deferred.await(greeted).pipe(
    Effect.timeoutOrElse({
      duration: timeoutMs,
      orElse: () =>
        Effect.fail(passing(down(`the OpenClaw gateway at ${address} did not answer within ${timeoutMs / 1000} s`)))
    })
  )

  /** A machine that was cut off does not close its connections, so silence is checked. */
  const listen = Effect.gen(function* () {
    for (let silent = 0; silent < GATEWAY_SILENT_TICKS; silent = isHeard ? 0 : silent + 1) {
      isHeard = false
      yield* Effect.sleep(hello.tickMs)
    }
    const seconds = Math.round((hello.tickMs * GATEWAY_SILENT_TICKS) / 1000)
    cut(passing(down(`the OpenClaw gateway was silent for ${seconds} s`)))
  })
  yield* Effect.forkScoped(listen)

  const gone = new GatewayError({ code: "LINK_DOWN", detail: "the OpenClaw gateway is not connected" })

  return {
    hello,
    ended: Deferred.await(ended),
    request: (method, params, waitMs) =>
      Effect.callback<unknown, GatewayError>((resume) => {
        if (isOver) return resume(Effect.fail(gone))
        if (pending.size >= GATEWAY_REQUESTS_MAX) {
          return resume(Effect.fail(down("too many requests to the OpenClaw gateway are waiting for a response")))
        }
        const id = `${prefix}-${++requests}`
        const text = JSON.stringify({ type: "req", id, method, params })
        const size = Buffer.byteLength(text)
        if (size > hello.limits.maxPayloadBytes) {
          const detail = `the OpenClaw gateway takes ${hello.limits.maxPayloadBytes} bytes at once, and this is ${size}`
          return resume(Effect.fail(new GatewayError({ code: "LINK_TOO_LARGE", detail })))
        }
        pending.set(id, (outcome) => resume(Effect.fromResult(outcome)))
        try {
          socket.send(text)
        } catch {
          pending.delete(id)
          return resume(Effect.fail(gone))
        }
        return Effect.sync(() => void pending.delete(id))
      }).pipe(
        Effect.timeoutOrElse({
          duration: waitMs,
          orElse: () =>
            Effect.fail(
              new GatewayError({
                code: "LINK_TIMEOUT",
                detail: `the OpenClaw gateway did not answer ${method} within ${waitMs / 1000} s; it may have done it all the same`
              })
            )
        })
      ),
    events: Effect.gen(function* () {
      const queue = yield* Queue.bounded<Held, GatewayError | Cause.Done>(GATEWAY_EVENTS_MAX)
      const subscriber: Subscriber = { queue, chars: 0 }
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          if (isOver) Queue.failCauseUnsafe(queue, Cause.fail(gone))
          else subscribers.add(subscriber)
        }),
        () => Effect.sync(() => void subscribers.delete(subscriber))
      )
      return Stream.map(Stream.fromQueue(queue), ({ chars, event }) => {
        subscriber.chars -= chars
        return event
      })
    })
  }
})
