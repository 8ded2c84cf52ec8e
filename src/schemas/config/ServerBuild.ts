/** From a merged entry to the `ServerConfig` that the runtime sees: defaults put in, every rule between keys checked. */
import { burstOf, type CallLimits, DEFAULT_CALL_LIMITS } from "../call/CallLimits.ts"
import { RESULT_MAX_BLOCKS, RESULT_MAX_BYTES } from "../defaults/Results.ts"
import { nearest } from "../call/Names.ts"
import { type Budget, type ServerConfig, serverConfig } from "../connection/ServerConfig.ts"
import { CONTENT_MODES } from "../content/ContentPolicy.ts"
import { buildContent } from "./ContentEntry.ts"
import { defined, oneOf, RESERVED_NAMES, show } from "./Fields.ts"
import { itemsOf, type Located } from "./KeyPath.ts"
import { notesOf } from "./Notes.ts"
import { checkServerReferences, type KnownSecrets } from "./References.ts"
import type { Report, WholeReport } from "./Report.ts"
import { chooseWord, resolveText, type Surroundings } from "./Resolve.ts"
import type { ServerEntry, ServerFields } from "./ServerEntry.ts"
import { ISOLATIONS, PLAIN, SERVER_KEYS, type ServerKey } from "./ServerKeys.ts"
import { buildLaunch, buildSandbox } from "./ServerLaunch.ts"

const NAME_MAX_CHARS = 64

/** Names also stand in logs and become keys; what is wrong with this one, if anything. */
export const serverNameProblem = (name: string): string | undefined => {
  if (name.trim() === "") return "the name of a server must not be empty"
  if (name.length > NAME_MAX_CHARS) return `the name of a server must have at most ${NAME_MAX_CHARS} characters`
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name)) return "the name of a server must not hold control characters"
  return RESERVED_NAMES.has(name) ? "is no name for a server" : undefined
}

const PERMISSIONS = ["allow", "deny"] as const

/** An entry that only switches off, for a server that is nowhere described, is a slip that would switch off nothing. */
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
    report.error(entry.path, `switches off a server that is not configured${hint}`)
    return undefined
  }
  const enabled = fields.enabled?.value ?? true
  const resolve = (located: Located<string>) => resolveText(report, surroundings.env, enabled, located)
  const texts = (items: ReadonlyArray<Located<string>>) => items.map((item) => resolve(item).text)
  const globs = (list: Located<ReadonlyArray<string>> | undefined) => list && texts(itemsOf(list))
  const word = <A extends string>(choices: ReadonlyArray<A>, located: Located<string> | undefined) =>
    located === undefined ? undefined : chooseWord(report, choices, located, resolve(located))
  const context = { report, surroundings, enabled }
  const launch = buildLaunch(context, entry)
  const prefix = fields.toolPrefix === undefined ? undefined : resolve(fields.toolPrefix)
  if (prefix?.text.trim() === "") report.error(prefix.path, "must not be empty")
  /** As it is in `ServerConfig`, with its variables put in; nothing where it is not there, or no word that it can be. */
  const settle = (key: ServerKey): unknown => {
    const located = (fields as Readonly<Record<string, Located<unknown>>>)[key]
    if (located === undefined) return undefined
    const { path, value } = located
    if (Array.isArray(value)) return globs({ path, value })
    if (typeof value !== "string") return value
    const { choices } = notesOf(SERVER_KEYS[key].ast)
    return choices === undefined ? resolve({ path, value }).text : word(choices, { path, value })
  }
  const plain = defined(
    Object.fromEntries((Object.keys(PLAIN) as ReadonlyArray<ServerKey>).map((key) => [key, settle(key)]))
  ) as Partial<ServerConfig>
  const permission = (located: Located<boolean | string> | undefined): boolean | undefined => {
    if (located === undefined) return undefined
    const { path, value } = located
    if (typeof value === "boolean") return value
    const chosen = word(PERMISSIONS, { path, value })
    return chosen === undefined ? undefined : chosen === "allow"
  }
  const sharing = (located: Located<boolean | string> | undefined): Partial<ServerConfig> => {
    if (located === undefined) return {}
    const { path, value } = located
    if (typeof value === "boolean") return { share: value, isolate: false }
    const chosen = resolve({ path, value })
    const isolate = ISOLATIONS.find((one) => one === chosen.text)
    if (isolate === undefined && chosen.complete) {
      report.error(path, `must be true, false, ${oneOf(ISOLATIONS)}, is ${show(value)}`)
    }
    return { share: false, isolate: isolate ?? false }
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
    ...sharing(fields.share),
    tools: {
      include: globs(tools.include) ?? ["*"],
      exclude: globs(tools.exclude) ?? [],
      ...defined({ ask: entry.ask && texts(entry.ask) })
    },
    budget,
    toolBudgets: buildToolBudgets(report, sizes.tools, budget),
    limits: {
      ...DEFAULT_CALL_LIMITS,
      burst: burstOf(perMinute),
      ...(Object.fromEntries(Object.entries(limits).map(([key, { value }]) => [key, value])) as Partial<CallLimits>)
    },
    sampling: permission(fields.sampling),
    elicitation: permission(fields.elicitation),
    content: buildContent(word, word(CONTENT_MODES, fields.contentMode), fields.onFinding)
  })
  if (launch === undefined) return undefined
  if (enabled) checkServerReferences(report, surroundings, name, launch.kind, entry)
  const fault = report.fault()
  return serverConfig(name, launch, fault === undefined ? given : { ...given, fault })
}
