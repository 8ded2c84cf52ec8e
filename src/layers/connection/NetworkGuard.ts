/**
 * The guard of outgoing connections, on undici. It runs when a connection is made, so that a request on an existing connection costs nothing.
 * Proxies of the environment (HTTP_PROXY and the like) are not used: behind one, nobody knows which address is reached.
 */
import * as Layer from "effect/Layer"
import type { Duplex } from "node:stream"
import { Agent, fetch as undiciFetch, WebSocket } from "undici"
import { SOCKET_MESSAGE_MAX_FRAMES } from "../../schemas/defaults/Gateway.ts"
import {
  NetworkGuard,
  type GuardedFetch,
  type GuardedFetchOptions,
  type GuardedSocket,
  type SocketOptions
} from "../../services/connection/NetworkGuard.ts"
import { makeConnect, type Connect, type LookUp } from "./NetworkGuard/connect.ts"
import { inFrames } from "./NetworkGuard/frames.ts"
import { makeFraming } from "./NetworkGuard/framing.ts"
import { withinOrigin } from "./NetworkGuard/redirects.ts"
import { supplied } from "./NetworkGuard/fetchDocument.ts"

/** Replaces the look-up of names and the connecting, for tests. */
export interface Options {
  /** Finds the addresses of a name; the system's by default. */
  readonly lookUp?: LookUp | undefined
  /** Makes connections; undici's by default. */
  readonly connect?: Connect | undefined
}

/** The guard itself, for callers that compose no layers. */
export const make = (options: Options = {}): NetworkGuard["Service"] => {
  /** Errors of connections that were not made. */
  const unconnected = new WeakSet<object>()

  const open = ({ anyOrigin, connectTimeoutMs, own, server }: GuardedFetchOptions): GuardedFetch => {
    const framing = makeFraming()
    const agent = new Agent({
      connect: makeConnect({
        ...options,
        server,
        own,
        timeoutMs: connectTimeoutMs,
        unconnected,
        watch: framing.watch
      }),
      // Callers have their own deadlines, and a stream of events may be silent for any time.
      headersTimeout: 0,
      bodyTimeout: 0
    })
    const dispatcher = agent.compose(framing.interceptor)
    const fetchOnce = (url: string | URL, { body, headers, method, signal }: RequestInit = {}) =>
      undiciFetch(url, {
        method: method ?? "GET",
        headers: [...new Headers(headers).entries()],
        ...(typeof body === "string" || body instanceof URLSearchParams ? { body } : {}),
        ...(signal ? { signal } : {}),
        redirect: "manual",
        dispatcher
      })
    return { fetch: withinOrigin(server, fetchOnce, anyOrigin), close: () => agent.destroy() }
  }

  const openSocket = (socketOptions: SocketOptions): GuardedSocket => {
    const { connectTimeoutMs, maxBytes, onControl, own, server, url } = socketOptions
    const connect = makeConnect({ ...options, server, own, timeoutMs: connectTimeoutMs, unconnected })
    let failure: Error | undefined
    let connection: Duplex | undefined
    const agent = new Agent({
      connect: (target, callback) =>
        connect(target, (...outcome) => {
          failure = outcome[0] ?? undefined
          callback(...outcome)
        }),
      headersTimeout: connectTimeoutMs,
      bodyTimeout: 0,
      webSocket: { maxPayloadSize: maxBytes, maxFragments: SOCKET_MESSAGE_MAX_FRAMES }
    })
    const dispatcher = agent.compose(inFrames(onControl, (opened) => void (connection = opened)))
    return {
      socket: new WebSocket(url, { dispatcher }),
      failure: () => failure,
      close: async () => {
        // The agent does not close an upgraded connection.
        connection?.destroy()
        await agent.destroy()
      }
    }
  }

  return {
    open,
    openSocket,
    openSupplied: (doorOptions) => supplied(open(doorOptions)),
    neverSent: (error) => {
      const cause = error instanceof Error ? error.cause : undefined
      return [error, cause].some((each) => typeof each === "object" && each !== null && unconnected.has(each))
    }
  }
}

/** The guard on undici. It runs when a connection is made; proxies of the environment are not used. */
export const layer = (options: Options = {}): Layer.Layer<NetworkGuard> =>
  Layer.sync(NetworkGuard, () => NetworkGuard.of(make(options)))
