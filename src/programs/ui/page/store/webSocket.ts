/**
 * The connection of the page: the control contract over a WebSocket, opened again when it is lost. What was asked meanwhile fails; what is
 * followed ends, and whoever follows begins again when the link is open.
 */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as RpcClient from "effect/rpc/RpcClient"
import { RpcClientError } from "effect/rpc/RpcClientError"
import * as RpcSerialization from "effect/rpc/RpcSerialization"
import * as Socket from "effect/socket/Socket"
import { PageRequests } from "../../../../schemas/control/Personal.ts"
import { AnswerLost, Unreachable, type Gateway, type Link } from "./Gateway.ts"

const RETRY_MIN_MS = 250
const RETRY_MAX_MS = 5_000

/** Fast at first, because a restart takes a second or two. */
export const retryMs = (failures: number): number => Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** (failures - 1))

export interface Door {
  /** The address of the WebSocket. */
  readonly url: string
  /** Whether the gateway answers but keeps this page out. */
  readonly isRefused: () => Promise<boolean>
}

/** Any request: the types are those of `Gateway`. */
type AnyClient = (tag: string, payload: unknown) => Effect.Effect<never, unknown> & Stream.Stream<never, unknown>

/** Why a request failed that was sent. The end of the connection interrupts those under way. */
const errorOf = (cause: Cause.Cause<unknown>): Error => {
  const error = Cause.squash(cause)
  if (Cause.hasInterruptsOnly(cause) || error instanceof RpcClientError) return new AnswerLost()
  return error instanceof Error
    ? error
    : new Error("The gateway could not do this: its log says why, or its version does not know this request.")
}

/** Ends when the connection does. `opened` gets the client as soon as it can be used. */
const session = Effect.fnUntraced(function* (url: string, opened: (client: AnyClient) => void) {
  const lost = yield* Deferred.make<void>()
  const connected = yield* Deferred.make<void>()
  const protocol = yield* RpcClient.makeProtocolSocket({ retryPolicy: Schedule.recurs(0) }).pipe(
    Effect.provideServiceEffect(Socket.Socket, Socket.makeWebSocket(url)),
    Effect.provideService(RpcSerialization.RpcSerialization, RpcSerialization.json),
    Effect.provideService(RpcClient.ConnectionHooks, {
      onConnect: Effect.asVoid(Deferred.succeed(connected, undefined)),
      onDisconnect: Effect.asVoid(Deferred.succeed(lost, undefined))
    }),
    Effect.provide(Socket.layerWebSocketConstructorGlobal)
  )
  const client = yield* RpcClient.make(PageRequests, { flatten: true, disableTracing: true }).pipe(
    Effect.provideService(RpcClient.Protocol, protocol)
  )
  yield* Effect.forkChild(
    Effect.andThen(
      Deferred.await(connected),
      Effect.sync(() => opened(client as unknown as AnyClient))
    )
  )
  yield* Deferred.await(lost)
}, Effect.scoped)

/** Runs until the page is closed. */
export const connect = ({ isRefused, url }: Door): Gateway => {
  const listeners = new Set<(link: Link) => void>()
  let link: Link = { state: "connecting" }
  let client: AnyClient | undefined
  let failures = 0
  let wake = () => {}

  const become = (next: Link) => {
    link = next
    for (const told of listeners) told(next)
  }
  const opened = (made: AnyClient) => {
    failures = 0
    client = made
    become({ state: "open" })
  }
  const woken = Effect.callback<void>((resume) => {
    wake = () => resume(Effect.void)
  })
  const life = Effect.gen(function* () {
    yield* session(url, opened)
    client = undefined
    const ms = retryMs(++failures)
    // First of all: a gateway that hangs does not say whether it refuses the page.
    become({ state: "lost", retryAt: Date.now() + ms })
    if (!(yield* Effect.promise(() => isRefused().catch(() => false)))) {
      return yield* Effect.raceFirst(woken, Effect.sleep(ms))
    }
    become({ state: "refused" })
    yield* woken
  })
  Effect.runFork(Effect.forever(life))

  return {
    ask: (tag, payload) =>
      client === undefined
        ? Promise.reject(new Unreachable())
        : Effect.runPromiseExit(client(tag, payload)).then((exit) => {
            if (Exit.isFailure(exit)) throw errorOf(exit.cause)
            return exit.value
          }),
    follow: (tag, payload, { each, end }) => {
      if (client === undefined) {
        end?.(new Unreachable())
        return () => {}
      }
      const items: Stream.Stream<never, unknown> = client(tag, payload)
      const fiber = Effect.runFork(
        Stream.runForEach(items, (item) => Effect.sync(() => each(item))).pipe(
          Effect.matchCause({
            onSuccess: () => end?.(),
            onFailure: (cause) => end?.(errorOf(cause))
          })
        )
      )
      return () => void Effect.runFork(Fiber.interrupt(fiber))
    },
    onLink: (told) => {
      listeners.add(told)
      told(link)
      return () => void listeners.delete(told)
    },
    retry: () => wake()
  }
}
