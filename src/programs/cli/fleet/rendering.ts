/** The nodes of a fleet as a table. */
import type { FleetValue } from "../../../schemas/control/FleetValue.ts"
import type { FleetNode } from "../../../schemas/fleet/Node.ts"
import { table } from "../../../schemas/content/Rendering.ts"

const HEAD = ["NODE", "STATE", "VERSION", "ADDRESS", "SESSIONS", "SERVERS", "CALLS", "SEEN"]

const SECOND_MS = 1000
const MINUTE_S = 60

const agoOf = (ms: number): string => {
  const seconds = Math.max(0, Math.round(ms / SECOND_MS))
  return seconds < MINUTE_S ? `${seconds} s ago` : `${Math.round(seconds / MINUTE_S)} min ago`
}

const rowOf = ({ address, load, name, seenAt, state, version }: FleetNode, self: string, now: number) => [
  name === self ? `${name} *` : name,
  state,
  version,
  address,
  String(load.sessions),
  String(load.servers),
  String(load.callsInFlight),
  agoOf(now - seenAt)
]

/** The node that answers has a star. */
export const fleetTable = ({ nodes, self }: FleetValue, now: number): string =>
  table([HEAD, ...nodes.map((node) => rowOf(node, self, now))])
