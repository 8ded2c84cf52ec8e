/** Lines of the logs about servers of all nodes, where one node of a fleet runs on this machine: it asks the others. */
import * as Effect from "effect/Effect"
import { dataDirectory } from "../../../schemas/config/DataDirectory.ts"
import type { ServerLogLine } from "../../../schemas/connection/ServerLogLine.ts"
import { nameAt } from "../../../schemas/control/NodesValue.ts"
import type { PastLogsRequest } from "../../../schemas/control/Past.ts"
import { AUDIT_FOLLOW_MS } from "../../../schemas/defaults/Audit.ts"
import { PAST_LIMIT_MAX } from "../../../schemas/defaults/Control.ts"
import { findGateways, type Found } from "../../../system/gatewayFiles.ts"
import { root } from "../command.ts"
import { silentWords } from "../fleet/nodes.ts"
import { complain, print } from "../output.ts"
import { safeJsonLine } from "../safeJsonLine.ts"
import { renderLogLine } from "./rendering.ts"

/** The node that runs on this machine, if it is one. */
export const nodeHere = Effect.map(
  Effect.promise(() => findGateways(dataDirectory())),
  (found): Found | undefined => {
    const [node, ...others] = found.filter(({ node }) => node !== undefined)
    return others.length === 0 ? node : undefined
  }
)

export interface Wanted extends Pick<PastLogsRequest, "server" | "source" | "level"> {
  readonly limit: number
  readonly follow: boolean
  readonly matches: (line: ServerLogLine) => boolean
}

/** Lines that were shown, so that none comes twice when a node answers again. */
const SHOWN_MAX = 20_000

export const logsOfNodes = Effect.fnUntraced(function* (gateway: Found, { follow, limit, matches, ...asked }: Wanted) {
  const { json } = yield* root
  const { connect } = yield* Effect.promise(() => import("../running/client.ts"))
  const { lost, operator } = yield* connect(gateway, undefined, {})
  const shown = new Set<string>()
  const silent = new Map<string, string>()

  const look = Effect.fnUntraced(function* (count: number) {
    const found = yield* operator.nodeLogs({ ...asked, limit: Math.min(count, PAST_LIMIT_MAX) })
    const lines = (found?.lines ?? []).flatMap(({ line, node }) => {
      const text = JSON.stringify({ ...line, node })
      if (shown.has(text) || !matches(line)) return []
      shown.add(text)
      return [json ? safeJsonLine(text) : renderLogLine({ ...line, server: nameAt(line.server, node) }, true)]
    })
    for (const text of shown) {
      if (shown.size <= SHOWN_MAX) break
      shown.delete(text)
    }
    if (lines.length > 0) yield* print(lines.join("\n"))
    for (const { detail, node } of found?.silent ?? [])
      if (silent.get(node) !== detail) yield* complain(silentWords(node, detail))
    silent.clear()
    for (const { detail, node } of found?.silent ?? []) silent.set(node, detail)
    return lines.length
  })

  const looking = Effect.gen(function* () {
    if ((yield* look(limit)) === 0) yield* complain("no matching lines at any node")
    if (!follow) return
    return yield* Effect.forever(Effect.delay(look(PAST_LIMIT_MAX), AUDIT_FOLLOW_MS))
  })
  yield* Effect.raceFirst(looking, lost)
}, Effect.scoped)
