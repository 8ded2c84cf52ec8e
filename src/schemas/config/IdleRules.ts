/**
 * Warns of rules that cannot match any tool of the configured servers: usually a typing error, which leaves open what the
 * rule should close. Warns only if that is certain. OpenClaw keeps rules for its own tools in the same lists of an openclaw.json: so
 * there, a rule without a `/` is ignored unless it begins like our names, or is the name of a server.
 */
import { TOOL_RULE_MAX_CHARS } from "../defaults/Texts.ts"
import type { ToolRules } from "./GatewayConfig.ts"
import { matchesGlob, mayBegin } from "../data/Glob.ts"
import { namePrefix, nearest, SEPARATORS, type NamingStyle } from "../call/Names.ts"
import { RUNTIME_TOOLS } from "../call/RuntimeTools.ts"
import type { KeyPath } from "./KeyPath.ts"
import type { Report } from "./Report.ts"

/** What is known of a server before it runs. */
export interface RuledServer {
  readonly name: string
  readonly toolPrefix: string
}

/** The style in use is unknown here, so all are tried. After the `/` come a server's own names. */
const STYLES: ReadonlyArray<NamingStyle> = [
  "gateway",
  "session",
  ...SEPARATORS.filter((separator) => separator !== "/").map((separator) => ({ separator }))
]
const OURS = "mcp_"
/** Stands for a server in the names of the runtime's own tools. */
const RUNTIME = "mcp"

/** The prefixes of all names that rules are compared with. */
const beginningsOf = (servers: ReadonlyArray<RuledServer>): ReadonlyArray<string> =>
  servers.flatMap(({ name, toolPrefix }) => [`${name}/`, ...STYLES.map((style) => namePrefix(style, toolPrefix))])

const isOfRuntime = (pattern: string): boolean =>
  RUNTIME_TOOLS.some((name) =>
    [`${RUNTIME}/${name.slice(OURS.length)}`, name].some((written) => matchesGlob(pattern, written))
  )

const SERVER_HALF = /^(.+)\//s

/** In `mcp_fils_read_file` the end of the server's name is unknown: all its possible ends. */
const headsOf = (rule: string): ReadonlyArray<string> => {
  const words = rule.slice(OURS.length).split(/_+/)
  return words.map((_, i) => words.slice(0, i + 1).join("_"))
}

const suggestion = (rule: string, servers: ReadonlyArray<RuledServer>): string => {
  if (!rule.includes("/") && !rule.toLowerCase().startsWith(OURS))
    return /^[\w.*?-]+$/.test(rule) ? `: write "${servers[0]!.name}/${rule}", or "*/${rule}" for all servers` : ""
  const half = SERVER_HALF.exec(rule)?.[1]
  const names = servers.map(({ name }) => name)
  if (half !== undefined) {
    const meant = nearest(half, names)
    return meant === null ? "" : `, did you mean "${meant}${rule.slice(half.length)}"?`
  }
  const prefixes = servers.map(({ toolPrefix }) => toolPrefix)
  const meant = headsOf(rule)
    .map((head) => nearest(head, prefixes))
    .find((found) => found !== null)
  return meant === undefined ? "" : `, did you mean "${namePrefix("gateway", meant)}*"?`
}

const problemOf = (
  rule: string,
  servers: ReadonlyArray<RuledServer>,
  beginnings: ReadonlyArray<string>,
  isOursAlone: boolean
): string | undefined => {
  const pattern = rule.toLowerCase()
  const whole = servers.find(({ name }) => name.toLowerCase() === pattern)
  if (whole !== undefined && !pattern.includes("/")) {
    return `matches no tool of the server "${whole.name}": for all of them write "${whole.name}/*"`
  }
  if (!isOursAlone && !pattern.includes("/") && !pattern.startsWith(OURS)) return undefined
  if (isOfRuntime(pattern)) return undefined
  if (beginnings.some((beginning) => mayBegin(pattern, beginning.toLowerCase()))) return undefined
  return `matches no tool of any server that is configured${suggestion(rule, servers)}`
}

/** Why a rule matches nothing of these servers. `isOursAlone`: no tools of OpenClaw can be meant. */
export const idleProblems = (servers: ReadonlyArray<RuledServer>, isOursAlone: boolean) => {
  const beginnings = beginningsOf(servers)
  // That there are no servers is reported elsewhere.
  return (rule: string): string | undefined =>
    servers.length === 0 || rule.length > TOOL_RULE_MAX_CHARS
      ? undefined
      : problemOf(rule, servers, beginnings, isOursAlone)
}

/** For the named lists of globs at one place, and all servers that they concern. */
export const warnOfIdleGlobs = (
  report: Report,
  path: KeyPath,
  lists: Readonly<Record<string, ReadonlyArray<string> | undefined>>,
  servers: ReadonlyArray<RuledServer>,
  isOursAlone = false
): void => {
  const problemOf = idleProblems(servers, isOursAlone)
  for (const [list, globs = []] of Object.entries(lists)) {
    for (const [index, rule] of globs.entries()) {
      const problem = problemOf(rule)
      if (problem !== undefined) report.warn([...path, list, index], problem)
    }
  }
}

/** Approvers without any `ask` beside them approve nothing. */
export const warnOfIdleApprovers = (
  report: Report,
  path: KeyPath,
  { approvers = [], ask = [] }: Pick<ToolRules, "approvers" | "ask">
): void => {
  if (approvers.length > 0 && ask.length === 0)
    report.warn([...path, "approvers"], 'has no effect without "ask": name the tools that need an approval there')
}

/** For the rules at one place, and all servers that they concern. */
export const warnOfIdleRules = (
  report: Report,
  path: KeyPath,
  rules: ToolRules | undefined,
  servers: ReadonlyArray<RuledServer>,
  isOursAlone: boolean
): void => {
  if (rules === undefined) return
  const { allow, ask, deny } = rules
  warnOfIdleGlobs(report, path, { allow, deny, ask }, servers, isOursAlone)
}
