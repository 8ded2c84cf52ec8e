/**
 * Requests to addresses that a server supplied, through the network guard. Addresses of the configuration may be private. A server on this
 * machine may name other addresses on it, as servers in development do.
 */
import {
  AUTHORIZATION_ANSWER_BOUNDS,
  AUTHORIZATION_ANSWER_MAX_CHARS,
  METADATA_ADDRESS_MAX_CHARS
} from "../../../schemas/defaults/Authorization.ts"
import { hostOf } from "../../../schemas/connection/Address.ts"
import { textWithinBounds } from "../../../schemas/connection/JsonBounds.ts"
import { forbiddenHost, ownReach, suppliedReach, type OwnAddress } from "../../../schemas/connection/Reach.ts"
import type { NetworkGuard } from "../../../services/connection/NetworkGuard.ts"

export interface SuppliedOptions {
  readonly server: string
  /** The address of the MCP server. */
  readonly url: URL
  readonly allowPrivate: boolean
  /** More addresses of the configuration. They may be private, whether or not that of the server is. */
  readonly written: ReadonlyArray<string>
  readonly connectTimeoutMs: number
  readonly guard: NetworkGuard["Service"]
}

export interface Supplied {
  /**
   * One request over a connection of its own; resolves with the whole answer. Rejects with `AnswerTooLarge` if a parser would build too much
   * of it.
   */
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>
  /** Status and headers only: the body may never end. */
  readonly head: (url: string | URL, init?: RequestInit) => Promise<Response>
  /** The URL in a text if it is allowed, else what is wrong with it. */
  readonly check: (text: unknown) => URL | string
  /** The same for an address that the MCP server chose: it may not use the private addresses of the configuration. */
  readonly checkOwn: (text: unknown) => URL | string
}

const isThisMachine = (url: URL): boolean => {
  const host = hostOf(url.hostname)
  return host.is === "localhost" || (host.is === "literal" && host.kind === "loopback")
}

/** JSON that is not parsed, because it contains too much. */
export class AnswerTooLarge extends Error {
  constructor() {
    super("the answer is too large, nested too deep, or holds too much")
  }
}

/** A parser builds nothing from text that does not begin as JSON, such as a page. */
const isBuildable = (text: string): boolean =>
  !/^\s*[[{]/.test(text) ||
  (text.length <= AUTHORIZATION_ANSWER_MAX_CHARS && textWithinBounds(text, AUTHORIZATION_ANSWER_BOUNDS))

const EMPTY: ReadonlySet<number> = new Set([204, 205, 304])

export const makeSupplied = (options: SuppliedOptions): Supplied => {
  const { allowPrivate, connectTimeoutMs, guard, server, url: own, written } = options
  const isNeighbour = (url: URL) => url.hostname === own.hostname || (isThisMachine(own) && isThisMachine(url))

  const ofServer = (url: URL): ReadonlyArray<OwnAddress> =>
    [own, ...(isNeighbour(url) ? [url] : [])].map((each) => ({ url: each, allowPrivate }))
  const ofOperator: ReadonlyArray<OwnAddress> = written
    .map((text) => URL.parse(text))
    .filter((url) => url !== null)
    .map((url) => ({ url, allowPrivate: true }))
  // The wider permission first: the issuer may be at the address of the server.
  const ofBoth = (url: URL) => [...ofOperator, ...ofServer(url)]

  const checkWithin =
    (openFor: (url: URL) => ReadonlyArray<OwnAddress>) =>
    (text: unknown): URL | string => {
      if (typeof text === "string" && text.length > METADATA_ADDRESS_MAX_CHARS) return "is too long"
      const url = typeof text === "string" ? URL.parse(text) : null
      if (url === null) return "is not an address"
      if (url.protocol !== "https:" && url.protocol !== "http:") return "is not an https:// address"
      if (url.username !== "" || url.password !== "") return "holds a user name or a password"
      if (url.hash !== "") return "holds a fragment"
      const trusted = openFor(url).find((address) => address.url.origin === url.origin)
      const forbidden = forbiddenHost(trusted === undefined ? suppliedReach(url) : ownReach(trusted), url)
      if (forbidden === undefined) return url
      return forbidden === "plaintext" ? "is not an https:// address" : "leads where nothing may be sent"
    }

  const once = async <A>(
    target: string | URL,
    init: RequestInit | undefined,
    use: (response: Response) => Promise<A>
  ): Promise<A> => {
    const door = guard.openSupplied({ server, own: ofBoth(new URL(target)), connectTimeoutMs })
    try {
      return await use(await door.fetch(target, init))
    } finally {
      await door.close()
    }
  }

  return {
    fetch: (target, init) =>
      once(target, init, async (response) => {
        const text = await response.text()
        if (!isBuildable(text)) throw new AnswerTooLarge()
        return new Response(EMPTY.has(response.status) ? null : text, response)
      }),
    head: (target, init) =>
      once(target, init, async (response) => {
        await response.body?.cancel()
        return new Response(null, response)
      }),
    check: checkWithin(ofBoth),
    checkOwn: checkWithin(ofServer)
  }
}
