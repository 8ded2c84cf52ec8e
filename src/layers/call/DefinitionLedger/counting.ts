/**
 * Changed definitions in the audit log: one line each for a few, one line with a count for many of a kind. A server that
 * changes all the time has a limited share of the log: what exceeds it is counted, and written when there is room again, or
 * at the end.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { DefinitionChange } from "../../../schemas/call/AuditRecord.ts"
import { DIAGNOSTICS_LOGGED_MAX } from "../../../schemas/defaults/HostRequests.ts"
import { PINS_KNOWN_MAX } from "../../../schemas/defaults/Pins.ts"
import { AUDIT_DEFINITIONS_SHARE } from "../../../schemas/defaults/Shares.ts"
import { makeShare, type Share } from "../../../schemas/call/Share.ts"
import type { AuditLog, DefinitionRecord } from "../../../services/call/AuditLog.ts"

interface Counted {
  readonly share: Share
  /** By kind of change and by the `pin` setting. */
  readonly left: Map<string, { readonly change: DefinitionChange; readonly pin: string; readonly count: number }>
}

export const makeCounting = (audit: AuditLog["Service"]) => {
  const servers = new Map<string, Counted>()

  const countedOf = (server: string): Counted => {
    const known = servers.get(server)
    if (known !== undefined) return known
    // Servers of sessions come and go.
    const idle = servers.size < PINS_KNOWN_MAX ? undefined : [...servers].find(([, { left }]) => left.size === 0)
    if (idle !== undefined) servers.delete(idle[0])
    const made: Counted = { share: makeShare(AUDIT_DEFINITIONS_SHARE), left: new Map() }
    servers.set(server, made)
    return made
  }

  const write = (records: ReadonlyArray<DefinitionRecord>) =>
    Effect.forEach(records, audit.definition, { discard: true })

  const writeCounts = (server: string, { left }: Counted) => {
    const records = [...left.values()].map((counts) => ({ server, tool: undefined, hash: undefined, ...counts }))
    left.clear()
    return write(records)
  }

  /** Writes the counted changes that fit now; at the end, all of them. */
  const rest = (isEnd: boolean): Effect.Effect<void> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.forEach(
        [...servers].filter(([, { left, share }]) => left.size > 0 && (isEnd || share.take(left.size, now))),
        ([server, counted]) => writeCounts(server, counted),
        { discard: true }
      )
    )

  return {
    /** Records the changes in one list of this server. */
    changed: (server: string, records: ReadonlyArray<DefinitionRecord>): Effect.Effect<void> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const { left, share } = countedOf(server)
        const isFew = records.length <= DIAGNOSTICS_LOGGED_MAX && left.size === 0
        if (isFew && share.take(records.length, now)) return write(records)
        for (const { change, pin } of records) {
          const key = `${change} ${pin}`
          left.set(key, { change, pin, count: (left.get(key)?.count ?? 0) + 1 })
        }
        return rest(false)
      }),
    rest
  }
}
