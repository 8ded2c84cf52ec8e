/** Builds the `ServerConfig` for the runtime from a merged entry: fills in defaults and checks the rules between keys. */
import { burstOf, type CallLimits, DEFAULT_CALL_LIMITS } from "../call/CallLimits.ts"
import { RESULT_MAX_BLOCKS, RESULT_MAX_BYTES } from "../defaults/Results.ts"
import { nearest } from "../call/Names.ts"
import { type Budget, type ServerConfig, serverConfig } from "../connection/ServerConfig.ts"
import { buildContent } from "./ContentEntry.ts"
import { defined, RESERVED_NAMES } from "./Fields.ts"
import { warnOfIdleApprovers } from "./IdleRules.ts"
import { itemsOf, type Located } from "./KeyPath.ts"
import { notesOf } from "./Notes.ts"
import type { Readable } from "./ReadKeys.ts"
import { checkPlaceholders, checkServerReferences, type KnownSecrets } from "./References.ts"
import type { Report, WholeReport } from "./Report.ts"
import { chooseWord, resolveText, type Surroundings } from "./Resolve.ts"
import type { ServerEntry, ServerFields } from "./ServerEntry.ts"
import { PLAIN, SERVER_KEYS, type ServerKey } from "./ServerKeys.ts"
import { buildLaunch, buildSandbox } from "./ServerLaunch.ts"

export const SERVER_NAME_MAX_CHARS = 64

/** What is wrong with a server's name, if anything. Names also appear in logs and become keys. */
export const serverNameProblem = (name: string): string | undefined => {
  if (name.trim() === "") return "the name of a server must not be empty"
  if (name.length > SERVER_NAME_MAX_CHARS)
    return `the name of a server must have at most ${SERVER_NAME_MAX_CHARS} characters`
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name)) return "the name of a server must not contain control characters"
  return RESERVED_NAMES.has(name) ? "cannot be the name of a server" : undefined
}

/** An entry that only disables a server which is described nowhere is a mistake. */
const switchesOffNothing = ({ env, fields, headers }: ServerEntry): boolean =>
  fields.enabled?.value === false && Object.keys(fields).length === 1 && env.size === 0 && headers.size === 0

const buildToolBudgets = (
  report: Report,
  located: NonNullable<ServerFields["budget"]>["tools"],
  ofServer: Budget
): ServerConfig["toolBudgets"] | undefined =>
  located &&
  Object.entries(located.value).map(([tools, given]) => {
    if (tools.trim() === "") report.error([...located.path, tools], "the name or pattern of a tool must not be empty")
    return { tools, budget: { ...ofServer, ...given } }
  })

export const buildServer = (
  whole: WholeReport,
  surroundings: Surroundings & KnownSecrets,
  name: string,
  entry: ServerEntry,
  otherNames: () => Iterable<string>
): ServerConfig | undefined => {
  const report = whole.ofPart()
  const { fields } = entry
  if (switchesOffNothing(entry)) {
    const suggestion = nearest(name, otherNames())
    const hint = suggestion === null ? "" : `, did you mean "${suggestion}"?`
    report.error(entry.path, `disables a server that is not configured${hint}`)
    return undefined
  }
  const enabled = fields.enabled?.value ?? true
  const resolve = (located: Located<string>) => resolveText(report, surroundings.env, enabled, located)
  const texts = (items: ReadonlyArray<Located<string>>) => items.map((item) => resolve(item).text)
  const globs = (list: Located<ReadonlyArray<string>> | undefined) => list && texts(itemsOf(list))
  const context = { report, surroundings, enabled }
  const launch = buildLaunch(context, entry)
  const prefix = fields.toolPrefix === undefined ? undefined : resolve(fields.toolPrefix)
  if (prefix?.text.trim() === "") report.error(prefix.path, "must not be empty")
  /** The value with expanded variables; `undefined` when it is absent or not a valid choice. */
  const settled = (schema: Readable, { path, value }: Located<unknown>): unknown => {
    if (Array.isArray(value)) return globs({ path, value })
    if (typeof value !== "string") return value
    const raw = { path, value }
    const resolved = resolve(raw)
    return notesOf(schema.ast).choices === undefined ? resolved.text : chooseWord(report, schema, raw, resolved)
  }
  const settle = <Key extends ServerKey & keyof ServerFields>(key: Key) =>
    (fields[key] && settled(SERVER_KEYS[key], fields[key] as Located<unknown>)) as
      | (typeof SERVER_KEYS)[Key]["Type"]
      | undefined
  const plain = Object.fromEntries(
    (Object.keys(PLAIN) as ReadonlyArray<keyof typeof PLAIN>).map((key) => [key, settle(key)])
  )
  const permission = (key: "sampling" | "elicitation"): boolean | undefined => {
    const given = settle(key)
    return given === undefined ? undefined : given === true || given === "allow"
  }
  const share = settle("share")
  const hasLogins = launch !== undefined && launch.kind !== "stdio" && launch.auth?.per === "person"
  const isPersonal = hasLogins || share === "person"
  if (hasLogins && share !== undefined && share !== "person") {
    report.error(
      fields.share!.path,
      'must be "person", or left out: with "per": "person" in "auth" each person has a connection'
    )
  }
  const { budget: sizes = {}, limits = {}, tools = {} } = fields
  const budget = { bytes: sizes.bytes?.value ?? RESULT_MAX_BYTES, blocks: sizes.blocks?.value ?? RESULT_MAX_BLOCKS }
  const perMinute = limits.perMinute?.value ?? DEFAULT_CALL_LIMITS.perMinute
  const given = defined<Partial<ServerConfig>>({
    ...plain,
    enabled,
    sandbox: buildSandbox(context, fields.sandbox),
    toolPrefix: prefix?.text,
    idleTtlMs: fields.idleTtlMs?.value,
    ...(isPersonal
      ? { share: false, isolate: "person" }
      : share !== undefined && { share: share === true, isolate: typeof share === "string" ? share : false }),
    tools: {
      include: globs(tools.include) ?? ["*"],
      exclude: globs(tools.exclude) ?? [],
      ...defined({ ask: entry.ask && texts(entry.ask), approvers: entry.approvers })
    },
    budget,
    toolBudgets: buildToolBudgets(report, sizes.tools, budget),
    limits: {
      ...DEFAULT_CALL_LIMITS,
      burst: burstOf(perMinute),
      ...(Object.fromEntries(Object.entries(limits).map(([key, { value }]) => [key, value])) as Partial<CallLimits>)
    },
    sampling: permission("sampling"),
    elicitation: permission("elicitation"),
    content: buildContent(report, resolve, settle("contentMode"), fields.onFinding)
  })
  if (launch === undefined) return undefined
  if (tools.approvers !== undefined) {
    warnOfIdleApprovers(report, tools.approvers.path.slice(0, -1), {
      approvers: entry.approvers,
      ask: entry.ask?.map(({ value }) => value)
    })
  }
  if (enabled) checkPlaceholders(report, launch.kind, entry, isPersonal)
  if (enabled) checkServerReferences(report, surroundings, name, launch.kind, entry, isPersonal)
  const fault = report.fault()
  return serverConfig(name, launch, fault === undefined ? given : { ...given, fault })
}
