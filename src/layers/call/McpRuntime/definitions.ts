/**
 * Definitions of servers for one agent: converted once, findings in them reported, suspicious ones withheld, and names that must not be
 * shown replaced.
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
import { again } from "../../../system/rounds.ts"
import type { AgentServer } from "./AgentServer.ts"

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
  const told = Effect.uninterruptible(Effect.flatMap(Queue.takeAll(queue), tell))
  yield* Effect.forkScoped(again("the report of suspicious definitions", Queue.peek(queue), told))
  return (server, subject, findings) => {
    if (findings.length > 0) Queue.offerUnsafe(queue, { server, subject, findings })
  }
})

// ---- what is withheld ----------------------------------------------------------------------------------------------

/** Why an agent does not get the definition; `undefined` if it does. */
const withholding = (content: ContentPolicy, findings: ReadonlyArray<Finding>): Decision | undefined => {
  const reasons = withheldFor(content, findings)
  if (reasons.length === 0) return undefined
  const kinds = [...new Set(reasons.map(({ kind }) => kind))].join(", ")
  return { allowed: false, rule: `onFinding: its definition is suspicious: ${kinds}` }
}

// ---- conversion ----------------------------------------------------------------------------------------------------

/** What an agent gets of a definition, unless it is withheld. */
export interface Converted<A> {
  readonly shown: A
  readonly withheld: Decision | undefined
}

export interface ConvertOptions {
  readonly report: Report
  /** The version of the secrets that definitions were cleaned with. */
  readonly secrets: () => number
}

/**
 * Converts each definition once, because cleaning a long list is expensive: again only under another name, with other content settings,
 * or when another secret is known. Findings are reported the first time.
 */
export const convertOnce = <D extends object, A>(
  { report, secrets }: ConvertOptions,
  convert: (server: string, definition: D, name: string) => readonly [subject: string, A, ReadonlyArray<Finding>]
) => {
  interface Kept extends Converted<A> {
    readonly name: string
    readonly version: number
    readonly content: ContentPolicy
  }
  const converted = new WeakMap<D, Kept>()
  return ({ config: { content, name: server } }: AgentServer, definition: D, name = ""): Converted<A> => {
    const known = converted.get(definition)
    if (known?.name === name && known.version === secrets() && known.content === content) return known
    const [subject, shown, findings] = convert(server, definition, name)
    if (known === undefined) report(server, subject, findings)
    const fresh = { shown, withheld: withholding(content, findings), name, version: secrets(), content }
    converted.set(definition, fresh)
    return fresh
  }
}

// ---- names ---------------------------------------------------------------------------------------------------------

const HASH_DIGITS = 32

/** A constant name without meaning. */
const unnamed = ({ server, tool }: NameParts): string =>
  `unnamed_${createHash("sha256")
    .update(JSON.stringify([server, tool]))
    .digest("hex")
    .slice(0, HASH_DIGITS)}`

export interface NameOptions {
  readonly naming: NamingStyle
  readonly servers: () => ReadonlyArray<AgentServer>
  readonly sanitizer: ContentSanitizer["Service"]
}

/** A definition, and the server that offers it. */
export interface Offered<D> {
  readonly server: AgentServer
  readonly definition: D
}

/**
 * Exposed names, in the order of the definitions. They are derived from what a server wrote: if a name contains a known secret,
 * possibly interrupted by other characters, or would need cleaning, a meaningless one replaces it.
 */
export const exposeCleanNames = (
  { naming, sanitizer: { clean }, servers }: NameOptions,
  offered: ReadonlyArray<Offered<{ readonly name: string }>>
): ReadonlyArray<string> => {
  const entries = offered.map(({ definition, server: { config } }) => ({
    server: config.name,
    prefix: config.toolPrefix,
    tool: definition.name
  }))
  const expose = (parts: ReadonlyArray<NameParts>) =>
    exposeNames(
      naming,
      parts,
      servers().map(({ config }) => config.toolPrefix)
    )
  const names = expose(entries)
  const isClean = names.map(
    (name, i) =>
      clean(name).text === name && !clean(entries[i]!.tool).findings.some(({ kind }) => kind === "secretEcho")
  )
  return isClean.every(Boolean)
    ? names
    : expose(entries.map((entry, i) => (isClean[i] === true ? entry : { ...entry, tool: unnamed(entry) })))
}
