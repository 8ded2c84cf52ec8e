/**
 * Classifies an address as public, or as one of the many kinds that are not. An IPv4 address within an IPv6 one is judged too, and so are
 * names that have a fixed meaning. Parsing is left to Effect and to the URL parser. The ranges are our own: Effect tells private and local
 * addresses, but not those of clouds, nor the other special ranges.
 */
import * as NetAddress from "effect/net/NetAddress"
import * as Result from "effect/Result"

/** `metadata`: where a cloud gives its machines credentials. `unreadable`: no address at all. */
export type AddressKind =
  | "public"
  | "loopback"
  | "private"
  | "linkLocal"
  | "shared"
  | "uniqueLocal"
  | "multicast"
  | "broadcast"
  | "unspecified"
  | "documentation"
  | "benchmarking"
  | "reserved"
  | "metadata"
  | "unreadable"

type Bytes = ReadonlyArray<number>
type Range = readonly [bytes: Bytes, bits: number, kind: AddressKind]

/** The bytes of dotted decimals or of an IPv6 address. Shorter and octal notations mean different things to different readers. */
const bytesOf = (text: string): Bytes | undefined => {
  const address = Result.getOrUndefined(NetAddress.ipFromString(text))
  if (address === undefined) return undefined
  return NetAddress.isIpv4Address(address) ? NetAddress.ipv4ToOctets(address) : NetAddress.ipv6ToOctets(address)
}

const ranges = (table: ReadonlyArray<readonly [cidr: string, kind: AddressKind]>): ReadonlyArray<Range> =>
  table.map(([cidr, kind]) => {
    const [address = "", bits] = cidr.split("/")
    return [bytesOf(address)!, Number(bits), kind]
  })

/** IANA's registry of special IPv4 addresses; the first match counts. */
const IPV4 = ranges([
  // AWS, Google, Azure, Oracle and most others; then AWS for containers, Tencent, Scaleway, Alibaba, Azure's host, Oracle.
  ["169.254.169.254/32", "metadata"],
  ["169.254.170.2/32", "metadata"],
  ["169.254.170.23/32", "metadata"],
  ["169.254.0.23/32", "metadata"],
  ["169.254.42.42/32", "metadata"],
  ["100.100.100.200/32", "metadata"],
  ["168.63.129.16/32", "metadata"],
  ["192.0.0.192/32", "metadata"],
  ["0.0.0.0/8", "unspecified"],
  ["10.0.0.0/8", "private"],
  ["100.64.0.0/10", "shared"],
  ["127.0.0.0/8", "loopback"],
  ["169.254.0.0/16", "linkLocal"],
  ["172.16.0.0/12", "private"],
  ["192.0.0.0/24", "reserved"],
  ["192.0.2.0/24", "documentation"],
  ["192.88.99.0/24", "reserved"],
  ["192.168.0.0/16", "private"],
  ["198.18.0.0/15", "benchmarking"],
  ["198.51.100.0/24", "documentation"],
  ["203.0.113.0/24", "documentation"],
  ["224.0.0.0/4", "multicast"],
  ["255.255.255.255/32", "broadcast"],
  ["240.0.0.0/4", "reserved"],
  ["0.0.0.0/0", "public"]
])

/** The same for IPv6, of which only 2000::/3 is in use; of what embeds an IPv4 address that one is judged. */
const IPV6 = ranges([
  ["fd00:ec2::254/128", "metadata"],
  ["fd00:ec2::23/128", "metadata"],
  ["fd20:ce::254/128", "metadata"],
  ["fd00:42::42/128", "metadata"],
  ["fe80::a9fe:a9fe/128", "metadata"],
  ["::/128", "unspecified"],
  ["::1/128", "loopback"],
  ["::ffff:0:0/96", "public"],
  ["::ffff:0:0:0/96", "public"],
  ["64:ff9b::/96", "public"],
  ["2001::/32", "public"],
  ["2001:2::/48", "benchmarking"],
  ["2001::/23", "reserved"],
  ["2001:db8::/32", "documentation"],
  ["3fff::/20", "documentation"],
  ["2000::/3", "public"],
  ["fc00::/7", "uniqueLocal"],
  ["fe80::/10", "linkLocal"],
  ["fec0::/10", "private"],
  ["ff00::/8", "multicast"],
  ["::/0", "reserved"]
])

const isWithin = (bytes: Bytes, [prefix, bits]: Range): boolean => {
  const whole = bits >> 3
  for (let i = 0; i < whole; i++) if (bytes[i] !== prefix[i]) return false
  const rest = bits & 7
  return rest === 0 || bytes[whole]! >> (8 - rest) === prefix[whole]! >> (8 - rest)
}

