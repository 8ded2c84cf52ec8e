/** Where an OpenClaw gateway is, and what opens it. */
import * as Result from "effect/Result"
import { createHash } from "node:crypto"
import { hostOf } from "../connection/Address.ts"
import type { OwnAddress } from "../connection/Reach.ts"

export interface GatewayAddress {
  /** `ws://` or `wss://`. */
  readonly url: string
  /** May hold `secret://` references. */
  readonly token?: string | undefined
  /** Where the token was written, in words. */
  readonly tokenFrom?: string | undefined
  /** A file with the token in it, instead. */
  readonly tokenFile?: string | undefined
  /** Whether `ws://` may lead to addresses that are private, where others may listen. Never to public ones. */
  readonly allowPrivate?: boolean | undefined
}

export interface ConfiguredGateway {
  readonly address: GatewayAddress
  /** What stands in the way of using it. */
  readonly problem: string | undefined
}

/** What a configuration says. */
export interface ConfiguredGateways {
  /** Only where OpenClaw itself would take the remote one: with `gateway.mode: "remote"`. */
  readonly remote: ConfiguredGateway | undefined
  /** The one on this machine. */
  readonly local: ConfiguredGateway
  /** Whether the file is that of a gateway, which then has the servers in it itself. */
  readonly isGatewaysOwn: boolean
}

export interface GatewayUrl {
  readonly url: URL
  /** Whether it is on this machine. */
  readonly local: boolean
  /** As it is judged when it is connected to. */
  readonly own: OwnAddress
}

const isLocal = (url: URL): boolean => {
  const host = hostOf(url.hostname)
  return host.is === "localhost" || (host.is === "literal" && host.kind === "loopback")
}

/** Fails with a sentence that does not repeat the URL: there may be a password in it. */
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
    return Result.fail("ws:// sends the token in plain text and is for this machine alone: use wss://")
  }
  url.hash = ""
  const web = new URL(url)
  web.protocol = isPlain ? "http:" : "https:"
  // Who wrote a wss:// address meant what it names, in whichever network that is.
  return Result.succeed({ url, local, own: { url: new URL(web.href), allowPrivate: allowPrivate || !isPlain } })
}

const HASH_CHARS = 16

/**
 * The same for every spelling of one gateway's address, and without a secret in it: what may be one, behind the host, is a hash.
 * What is no address is a hash, too.
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
