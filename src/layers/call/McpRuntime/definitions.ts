/**
 * Suspicious definitions of servers: how they are reported, which ones an agent does not get, and substitutes for names that
 * must not be shown.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import { createHash } from "node:crypto"
import { withheldFor, type ContentPolicy } from "../../../schemas/content/ContentPolicy.ts"
import { DIAGNOSTICS_LOGGED_MAX } from "../../../schemas/defaults/HostRequests.ts"
import { AUDIT_DEFINITIONS_SHARE } from "../../../schemas/defaults/Shares.ts"
import type { Finding } from "../../../schemas/content/Finding.ts"
import { exposeNames, type NameParts, type NamingStyle } from "../../../schemas/call/Names.ts"
import { makeShare, type Share } from "../../../schemas/call/Share.ts"
import { mergeFindings } from "../../../schemas/content/ServerText.ts"
import type { AuditLog } from "../../../services/call/AuditLog.ts"
import type { ContentSanitizer } from "../../../services/content/ContentSanitizer.ts"
import type { Decision } from "../../../services/call/ToolPolicy.ts"

// ---- reports -------------------------------------------------------------------------------------------------------

/** Reports findings in a definition; `subject` is its kind and cleaned name. Returns immediately. */
export type Report = (server: string, subject: string, findings: ReadonlyArray<Finding>) => void

interface Reported {
  readonly server: string
  readonly subject: string
  readonly findings: ReadonlyArray<Finding>
}

/** A server with thousands of them gets a few lines, and one that counts the rest. */
const summarised = (
  reports: ReadonlyArray<Reported>,
  most: number = DIAGNOSTICS_LOGGED_MAX
): ReadonlyArray<Reported> => {
  const rest = reports.slice(most)
  if (rest.length === 0) return reports
  const findings = mergeFindings(rest.flatMap((report) => report.findings))
  const subject = most === 0 ? `${rest.length} definitions` : `${rest.length} more definitions`
  return [...reports.slice(0, most), { server: rest[0]!.server, subject, findings }]
}

/** Reports go to the audit log from their own fiber, and none is lost when the Scope closes. */
export const makeReport = Effect.fnUntraced(function* (
  audit: AuditLog["Service"]
): Effect.fn.Return<Report, never, Scope.Scope> {
  const queue = yield* Queue.unbounded<Reported>()
  const shares = new Map<string, Share>()
  const shareOf = (server: string): Share => {
    const share = shares.get(server) ?? makeShare(AUDIT_DEFINITIONS_SHARE)
    shares.set(server, share)
    return share
  }
  /** A server that has used up its share of the log gets one line for all. */
  const within = (server: string, reports: ReadonlyArray<Reported>, now: number) => {
    const few = summarised(reports)
    return shareOf(server).take(few.length, now) ? few : summarised(reports, 0)
  }
  const tell = (reports: ReadonlyArray<Reported>) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.forEach(
        [...Map.groupBy(reports, ({ server }) => server)].flatMap(([server, own]) => within(server, own, now)),
        ({ findings, server, subject }) => audit.report(server, subject, findings),
        { discard: true }
      )
    )
  // Finalizers run last to first: the fiber has ended here.
  yield* Effect.addFinalizer(() => Effect.flatMap(Queue.clear(queue), tell))
  yield* Effect.forkScoped(
    Effect.forever(Effect.uninterruptibleMask((restore) => Effect.flatMap(restore(Queue.takeAll(queue)), tell)))
  )
  return (server, subject, findings) => {
    if (findings.length > 0) Queue.offerUnsafe(queue, { server, subject, findings })
  }
})

// ---- what is withheld ----------------------------------------------------------------------------------------------

/** Why an agent does not get the definition; `undefined` if it does. */
export const withholding = (content: ContentPolicy, findings: ReadonlyArray<Finding>): Decision | undefined => {
  const reasons = withheldFor(content, findings)
  if (reasons.length === 0) return undefined
  const kinds = [...new Set(reasons.map(({ kind }) => kind))].join(", ")
  return { allowed: false, rule: `onFinding: its definition is suspicious: ${kinds}` }
}

// ---- names ---------------------------------------------------------------------------------------------------------

const HASH_DIGITS = 32

/** A constant name without meaning. */
const unnamed = ({ server, tool }: NameParts): string =>
  `unnamed_${createHash("sha256")
    .update(JSON.stringify([server, tool]))
    .digest("hex")
    .slice(0, HASH_DIGITS)}`

/**
 * Exposed names, in the order of the entries. They are derived from what a server wrote: if a name contains a known secret,
 * possibly interrupted by other characters, or would need cleaning, a meaningless one replaces it.
 */
export const exposeCleanNames = (
  style: NamingStyle,
  entries: ReadonlyArray<NameParts>,
  prefixes: Iterable<string>,
  { clean }: Pick<ContentSanitizer["Service"], "clean">
): ReadonlyArray<string> => {
  const names = exposeNames(style, entries, prefixes)
  const isClean = names.map(
    (name, i) =>
      clean(name).text === name && !clean(entries[i]!.tool).findings.some(({ kind }) => kind === "secretEcho")
  )
  return isClean.every(Boolean)
    ? names
    : exposeNames(
        style,
        entries.map((entry, i) => (isClean[i] === true ? entry : { ...entry, tool: unnamed(entry) })),
        prefixes
      )
}
