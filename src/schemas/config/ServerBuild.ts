/** From a merged entry to the `ServerConfig` that the runtime sees: defaults put in, every rule between keys checked. */
import { burstOf, DEFAULT_CALL_LIMITS } from "../call/CallLimits.ts"
import { RESULT_MAX_BLOCKS, RESULT_MAX_BYTES } from "../defaults/Results.ts"
import { ISOLATIONS } from "../connection/Isolation.ts"
import { nearest } from "../call/Names.ts"
import { PIN_MODES } from "../call/PinMode.ts"
import { PROTOCOLS, type ServerConfig, serverConfig } from "../connection/ServerConfig.ts"
import { buildContent } from "./ContentEntry.ts"
import { defined, oneOf, RESERVED_NAMES, show } from "./Fields.ts"
import type { Located } from "./KeyPath.ts"
import { checkServerReferences, type KnownSecrets } from "./References.ts"
import type { WholeReport } from "./Report.ts"
import { chooseWord, resolveText, type Surroundings } from "./Resolve.ts"
import type { ServerEntry } from "./ServerEntry.ts"
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
  const globs = (located: Located<ReadonlyArray<Located<string>>> | undefined) =>
    located?.value.map((glob) => resolve(glob).text)
  const word = <A extends string>(choices: ReadonlyArray<A>, located: Located<string> | undefined) =>
    located === undefined ? undefined : chooseWord(report, choices, located, resolve(located))
  const context = { report, surroundings, enabled }
  const launch = buildLaunch(context, entry)
  const prefix = fields.toolPrefix === undefined ? undefined : resolve(fields.toolPrefix)
  if (prefix?.text.trim() === "") report.error(prefix.path, "must not be empty")
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
  const budget = {
    bytes: fields.budgetBytes?.value ?? RESULT_MAX_BYTES,
    blocks: fields.budgetBlocks?.value ?? RESULT_MAX_BLOCKS
  }
  const perMinute = fields.limitPerMinute?.value ?? DEFAULT_CALL_LIMITS.perMinute
  const given = defined<Partial<ServerConfig>>({
    enabled,
    sandbox: buildSandbox(context, fields.sandbox),
    protocol: word(PROTOCOLS, fields.protocol),
    timeout: fields.timeout?.value,
    toolTimeout: fields.toolTimeout?.value,
    restartOnCrash: fields.restartOnCrash?.value,
    maxRestarts: fields.maxRestarts?.value,
    toolPrefix: prefix?.text,
    lazy: fields.lazy?.value,
    idleTtlMs: fields.idleTtlMs?.value,
    ...sharing(fields.share),
    allowPrivate: fields.allowPrivate?.value,
    resources: fields.resources?.value,
    resourceFilter: globs(fields.resourceFilter),
    resourceContext: fields.resourceContext?.value,
    resourceRefreshMs: fields.resourceRefreshMs?.value,
    tools: {
      include: globs(fields.include) ?? ["*"],
      exclude: globs(fields.exclude) ?? [],
      ...defined({ ask: globs(fields.ask) })
    },
    budget,
    toolBudgets: fields.budgetTools?.value.map(({ blocks, bytes, tools }) => ({
      tools,
      budget: { bytes: bytes ?? budget.bytes, blocks: blocks ?? budget.blocks }
    })),
    limits: {
      perMinute,
      burst: fields.limitBurst?.value ?? burstOf(perMinute),
      inFlight: fields.limitInFlight?.value ?? DEFAULT_CALL_LIMITS.inFlight,
      failures: fields.limitFailures?.value ?? DEFAULT_CALL_LIMITS.failures,
      coolDownMs: fields.limitCoolDownMs?.value ?? DEFAULT_CALL_LIMITS.coolDownMs
    },
    roots: fields.roots?.value,
    sampling: permission(fields.sampling),
    elicitation: permission(fields.elicitation),
    content: buildContent(report, resolve, fields),
    blockSecretArguments: fields.blockSecretArguments?.value,
    pin: word(PIN_MODES, fields.pin)
  })
  if (launch === undefined) return undefined
  if (enabled) checkServerReferences(report, surroundings, name, launch.kind, entry)
  const fault = report.fault()
  return serverConfig(name, launch, fault === undefined ? given : { ...given, fault })
}