const lookUp = (bytes: Bytes): AddressKind =>
  (bytes.length === 4 ? IPV4 : IPV6).find((range) => isWithin(bytes, range))?.[2] ?? "reserved"

const startsWith = (bytes: Bytes, ...start: ReadonlyArray<number>): boolean =>
  start.every((byte, index) => bytes[index] === byte)

const ZEROES = Array.from({ length: 8 }, () => 0)
const isMapped = (bytes: Bytes): boolean => startsWith(bytes, ...ZEROES, 0, 0, 0xff, 0xff)

/** IPv4 addresses that an IPv6 address leads to. */
const embeddedIn = (bytes: Bytes): ReadonlyArray<Bytes> => {
  const last = bytes.slice(12)
  // Mapped, translated (RFC 6145), compatible (deprecated), NAT64 (RFC 6052).
  if (isMapped(bytes) || startsWith(bytes, ...ZEROES, 0xff, 0xff, 0, 0) || startsWith(bytes, ...ZEROES, 0, 0, 0, 0)) {
    return [last]
  }
  if (startsWith(bytes, 0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0)) return [last]
  const found: Array<Bytes> = []
  // 6to4
  if (startsWith(bytes, 0x20, 0x02)) found.push(bytes.slice(2, 6))
  // Teredo: its server, and the client with all bits turned.
  const turned = Array.from(last, (byte) => byte ^ 0xff)
  if (startsWith(bytes, 0x20, 0x01, 0, 0)) found.push(bytes.slice(4, 8), turned)
  // ISATAP, behind any prefix
  if (startsWith(bytes.slice(9), 0, 0x5e, 0xfe) && (bytes[8] === 0 || bytes[8] === 2)) found.push(last)
  return found
}

/** An address in a costume is not this machine, whatever it looks like: only a mapped one is taken as it is by the system. */
const kindOfEmbedded = (outer: Bytes, inner: Bytes): AddressKind => {
  const kind = lookUp(inner)
  return kind === "loopback" && !isMapped(outer) ? "reserved" : kind
}

const kindOfBytes = (bytes: Bytes): AddressKind => {
  const own = lookUp(bytes)
  if (bytes.length === 4 || own === "loopback" || own === "unspecified") return own
  const embedded = embeddedIn(bytes).map((inner) => kindOfEmbedded(bytes, inner))
  if (embedded.includes("metadata")) return "metadata"
  return own === "public" ? (embedded.find((kind) => kind !== "public") ?? own) : own
}

/** An IP address as sockets and look-ups give it, also with a zone. */
export const kindOfAddress = (text: string): AddressKind => {
  const bytes = bytesOf(text.replace(/%.*$/s, ""))
  return bytes === undefined ? "unreadable" : kindOfBytes(bytes)
}

/**
 * What the host of a URL is. `literal`: an address. `localhost`: this machine by name (RFC 6761). `local`: a name that has
 * a meaning only in the network that one is in. `name`: any other, of which a look-up tells more.
 */
export type Host =
  | { readonly is: "literal"; readonly kind: AddressKind }
  | { readonly is: "localhost" | "local" | "metadata" | "name" | "unreadable" }

const METADATA_NAMES: ReadonlySet<string> = new Set([
  "metadata",
  "metadata.google.internal",
  "metadata.goog",
  "metadata.azure.internal",
  "metadata.tencentyun.com",
  "metadata.platformequinix.com",
  "instance-data",
  "instance-data.ec2.internal"
])
const LOCAL_SUFFIXES = [".local", ".internal", ".localdomain", ".home.arpa", ".intranet", ".lan"]

/** The host as the URL parser has it: numbers of any notation are dotted, letters of any width are small ASCII. */
const parsedHost = (host: string): string | undefined => {
  const bare = host.replace(/^\[(.*)\]$/s, "$1")
  const text = bare.includes(":") ? `[${bare.replace(/%.*$/s, "")}]` : bare
  // Nothing but a host, or the parser would find one in another place.
  if (text === "" || /[/\\?#@\s]/.test(text)) return undefined
  return URL.parse(`http://${text}`)?.hostname
}

export const hostOf = (host: string): Host => {
  const parsed = parsedHost(host)
  if (parsed === undefined || parsed === "") return { is: "unreadable" }
  const address = parsed.replace(/^\[(.*)\]$/, "$1")
  const kind = kindOfAddress(address)
  if (kind !== "unreadable") return { is: "literal", kind }
  const name = parsed.replace(/\.+$/, "")
  if (name === "localhost" || name.endsWith(".localhost")) return { is: "localhost" }
  if (METADATA_NAMES.has(name)) return { is: "metadata" }
  return { is: LOCAL_SUFFIXES.some((suffix) => name.endsWith(suffix)) ? "local" : "name" }
}
