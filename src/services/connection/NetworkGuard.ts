/** The only way to the network: which addresses are contacted, and who named them. */
import * as Context from "effect/Context"
import type { Response as UndiciResponse, WebSocket } from "undici"
import type { OwnAddress } from "../../schemas/connection/Reach.ts"

/** Whom the connections are for, and which addresses they may reach. */
export interface GuardedFetchOptions {
  /** The server that the connections are for, named in errors. */
  readonly server: string
  /**
   * The addresses that the operator wrote. A URL of one of these origins may reach what that address allows. Any other URL came from
   * a server, and may reach only public addresses over https://.
   */
  readonly own: ReadonlyArray<OwnAddress>
  readonly connectTimeoutMs: number
  /**
   * Redirects may lead to other origins, which are judged like any address that a server supplied. For downloads without credentials whose
   * digest is known.
   */
  readonly anyOrigin?: boolean | undefined
}

/** Connections for one server. The caller that opens it closes it. */
export interface GuardedFetch {
  /**
   * The `fetch` of undici, over connections of its own. Names are looked up once; each address is judged before the connection is made
   * and again when it is open. A name with one forbidden address is not contacted at all. Certificates are always checked. Redirects
   * are followed within the origin, three at most, and only if that repeats the same request. Rejects with `AddressBlocked` (as the
   * cause) or `RedirectBlocked`; then nothing was sent to that address. Bodies are not bounded.
   */
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<UndiciResponse>
  /** Closes all connections. */
  readonly close: () => Promise<void>
}

/** For single documents at addresses that a server supplied, such as the metadata of OAuth. */
export interface GuardedDownloads {
  /** Fetches one document from an address that a server supplied, with a bounded body and time. */
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>
  readonly close: () => Promise<void>
}

export interface SocketOptions extends GuardedFetchOptions {
  /** `ws:` or `wss:`; judged like the same `http:` or `https:` URL. */
  readonly url: URL
  /** The limit of one message; a longer one ends the connection. */
  readonly maxBytes: number
  /** Called for each ping, pong and close, before it is answered. */
  readonly onControl: () => void
}

export interface GuardedSocket {
  readonly socket: WebSocket
  /** Why no connection was made; the socket itself does not say. */
  readonly failure: () => Error | undefined
  /** Closes the connection at once, even if the other side does not answer. */
  readonly close: () => Promise<void>
}

/**
 * The only way to the network. Each address is judged before it is connected to: an address that a server named must not be a
 * private one.
 */
export class NetworkGuard extends Context.Service<
  NetworkGuard,
  {
    /** Opens connections for a server. The caller closes them. */
    readonly open: (options: GuardedFetchOptions) => GuardedFetch
    /** The same for small documents from any address, such as the metadata of OAuth. */
    readonly openSupplied: (options: GuardedFetchOptions) => GuardedDownloads
    /**
     * A WebSocket over a connection that is judged like all others, read a few frames per turn. Redirects are not followed, and
     * nothing is compressed.
     */
    readonly openSocket: (options: SocketOptions) => GuardedSocket
    /** Whether a request failed before there was a connection for it. */
    readonly neverSent: (error: unknown) => boolean
  }
>()("mcp-live/services/NetworkGuard") {}
