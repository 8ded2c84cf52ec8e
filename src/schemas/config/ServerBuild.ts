/** From a merged entry to the `ServerConfig` that the runtime sees: defaults put in, every rule between keys checked. */
import * as Defaults from "../Defaults.ts"
import { nearest } from "../Names.ts"
import { PROTOCOLS, type ProtocolChoice, type ServerConfig } from "../ServerConfig.ts"
import { RESERVED_NAMES, show } from "./Fields.ts"
import type { Located } from "./KeyPath.ts"
import type { Report } from "./Report.ts"
import { resolveText, type Surroundings } from "./Resolve.ts"
import type { ServerEntry } from "./ServerEntry.ts"
import { buildLaunch } from "./ServerLaunch.ts"

const NAME_MAX_CHARS = 64

/** Names also stand in logs and become keys; what is wrong with this one, if anything. */
export const serverNameProblem = (name: string): string | undefined => {
  if (name.trim() === "") return "the name of a server must not be empty"
  if (name.length > NAME_MAX_CHARS) return `the name of a server must have at most ${NAME_MAX_CHARS} characters`
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name)) return "the name of a server must not hold control characters"
  return RESERVED_NAMES.has(name) ? "is no name for a server" : undefined
}

const chooseProtocol = (report: Report, raw: Located<string> | undefined, resolved: string): ProtocolChoice => {
  const protocol = PROTOCOLS.find((choice) => choice === resolved)
  if (protocol === undefined && raw !== undefined) {
    const choices = PROTOCOLS.map((choice) => `"${choice}"`).join(", ")
    report.error(raw.path, `must be one of ${choices}, is ${show(raw.value)}`)
  }
  return protocol ?? "auto"
}

/** An entry that only switches off, for a server that is nowhere described, is a slip that would switch off nothing. */
const switchesOffNothing = ({ env, fields, headers }: ServerEntry): boolean =>
  fields.enabled?.value === false && Object.keys(fields).length === 1 && env.size === 0 && headers.size === 0

export const buildServer = (
  report: Report,
  surroundings: Surroundings,
  name: string,
  entry: ServerEntry,
  otherNames: Iterable<string>
): ServerConfig | undefined => {
  const { fields } = entry
  if (switchesOffNothing(entry)) {
    const suggestion = nearest(name, otherNames)
    const hint = suggestion === null ? "" : `, did you mean "${suggestion}"?`
    report.error(entry.path, `switches off a server that is not configured${hint}`)
    return undefined
  }
  const enabled = fields.enabled?.value ?? true
  const globs = (located: Located<ReadonlyArray<Located<string>>> | undefined) =>
    located?.value.map((glob) => resolveText(report, surroundings.env, enabled, glob).text)
  const word = (located: Located<string> | undefined) =>
    located === undefined ? undefined : resolveText(report, surroundings.env, enabled, located)
  const launch = buildLaunch({ report, surroundings, enabled }, entry)
  const prefix = word(fields.toolPrefix)
  const protocol = word(fields.protocol)
  if (prefix?.text.trim() === "") report.error(prefix.path, "must not be empty")
  const lazy = fields.lazy?.value ?? false
  const server = {
    name,
    enabled,
    protocol: protocol?.complete === false ? "auto" : chooseProtocol(report, fields.protocol, protocol?.text ?? "auto"),
    timeout: fields.timeout?.value ?? Defaults.CONNECT_TIMEOUT_MS,
    toolTimeout: fields.toolTimeout?.value ?? Defaults.CALL_TIMEOUT_MS,
    restartOnCrash: fields.restartOnCrash?.value ?? true,
    maxRestarts: fields.maxRestarts?.value ?? Defaults.MAX_RESTARTS,
    toolPrefix: prefix?.text ?? name,
    lazy,
    idleTtlMs: fields.idleTtlMs?.value ?? (lazy ? Defaults.LAZY_IDLE_TTL_MS : 0),
    share: fields.share?.value ?? true,
    resources: fields.resources?.value ?? true,
    tools: { include: globs(fields.include) ?? ["*"], exclude: globs(fields.exclude) ?? [] },
    budget: {
      bytes: fields.budgetBytes?.value ?? Defaults.RESULT_MAX_BYTES,
      blocks: fields.budgetBlocks?.value ?? Defaults.RESULT_MAX_BLOCKS
    }
  } as const
  return launch === undefined ? undefined : { ...server, launch }
}
