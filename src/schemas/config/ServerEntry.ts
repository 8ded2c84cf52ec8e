/**
 * A server entry as it stands at one place of a configuration: types checked, aliases and unknown keys dealt with, but
 * neither merged nor interpolated. Entries of the same server merge field by field, `env` and `headers` key by key.
 */
import { CONTENT_MODES } from "../content/ContentPolicy.ts"
import { TIMER_MAX_MS } from "../defaults/Configuration.ts"
import { isObject } from "../data/Json.ts"
import { PIN_MODES } from "../call/PinMode.ts"
import { PROTOCOLS } from "../connection/ServerConfig.ts"
import { type AuthEntry, readAuth } from "./AuthEntry.ts"
import { type OnFinding, readOnFinding } from "./ContentEntry.ts"
import * as Field from "./Fields.ts"
import { headerScheme, readHeaderAuth } from "./HeaderAuth.ts"
import { LIMIT_KEYS, readLimit } from "./LimitsEntry.ts"
import type { KeyPath, Located } from "./KeyPath.ts"
import { type Report, unknownKey } from "./Report.ts"
import {
  canonicalKey,
  type Dialect,
  isInert,
  SERVER_KEY_NAMES,
  SERVER_KEYS,
  type ServerKey,
  unsupportedKey
} from "./ServerKeys.ts"

type Strings = ReadonlyArray<Located<string>>

/** What one glob of `budget.tools` says; what it does not say is the server's. */
export interface ToolBudgetEntry {
  readonly tools: string
  readonly bytes: number | undefined
  readonly blocks: number | undefined
}

/** A sandbox as it is written: paths are neither interpolated nor expanded. */
export interface SandboxEntry {
  readonly read: Strings
  readonly write: Strings
  readonly network: boolean
}

interface ServerFields {
  readonly enabled: Located<boolean>
  readonly transport: Located<string>
  readonly command: Located<string>
  readonly args: Located<Strings>
  readonly cwd: Located<string>
  readonly sandbox: Located<SandboxEntry | false>
  readonly url: Located<string>
  readonly allowPrivate: Located<boolean>
  readonly auth: Located<AuthEntry>
  readonly timeout: Located<number>
  readonly toolTimeout: Located<number>
  readonly restartOnCrash: Located<boolean>
  readonly maxRestarts: Located<number>
  readonly toolPrefix: Located<string>
  readonly lazy: Located<boolean>
  readonly idleTtlMs: Located<number>
  readonly share: Located<boolean | string>
  readonly protocol: Located<string>
  readonly resources: Located<boolean>
  readonly include: Located<Strings>
  readonly exclude: Located<Strings>
  readonly ask: Located<Strings>
  readonly budgetBytes: Located<number>
  readonly budgetBlocks: Located<number>
  readonly budgetTools: Located<ReadonlyArray<ToolBudgetEntry>>
  readonly limitPerMinute: Located<number>
  readonly limitBurst: Located<number>
  readonly limitInFlight: Located<number>
  readonly limitFailures: Located<number>
  readonly limitCoolDownMs: Located<number>
  readonly resourceFilter: Located<Strings>
  readonly resourceContext: Located<boolean>
  readonly resourceRefreshMs: Located<number>
  readonly roots: Located<boolean>
  readonly sampling: Located<boolean | string>
  readonly elicitation: Located<boolean | string>
  readonly contentMode: Located<string>
  readonly onFinding: Located<OnFinding>
  readonly blockSecretArguments: Located<boolean>
  readonly pin: Located<string>
  readonly allowEnv: Located<Strings>
}

export interface NamedText extends Located<string> {
  readonly name: string
}

export interface ServerEntry {
  readonly path: KeyPath
  readonly fields: Partial<ServerFields>
  readonly env: ReadonlyMap<string, NamedText>
  /** By lower-case name, since that is how servers compare them. */
  readonly headers: ReadonlyMap<string, NamedText>
  /** Whether all of it could be read; what seems to be missing may else be what is already reported. */
  readonly sound: boolean
}

/** What is asked about at one place is asked about, whatever another one says. */
const mergeAsk = (base: ServerEntry["fields"], over: ServerEntry["fields"]): Pick<Partial<ServerFields>, "ask"> =>
  base.ask === undefined || over.ask === undefined
    ? {}
    : { ask: { path: over.ask.path, value: [...base.ask.value, ...over.ask.value] } }

