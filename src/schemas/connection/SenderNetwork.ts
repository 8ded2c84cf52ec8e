/** Which addresses count as one sender, wherever something is limited for each sender. */
import * as NetAddress from "effect/net/NetAddress"
import * as Result from "effect/Result"

/** Of IPv6, one customer has all addresses that begin with these bytes. */
const NETWORK_BYTES = 8
const MAPPED = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]

/**
 * What one sender has: an IPv4 address (also where it is written as `::ffff:192.0.2.1`), or the /64 of an IPv6 address, such as
 * `2001:db8:1:2::/64`. What is no address stays as it is.
 */
export const networkOf = (address: string): string => {
  if (!address.includes(":")) return address
  const found = Result.getOrUndefined(NetAddress.ipFromString(address.replace(/%.*$/s, "")))
  if (found === undefined || NetAddress.isIpv4Address(found)) return address
  const bytes = NetAddress.ipv6ToOctets(found)
  if (MAPPED.every((byte, i) => byte === bytes[i])) return bytes.slice(MAPPED.length).join(".")
  const groups = Array.from({ length: NETWORK_BYTES / 2 }, (_, i) => (bytes[2 * i]! << 8) | bytes[2 * i + 1]!)
  return `${groups.map((group) => group.toString(16)).join(":")}::/64`
}
