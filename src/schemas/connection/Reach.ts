/**
 * Which addresses may be reached. An operator's own address may reach what it names; a URL from a server may reach only public addresses.
 * This is judged three times: by the URL before a look-up, by each address of a look-up, and by the address that a socket is connected
 * to.
 */
import { hostOf, type AddressKind } from "./Address.ts"

/** An address that an operator wrote. */
export interface OwnAddress {
  readonly url: URL
  /** It may lead to addresses that are not public. */
  readonly allowPrivate: boolean
  /** It must not lead to this machine, even with `allowPrivate`. */
  readonly denyLoopback?: boolean | undefined
}

/** The kinds of addresses that one URL may lead to. */
export interface Reach {
  readonly public: boolean
  readonly loopback: boolean
  readonly unspecified: boolean
  /** All other addresses that are not public, except for metadata services. */
  readonly private: boolean
  readonly metadata: boolean
}

/** A forbidden target of a URL: a kind of address, or a name that belongs to one. */
export type Forbidden = Exclude<AddressKind, "public"> | "localName" | "plaintext"

/** The reach of an operator's own address. `http://` may reach only this machine and, with `allowPrivate`, private networks. */
export const ownReach = ({ allowPrivate, denyLoopback = false, url }: OwnAddress): Reach => {
  const host = hostOf(url.hostname)
  const isLoopback = host.is === "localhost" || (host.is === "literal" && host.kind === "loopback")
  return {
    public: url.protocol === "https:",
    loopback: !denyLoopback && (allowPrivate || isLoopback),
    // 0.0.0.0 and :: are this machine, too.
    unspecified: !denyLoopback && allowPrivate,
    private: allowPrivate,
    metadata: allowPrivate && host.is === "literal" && host.kind === "metadata"
  }
}

/** The reach of a URL that came from a server. */
export const suppliedReach = (url: URL): Reach => ({
  public: url.protocol === "https:",
  loopback: false,
  unspecified: false,
  private: false,
  metadata: false
})

/** Why an address must not be reached; `undefined` if it may be. */
export const forbiddenKind = (reach: Reach, kind: AddressKind): Forbidden | undefined => {
  switch (kind) {
    case "public":
      return reach.public ? undefined : "plaintext"
    case "loopback":
      return reach.loopback ? undefined : kind
    case "unspecified":
      return reach.unspecified ? undefined : kind
    case "metadata":
      return reach.metadata ? undefined : kind
    case "unreadable":
      return kind
    default:
      return reach.private ? undefined : kind
  }
}

/** The same for the host of a URL, as far as it is known without a look-up. */
export const forbiddenHost = (reach: Reach, { hostname }: URL): Forbidden | undefined => {
  const host = hostOf(hostname)
  switch (host.is) {
    case "literal":
      return forbiddenKind(reach, host.kind)
    case "localhost":
      return reach.loopback ? undefined : "loopback"
    case "local":
      return reach.private ? undefined : "localName"
    case "metadata":
      return "metadata"
    case "unreadable":
      return "unreadable"
    default:
      return reach.public || reach.private ? undefined : "plaintext"
  }
}

const WORDS: Readonly<Record<Forbidden, string>> = {
  loopback: "this machine",
  private: "a private address",
  linkLocal: "a link-local address",
  shared: "an address of a carrier's network",
  uniqueLocal: "a private address",
  multicast: "a multicast address",
  broadcast: "a broadcast address",
  unspecified: "the address 0.0.0.0 or ::",
  documentation: "an address for documentation only",
  benchmarking: "an address for measurements only",
  reserved: "a reserved address",
  metadata: "an address where a cloud hands out credentials",
  unreadable: "no address that can be read",
  localName: "a name of the local network",
  plaintext: "a public address without https://"
}

/** What an error says about it, and whether the operator can allow it. */
export const blockedWords = (
  forbidden: Forbidden,
  own?: Pick<OwnAddress, "denyLoopback">
): { readonly leadsTo: string; readonly openable: boolean } => ({
  leadsTo: WORDS[forbidden],
  openable:
    !(own?.denyLoopback === true && (forbidden === "loopback" || forbidden === "unspecified")) &&
    forbidden !== "metadata" &&
    forbidden !== "unreadable" &&
    forbidden !== "plaintext"
})