/** Fields of `over` stand in for those of `base`. */
export const mergeEntries = (base: ServerEntry, over: ServerEntry): ServerEntry => ({
  path: over.path,
  fields: { ...base.fields, ...over.fields, ...mergeAsk(base.fields, over.fields) },
  env: new Map([...base.env, ...over.env]),
  headers: new Map([...base.headers, ...over.headers]),
  sound: base.sound && over.sound
})

const patience = Field.patience("a positive number of milliseconds", 1, TIMER_MAX_MS)
const millisecondsOrNever = Field.milliseconds("a number of milliseconds, or 0 for never", 0, TIMER_MAX_MS)
const amount = Field.whole("a positive number", 1)
const BUDGET_KEYS = ["bytes", "blocks"]

interface Given {
  readonly key: string
  readonly path: KeyPath
  readonly value: unknown
}

/** The members of an entry under their own names, each at most once. */
const canonicalMembers = (
  report: Report,
  dialect: Dialect,
  path: KeyPath,
  raw: Record<string, unknown>
): ReadonlyMap<ServerKey, Given> => {
  const given = new Map<ServerKey, Given>()
  for (const [key, value] of Field.membersOf(raw)) {
    const place = [...path, key]
    const canonical = canonicalKey(key)
    const other = canonical === undefined ? undefined : given.get(canonical)
    const unsupported = unsupportedKey(key)
    if (other !== undefined) report.error(place, `means the same as "${other.key}", which is also given: keep one`)
    else if (canonical !== undefined) given.set(canonical, { key, path: place, value })
    else if (unsupported !== undefined) report.error(place, unsupported)
    else if (isInert(dialect, key)) report.warn(place, "has no effect here")
    else report.error(place, unknownKey(key, SERVER_KEY_NAMES))
  }
  return given
}

const byName = (
  report: Report,
  given: Given | undefined,
  identity: (name: string) => string
): ReadonlyMap<string, NamedText> => {
  const texts = new Map<string, NamedText>()
  if (given === undefined) return texts
  for (const [name, located] of Field.scalars(report, given.path, given.value) ?? []) {
    if (texts.has(identity(name))) report.error(located.path, "differs from another name only by case: keep one")
    texts.set(identity(name), { name, ...located })
  }
  return texts
}

/** An empty list would leave no tool at all; nobody means that, and `enabled: false` says it better. */
const includes: Field.Read<Strings> = (report, path, value) => {
  const read = Field.globs(report, path, value)
  if (Array.isArray(value) && value.length === 0) {
    report.error(path, "must not be empty: leave it away for all tools, or set enabled: false for none")
  }
  return read
}

/** Budgets by globs over tool names, in the order in which they are written. */
const toolBudgets: Field.Read<ReadonlyArray<ToolBudgetEntry>> = (report, path, value) => {
  const globs = Field.record(report, path, value)
  return globs === undefined
    ? undefined
    : Field.membersOf(globs).map(([tools, given]) => {
        const place = [...path, tools]
        if (tools.trim() === "") report.error(place, "the name or pattern of a tool must not be empty")
        const object = Field.closed(report, place, given, BUDGET_KEYS)
        const take = (key: string) => {
          const raw = Field.member(object, key)
          return raw === undefined ? undefined : amount(report, [...place, key], raw)
        }
        return { tools, bytes: take("bytes"), blocks: take("blocks") }
      })
}

const NO_MORE: SandboxEntry = { read: [], write: [], network: false }

/** Taken as a whole: what one place lists is not opened by what another one leaves out. */
const sandbox: Field.Read<SandboxEntry | false> = (report, path, value) => {
  if (typeof value === "boolean") return value && NO_MORE
  if (!isObject(value)) {
    report.error(path, `must be true, false or an object, is ${Field.kindOf(value)}`)
    return undefined
  }
  const object = Field.closed(report, path, value, ["filesystem", "network"])
  const files = Field.closed(report, [...path, "filesystem"], Field.member(object, "filesystem"), ["read", "write"])
  const paths = (key: string) => {
    const given = Field.member(files, key)
    return given === undefined ? [] : (Field.paths(report, [...path, "filesystem", key], given) ?? [])
  }
  const network = Field.member(object, "network")
  return {
    read: paths("read"),
    write: paths("write"),
    network: network === undefined ? false : (Field.flag(report, [...path, "network"], network) ?? false)
  }
}

