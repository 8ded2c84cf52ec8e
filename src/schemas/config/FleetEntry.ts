/** Checks `fleet` after its keys are decoded: what must be there, and its secrets. */
import { isObject } from "../data/Json.ts"
import { FLEET, type FleetConfig, isReachable } from "../fleet/FleetConfig.ts"
import { warnOfPlaintext } from "./Credentials.ts"
import { expandKeys } from "./ExpandedKeys.ts"
import { member } from "./Fields.ts"
import type { KeyPath } from "./KeyPath.ts"
import type { Report, WholeReport } from "./Report.ts"
import { refuseMask, resolveText, type Surroundings } from "./Resolve.ts"
import { type Place, readSection } from "./Sections.ts"

const credential = (
  report: Report,
  { env }: Surroundings,
  path: KeyPath,
  value: unknown,
  isPlainSecret: (text: string) => boolean
): string => {
  if (typeof value !== "string") return ""
  const written = { path, value }
  if (isPlainSecret(value)) warnOfPlaintext(report, written)
  const resolved = resolveText(report, env, true, written)
  refuseMask(report, resolved, "secret")
  return resolved.text
}

const hasPassword = (url: string): boolean => /^[a-z]+:\/\/[^/@]*:[^/@]+@/i.test(url)

/** What is of this node alone: usually from its environment, so that all nodes have the same file. */
const OF_THE_NODE = ["name", "listen", "advertise"]

export const readFleet = (
  report: WholeReport,
  context: Surroundings,
  place: Place | undefined
): FleetConfig | undefined => {
  if (place === undefined) return undefined
  const { path, value } = place
  const node = report.ofPart()
  const section = readSection(report, FLEET, expandKeys(node, context.env, place, OF_THE_NODE))
  const { advertise, connections, idempotent, keepDays, listen = "", name, sessions } = section
  if (!isObject(value)) return undefined
  for (const each of ["database", "listen", "peers"]) {
    if (member(value, each) === undefined) report.error([...path, each], "is missing: a fleet needs it")
  }
  if (member(value, "advertise") === undefined && listen !== "" && !isReachable(listen)) {
    report.error([...path, "advertise"], "is missing: other nodes cannot reach this one at all addresses")
  }
  const part = report.ofPart()
  const peers = member(value, "peers")
  const database = credential(part, context, [...path, "database"], member(value, "database"), hasPassword)
  const secret = isObject(peers) ? member(peers, "secret") : undefined
  const peersSecret = credential(part, context, [...path, "peers", "secret"], secret, () => true)
  const fault = part.fault()
  const nodeFault = node.fault()
  return {
    connections,
    idempotent,
    keepDays,
    sessions,
    database,
    listen,
    advertise: advertise ?? listen,
    peersSecret,
    name,
    ...(fault !== undefined && { fault }),
    ...(nodeFault !== undefined && { nodeFault })
  }
}
