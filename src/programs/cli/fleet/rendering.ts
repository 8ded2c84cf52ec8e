/** The nodes of a fleet, and where its servers live, as tables. */
import { stateWords } from "../../../schemas/connection/ServerState.ts"
import type { FleetValue } from "../../../schemas/control/FleetValue.ts"
import type { ServerAtNode } from "../../../schemas/control/NodesValue.ts"
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

const SERVERS_HEAD = ["SERVER", "NODE", "STATE", "PID", "CALLS"]

/** Where each server lives; one that moves has no node. */
export const homesTable = (servers: ReadonlyArray<ServerAtNode>): string =>
  table([
    SERVERS_HEAD,
    ...servers.map(({ figures: { status }, node, server }) => [
      server,
      status.node === null ? "(moving)" : node,
      stateWords(status),
      status.pid === null ? "-" : String(status.pid),
      String(status.inFlight ?? 0)
    ])
  ])
