/**
 * Requests to addresses that a server supplied, through the guarded door. What an operator wrote may be anywhere that it
 * says; a server on this machine may name others on it, as one that is developed does.
 */
import { hostOf } from "../../schemas/Address.ts"
import { forbiddenHost, ownReach, suppliedReach, type OwnAddress } from "../../schemas/Reach.ts"
import type { NetworkGuard } from "../../services/NetworkGuard.ts"

export interface SuppliedOptions {
  readonly server: string
  /** Of the MCP server. */
  readonly url: URL
  readonly allowPrivate: boolean
  /** Further addresses that the operator wrote. */
  readonly written: ReadonlyArray<string>
  readonly connectTimeoutMs: number
  readonly guard: NetworkGuard["Service"]
}

export interface Supplied {
  /** One request over a connection of its own; the whole answer is there when it resolves. */
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>
  /** Status and headers alone: what follows may have no end. */
  readonly head: (url: string | URL, init?: RequestInit) => Promise<Response>
  /** The URL in a text, if it may be used, else what is wrong with it. */
  readonly check: (text: unknown) => URL | string
}

const isThisMachine = (url: URL): boolean => {
  const host = hostOf(url.hostname)
  return host.is === "localhost" || (host.is === "literal" && host.kind === "loopback")
}

const EMPTY: ReadonlySet<number> = new Set([204, 205, 304])

export const makeSupplied = (options: SuppliedOptions): Supplied => {
  const { allowPrivate, connectTimeoutMs, guard, server, url: own, written } = options
  const known = [own, ...written.map((text) => URL.parse(text)).filter((url) => url !== null)]

  const isNeighbour = (url: URL) => url.hostname === own.hostname || (isThisMachine(own) && isThisMachine(url))

  const ownFor = (url: URL): ReadonlyArray<OwnAddress> =>
    [...known, ...(isNeighbour(url) ? [url] : [])].map((each) => ({ url: each, allowPrivate }))

  const reachOf = (url: URL) => {
    const trusted = ownFor(url).find((address) => address.url.origin === url.origin)
    return trusted === undefined ? suppliedReach(url) : ownReach(trusted)
  }

  const once = async <A>(
    target: string | URL,
    init: RequestInit | undefined,
    use: (response: Response) => Promise<A>
  ): Promise<A> => {
    const door = guard.openSupplied({ server, own: ownFor(new URL(target)), connectTimeoutMs })
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
        return new Response(EMPTY.has(response.status) ? null : text, response)
      }),
    head: (target, init) =>
      once(target, init, async (response) => {
        await response.body?.cancel()
        return new Response(null, response)
      }),
    check: (text) => {
      const url = typeof text === "string" ? URL.parse(text) : null
      if (url === null) return "is no address"
      if (url.protocol !== "https:" && url.protocol !== "http:") return "is no https:// address"
      if (url.username !== "" || url.password !== "") return "holds a user name or a password"
      if (url.hash !== "") return "holds a fragment"
      const forbidden = forbiddenHost(reachOf(url), url)
      if (forbidden === undefined) return url
      return forbidden === "plaintext" ? "is no https:// address" : "leads where nothing may be sent"
    }
  }
}
