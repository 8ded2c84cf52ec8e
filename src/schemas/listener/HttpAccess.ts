/** Where a door over HTTP is, by which names it is asked for, and which pages may ask: what is wrong with what somebody wrote. */
import { kindOfAddress } from "../connection/Address.ts"
import { DOOR_NAME_MAX_CHARS } from "../defaults/Listener.ts"

type Fault = string | undefined

/** Nothing but this machine reaches it. */
export const isLoopback = (address: string): boolean => kindOfAddress(address) === "loopback"

export const addressFault = (text: string): Fault =>
  kindOfAddress(text) === "unreadable" || text.includes("%")
    ? 'must be an address of this machine, such as "127.0.0.1", "192.168.1.2" or "::1"; "0.0.0.0" and "::" are all of them'
    : undefined

const HOST = /^(?:\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?)(?::\d{1,5})?$/i

/** As a `Host` header has it; one without a port is meant with any. */
export const hostFault = (text: string): Fault =>
  text.length <= DOOR_NAME_MAX_CHARS && HOST.test(text)
    ? undefined
    : 'must be a name as in a URL, such as "mcp.example.com" or "mcp.example.com:8443"'

const originIn = (text: string): string | undefined => {
  try {
    const { origin, protocol } = new URL(text)
    return protocol === "https:" || protocol === "http:" ? origin : undefined
  } catch {
    return undefined
  }
}

/** As an `Origin` header has it. */
export const originFault = (text: string): Fault => {
  if (text.includes("*")) {
    return 'must name one origin, such as "https://app.example.com": with "*" any page that somebody opens could ask here'
  }
  const origin = text.length <= DOOR_NAME_MAX_CHARS ? originIn(text) : undefined
  if (origin === text) return undefined
  return origin === undefined
    ? 'must be an origin, such as "https://app.example.com"'
    : `must be an origin and nothing else: ${origin}`
}