export const readServerEntry = (
  report: Report,
  dialect: Dialect,
  path: KeyPath,
  value: unknown
): ServerEntry | undefined => {
  const raw = Field.record(report, path, value)
  if (raw === undefined) return undefined
  const errorsBefore = report.errorCount()
  const given = canonicalMembers(report, dialect, path, raw)

  const located = <A>(place: KeyPath, read: Field.Read<A>, inner: unknown): Located<A> | undefined => {
    const result = inner === undefined ? undefined : read(report, place, inner)
    return result === undefined ? undefined : { path: place, value: result }
  }
  const take = <A>(key: ServerKey, read: Field.Read<A>) => {
    const one = given.get(key)
    return one === undefined ? undefined : located(one.path, read, one.value)
  }
  const within = (key: "tools" | "budget" | "limits", known: ReadonlyArray<string>) => {
    const place = given.get(key)?.path ?? path
    const object = Field.closed(report, place, given.get(key)?.value, known)
    return <A>(inner: string, read: Field.Read<A>) => located([...place, inner], read, Field.member(object, inner))
  }

  const headers = byName(report, given.get("headers"), (name) => name.toLowerCase())
  const auth = given.get("auth")
  const scheme = headerScheme(auth?.value)
  const ofAuth =
    scheme === undefined || auth === undefined || !isObject(auth.value)
      ? undefined
      : readHeaderAuth(report, auth.path, auth.value, scheme, headers)
  if (scheme !== undefined && auth !== undefined && given.has("command") && !given.has("url")) {
    report.error(auth.path, 'is for servers with a "url": a stdio server gets its credentials in "env"')
  }
  const enabled = take("enabled", Field.flag)
  const negated = given.get("enabled")?.key === SERVER_KEYS.enabled.aliases[0]
  const tools = within("tools", ["include", "exclude", "ask"])
  const budget = within("budget", [...BUDGET_KEYS, "tools"])
  const limits = within("limits", LIMIT_KEYS)
  const read = {
    path,
    fields: Field.defined<ServerFields>({
      enabled: enabled && negated ? { ...enabled, value: !enabled.value } : enabled,
      transport: take("transport", Field.word(["stdio", "sse", "http"])),
      command: take("command", Field.text),
      args: take("args", Field.args),
      cwd: take("cwd", Field.text),
      sandbox: take("sandbox", sandbox),
      url: take("url", Field.text),
      allowPrivate: take("allowPrivate", Field.flag),
      auth: scheme === undefined ? take("auth", readAuth) : undefined,
      timeout: take("timeout", patience),
      toolTimeout: take("toolTimeout", patience),
      restartOnCrash: take("restartOnCrash", Field.flag),
      maxRestarts: take("maxRestarts", Field.whole("0 or a positive number", 0)),
      toolPrefix: take("toolPrefix", Field.text),
      lazy: take("lazy", Field.flag),
      idleTtlMs: take("idleTtlMs", millisecondsOrNever),
      share: take("share", Field.sharing),
      protocol: take("protocol", Field.word(PROTOCOLS)),
      resources: take("resources", Field.flag),
      include: tools("include", includes),
      exclude: tools("exclude", Field.globs),
      ask: tools("ask", Field.globs),
      budgetBytes: budget("bytes", amount),
      budgetBlocks: budget("blocks", amount),
      budgetTools: budget("tools", toolBudgets),
      limitPerMinute: limits("perMinute", readLimit.perMinute),
      limitBurst: limits("burst", readLimit.burst),
      limitInFlight: limits("inFlight", readLimit.inFlight),
      limitFailures: limits("failures", readLimit.failures),
      limitCoolDownMs: limits("coolDownMs", readLimit.coolDownMs),
      resourceFilter: take("resourceFilter", Field.globs),
      resourceContext: take("resourceContext", Field.flag),
      resourceRefreshMs: take("resourceRefreshMs", millisecondsOrNever),
      roots: take("roots", Field.flag),
      sampling: take("sampling", Field.permission),
      elicitation: take("elicitation", Field.permission),
      contentMode: take("contentMode", Field.word(CONTENT_MODES)),
      onFinding: take("onFinding", readOnFinding),
      blockSecretArguments: take("blockSecretArguments", Field.flag),
      pin: take("pin", Field.word(PIN_MODES)),
      allowEnv: take("allowEnv", Field.names)
    }),
    env: byName(report, given.get("env"), (name) => name),
    headers: ofAuth === undefined ? headers : new Map([...headers, [ofAuth.name.toLowerCase(), ofAuth]])
  }
  return { ...read, sound: report.errorCount() === errorsBefore }
}
