/** The address and token of an OpenClaw gateway. */
import * as Result from "effect/Result"
import { createHash } from "node:crypto"
import { hostOf } from "../connection/Address.ts"
import type { OwnAddress } from "../connection/Reach.ts"

export interface GatewayAddress {
  /** `ws://` or `wss://`. */
  readonly url: string
  /** May contain `secret://` references. */
  readonly token?: string | undefined
  /** Where the token was written, in words. */
  readonly tokenFrom?: string | undefined
  /** A file with the token, instead of `token`. */
  readonly tokenFile?: string | undefined
  /** Whether `ws://` may lead to private addresses, where others may listen. It never may lead to public ones. */
  readonly allowPrivate?: boolean | undefined
}

export interface ConfiguredGateway {
  readonly address: GatewayAddress
  /** Why it cannot be used. */
  readonly problem: string | undefined
}

/** The gateways of a configuration. */
export interface ConfiguredGateways {
  /** Set only where OpenClaw itself would use the remote one: with `gateway.mode: "remote"`. */
  readonly remote: ConfiguredGateway | undefined
  /** The gateway on this machine. */
  readonly local: ConfiguredGateway
  /** Whether the file belongs to a gateway, which then has the servers of the file itself. */
  readonly isGatewaysOwn: boolean
}

export interface GatewayUrl {
  readonly url: URL
  /** Whether it is on this machine. */
  readonly local: boolean
  /** The address for the check at the connection. */
  readonly own: OwnAddress
}

const isLocal = (url: URL): boolean => {
  const host = hostOf(url.hostname)
  return host.is === "localhost" || (host.is === "literal" && host.kind === "loopback")
}

/** Fails with a sentence that does not repeat the URL, which may contain a password. */
export const readGatewayUrl = ({
  allowPrivate = false,
  url: text
}: Pick<GatewayAddress, "url" | "allowPrivate">): Result.Result<GatewayUrl, string> => {
  if (!URL.canParse(text)) return Result.fail("its url must be a ws:// or wss:// address")
  const url = new URL(text)
  if (url.protocol !== "ws:" && url.protocol !== "wss:") {
    return Result.fail("its url must be a ws:// or wss:// address")
  }
  if (url.username !== "" || url.password !== "") return Result.fail("its url must not hold a name or a password")
  const local = isLocal(url)
  const isPlain = url.protocol === "ws:"
  if (isPlain && !local && !allowPrivate) {
    return Result.fail("ws:// sends the token in plain text and is for this machine only: use wss://")
  }
  url.hash = ""
  const web = new URL(url)
  web.protocol = isPlain ? "http:" : "https:"
  // A wss:// address is explicit, so it may be in any network.
  return Result.succeed({ url, local, own: { url: new URL(web.href), allowPrivate: allowPrivate || !isPlain } })
}

const HASH_CHARS = 16

/**
 * The same for every spelling of a gateway's address, and without secrets: what follows the host is hashed, because it may be
 * one. So is a text that is not a URL.
 */
export const placeOf = ({ url: text }: Pick<GatewayAddress, "url">): string => {
  const hashed = (rest: string) => createHash("sha256").update(rest).digest("hex").slice(0, HASH_CHARS)
  const read = readGatewayUrl({ url: text, allowPrivate: true })
  if (Result.isFailure(read)) return hashed(text)
  const { local, url } = read.success
  const port = url.port === "" ? "" : `:${url.port}`
  const rest = `${url.pathname}${url.search}`
  return `${url.protocol}//${local ? "localhost" : url.hostname}${port}${rest === "/" ? "" : `/${hashed(rest)}`}`
}
