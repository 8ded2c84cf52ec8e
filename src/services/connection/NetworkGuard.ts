/** The one door to the network: who is contacted, by whose word. */
import * as Context from "effect/Context"
import type { Response as UndiciResponse, WebSocket } from "undici"
import type { OwnAddress } from "../../schemas/connection/Reach.ts"

/** For whom a `Door` is, and which addresses it may reach. */
export interface GuardedFetchOptions {
  /** For whom; stands in errors. */
  readonly server: string
  /**
   * What the operator wrote. A URL of one of these origins reaches what that address opens; every other URL came from a
   * server, and reaches public addresses over https:// and nothing else.
   */
  readonly own: ReadonlyArray<OwnAddress>
  readonly connectTimeoutMs: number
}

/** Connections for one server. Whoever opens it closes it. */
export interface GuardedFetch {
  /**
   * undici's, over connections of its own. Each is made to an address that was judged after the one look-up that found
   * it, and is judged again when it is there; a name that has a single address that must not be reached is not contacted
   * at all. Certificates are checked, whatever the environment says. Redirects are followed within the origin, three at
   * most, and only where that repeats the request. Rejects with `AddressBlocked` (as the cause) or `RedirectBlocked`; then
   * nothing was sent there. Bodies are not bounded.
   */
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<UndiciResponse>
  /** Ends every connection. */
  readonly close: () => Promise<void>
}

/** For single documents at addresses that a server supplied, such as the metadata of OAuth. */
export interface GuardedDownloads {
  /** The same for one document at an address that a server supplied: its body has a bound, and all of it a time. */
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>
  readonly close: () => Promise<void>
}

export interface SocketOptions extends GuardedFetchOptions {
  /** `ws:` or `wss:`; judged as the `http:` or `https:` URL of the same name. */
  readonly url: URL
  /** Of one message; a longer one ends the connection. */
  readonly maxBytes: number
  /** Is told of each ping, pong and farewell, before it is answered. */
  readonly onControl: () => void
}

export interface GuardedSocket {
  readonly socket: WebSocket
  /** Why no connection came about; the socket itself does not say. */
  readonly failure: () => Error | undefined
  /** At once, also where the other side says no farewell. */
  readonly close: () => Promise<void>
}

/**
 * The one way to the network. Each address that is connected to is judged: one that a server named may not be a
 * private one.
 */
export class NetworkGuard extends Context.Service<
  NetworkGuard,
  {
    /** Whoever opens a door closes it. */
    readonly open: (options: GuardedFetchOptions) => GuardedFetch
    /** A door for what is small and comes from anywhere, such as the metadata and endpoints of OAuth. */
    readonly openSupplied: (options: GuardedFetchOptions) => GuardedDownloads
    /**
     * A WebSocket over a connection that is judged as every other one, read a few frames a turn. Redirects are not followed, and
     * nothing is compressed.
     */
    readonly openSocket: (options: SocketOptions) => GuardedSocket
    /** Whether a request failed before there was a connection to send it on. */
    readonly neverSent: (error: unknown) => boolean
  }
>()("mcp-live/services/NetworkGuard") {}
