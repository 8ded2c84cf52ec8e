/**
 * `secrets`: how the providers of secrets are reached. It stands under `mcp` in openclaw.json, and beside `servers` or
 * `mcpServers` in files of those forms.
 *
 * OpenClaw has a top-level `secrets` of its own, in another shape (`providers`, `defaults`, `resolution`). It is left alone,
 * and so is whatever another program keeps under that name.
 */
import { TIMER_MAX_MS } from "../defaults/Configuration.ts"
import { VAULT_APPROLE_MOUNT } from "../defaults/Secrets.ts"
import type { ConfigIssue } from "./GatewayConfig.ts"
import { isObject } from "../data/Json.ts"
import { nearest } from "../call/Names.ts"
import { DEFAULT_SECRETS, type SecretCommand, type SecretsConfig, type VaultConfig } from "../secret/SecretsConfig.ts"
import { warnOfSecretsCredential } from "./Credentials.ts"
import * as Field from "./Fields.ts"
import type { KeyPath, Located } from "./KeyPath.ts"
import { checkReferences, type KnownSecrets } from "./References.ts"
import type { Report, WholeReport } from "./Report.ts"
import {
  checkUrl,
  expandArgument,
  expandCommand,
  optionBefore,
  refuseMask,
  refuseSecret,
  resolveText,
  type Resolved,
  type Surroundings,
  warnOfSpaces
} from "./Resolve.ts"
import { secretsKeysIn } from "./SecretsKeys.ts"
import { checkVariables } from "./Variables.ts"

const KEYS = secretsKeysIn("")
const OPENCLAW_KEYS = ["providers", "defaults", "resolution"]

// ---- where it stands -----------------------------------------------------------------------------------------------

interface Place {
  readonly path: KeyPath
  readonly value: unknown
}

const has = (value: Record<string, unknown>, keys: ReadonlyArray<string>): boolean =>
  keys.some((key) => Field.member(value, key) !== undefined)

/** A key of ours, or one that was meant to be. */
const isLikeOurs = (value: Record<string, unknown>): boolean =>
  Field.membersOf(value).some(([key]) => KEYS.includes(key) || nearest(key, KEYS) !== null)

/** The `secrets` at the top, if it is meant for us. */
const atTop = (report: Report, root: Record<string, unknown>): Place | undefined => {
  const value = Field.member(root, "secrets")
  const path = ["secrets"]
  if (value === undefined) return undefined
  const isOpenClaws = isObject(value) && has(value, OPENCLAW_KEYS) && !has(value, KEYS)
  if (isOpenClaws) return undefined
  if (has(root, ["servers"])) return { path, value }
  if (!isObject(value) || !isLikeOurs(value)) return undefined
  if (has(root, ["mcpServers"])) return { path, value }
  if (has(value, KEYS)) report.warn(path, 'has no effect here: it stands under "mcp.secrets"')
  return undefined
}

/** The section of a configuration, wherever it stands; `inMcp` is the one under `mcp`. */
export const findSecrets = (report: Report, root: Record<string, unknown>, inMcp: unknown): Place | undefined => {
  const top = atTop(report, root)
  if (inMcp === undefined) return top
  if (top !== undefined) report.error(top.path, 'means the same as "mcp.secrets", which is also given: keep one')
  return { path: ["mcp", "secrets"], value: inMcp }
}

// ---- what it says --------------------------------------------------------------------------------------------------

/** References of the section itself: what they need must not need it again. */
const PROVIDERS = ["env", "file", "exec", "keychain"]
const PROVIDERS_OF_COMMANDS = ["env", "file"]

interface Context {
  readonly report: Report
  readonly surroundings: Surroundings & KnownSecrets
}

/** Nothing in this section is a pattern or a word that could be meant: whatever looks like a mask is one. */
const ANY_MASK = "secret"

/** A text that is told openly. `undefined` when it is left out, and when nothing is left of it: `${NAME:-}`. */
const plain = ({ report, surroundings }: Context, path: KeyPath, raw: unknown): Resolved | undefined => {
  const value = raw === undefined ? undefined : Field.text(report, path, raw)
  if (value === undefined) return undefined
  const resolved = resolveText(report, surroundings.env, true, { path, value })
  refuseSecret(report, resolved)
  refuseMask(report, resolved, ANY_MASK)
  return resolved.text.trim() === "" ? undefined : resolved
}

const checkCredential = (
  { report, surroundings }: Context,
  located: Located<string>,
  providers: ReadonlyArray<string>,
  consequence: string
): string => {
  const resolved = resolveText(report, surroundings.env, true, located)
  checkReferences(report, surroundings, located, { providers, consequence })
  refuseMask(report, resolved, providers === PROVIDERS ? ANY_MASK : String(located.path.at(-1)))
  return resolved.text
}

const credential = (context: Context, path: KeyPath, raw: unknown): string | undefined => {
  const value = raw === undefined ? undefined : Field.text(context.report, path, raw)
  if (value === undefined) return undefined
  const text = checkCredential(context, { path, value }, PROVIDERS, "Vault cannot be asked without")
  return text.trim() === "" ? undefined : text
}

const COMMAND_KEYS = secretsKeysIn("exec.NAME")
const COMMAND_NAME = /^(?!\.{1,2}$)[A-Za-z0-9_.-]{1,64}$/

const readCommand = (context: Context, name: string, path: KeyPath, value: unknown): SecretCommand | undefined => {
  const { report, surroundings } = context
  const raw = Field.closed(report, path, value, COMMAND_KEYS)
  const given = Field.member(raw, "command")
  const program = plain(context, [...path, "command"], given)
  if (program === undefined) {
    if (isObject(value) && given === undefined) report.error(path, 'needs a "command"')
    return undefined
  }
  warnOfSpaces(report, program)
  const args = Field.member(raw, "args")
  const env = Field.member(raw, "env")
  const variables = ((env === undefined ? undefined : Field.scalars(report, [...path, "env"], env)) ?? []).map(
    ([variable, located]) => ({ name: variable, ...located })
  )
  checkVariables(report, variables, [], () => "set it in a script that the command starts")
  for (const variable of variables) {
    warnOfSecretsCredential(report, `exec.${name}.env.${variable.name}`, variable.name, variable)
  }
  return {
    command: expandCommand(program.text, undefined, surroundings),
    args: ((args === undefined ? undefined : Field.args(report, [...path, "args"], args)) ?? []).map(
      (located, index, all) => {
        const resolved = resolveText(report, surroundings.env, true, located)
        refuseSecret(report, resolved)
        refuseMask(report, resolved, optionBefore(all, index))
        return expandArgument(resolved.text, surroundings.home)
      }
    ),
    env: Object.fromEntries(
      variables.map((variable) => [
        variable.name,
        checkCredential(context, variable, PROVIDERS_OF_COMMANDS, `the command '${name}' cannot run without`)
      ])
    )
  }
}

const readCommands = (
  report: Report,
  part: <A>(name: string, read: (context: Context) => A) => A,
  path: KeyPath,
  value: unknown
): SecretsConfig["exec"] => {
  const raw = value === undefined ? undefined : Field.record(report, path, value)
  const commands = (raw === undefined ? [] : Field.membersOf(raw)).flatMap(([name, command]) => {
    const place = [...path, name]
    if (!COMMAND_NAME.test(name) || Field.RESERVED_NAMES.has(name)) {
      report.error(place, 'is no name for a command: 1 to 64 letters, digits, "_", "-" or "."')
    }
    const read = part(`exec/${name}`, (context) => readCommand(context, name, place, command))
    return read === undefined ? [] : [[name, read] as const]
  })
  return Object.fromEntries(commands)
}

const APP_ROLE_KEYS = secretsKeysIn("vault.appRole")

const readAppRole = (context: Context, path: KeyPath, value: unknown): VaultConfig["appRole"] => {
  const { report } = context
  if (value === undefined) return undefined
  const before = report.errorCount()
  const raw = Field.closed(report, path, value, APP_ROLE_KEYS)
  const [roleId, secretId] = ["roleId", "secretId"].map((key) =>
    credential(context, [...path, key], Field.member(raw, key))
  )
  const mount = plain(context, [...path, "mount"], Field.member(raw, "mount"))
  if (roleId !== undefined && secretId !== undefined) {
    return { roleId, secretId, mount: mount?.text ?? VAULT_APPROLE_MOUNT }
  }
  // Both given, and nothing left of either: the variables that they come from are not set, and that was foreseen.
  const isLeftOut = roleId === secretId && ["roleId", "secretId"].every((key) => Field.member(raw, key) !== undefined)
  if (!isLeftOut && report.errorCount() === before) report.error(path, 'needs a "roleId" and a "secretId"')
  return undefined
}

const LOOPBACK = /^(?:localhost|\[::1\]|127(?:\.\d{1,3}){3})$/

/** Over http to another machine the token could be read on the way: Vault is not asked so. */
const checkVaultAddress = (report: Report, address: Resolved): void => {
  checkUrl(report, address)
  const url = address.complete ? URL.parse(address.text) : null
  if (url?.protocol === "http:" && !LOOPBACK.test(url.hostname)) {
    report.error(address.path, "must begin with https://, unless Vault is on this machine")
  }
}

const VAULT_KEYS = secretsKeysIn("vault")

const readVault = (context: Context, path: KeyPath, value: unknown): VaultConfig => {
  const { report } = context
  const raw = Field.closed(report, path, value, VAULT_KEYS)
  const address = plain(context, [...path, "address"], Field.member(raw, "address"))
  if (address !== undefined) checkVaultAddress(report, address)
  const namespace = plain(context, [...path, "namespace"], Field.member(raw, "namespace"))
  const token = credential(context, [...path, "token"], Field.member(raw, "token"))
  const appRole = readAppRole(context, [...path, "appRole"], Field.member(raw, "appRole"))
  if (token !== undefined && appRole !== undefined) {
    report.error([...path, "appRole"], 'is another way in than "token", which is also given: keep one')
  }
  const secretId = isObject(raw["appRole"]) ? Field.member(raw["appRole"], "secretId") : undefined
  for (const [key, written] of [
    ["token", Field.member(raw, "token")] as const,
    ["appRole.secretId", secretId] as const
  ]) {
    if (typeof written !== "string") continue
    warnOfSecretsCredential(report, `vault.${key}`, "always", { path: [...path, ...key.split(".")], value: written })
  }
  return Field.defined<VaultConfig>({ address: address?.text, namespace: namespace?.text, token, appRole })
}

/** The providers that take nothing but a few plain words. */
const readWords = <K extends string>(
  context: Context,
  path: KeyPath,
  value: unknown,
  keys: ReadonlyArray<K>
): { readonly [_ in K]?: string } => {
  const raw = Field.closed(context.report, path, value, keys)
  const words = keys.map((key) => [key, plain(context, [...path, key], Field.member(raw, key))?.text] as const)
  return Object.fromEntries(words.filter(([, word]) => word !== undefined)) as { readonly [_ in K]?: string }
}

const milliseconds = Field.whole("a number of milliseconds, or 0 to keep nothing", 0, TIMER_MAX_MS)

/** The section, and the names of its commands: also of those that could not be read, which are reported already. */
export const readSecrets = (
  report: WholeReport,
  surroundings: Surroundings,
  place: Place | undefined
): KnownSecrets & { readonly secrets: SecretsConfig } => {
  if (place === undefined) return { secrets: DEFAULT_SECRETS, commands: [] }
  const { path } = place
  const raw = Field.closed(report, path, place.value, KEYS)
  const exec = Field.member(raw, "exec")
  const commands = isObject(exec) ? Field.membersOf(exec).map(([name]) => name) : []
  const faults: Array<readonly [string, ConfigIssue]> = []
  /** What the settings of one provider refer to in vain is the fault of that provider alone. */
  const part = <A>(name: string, read: (context: Context) => A): A => {
    const own = report.ofPart()
    const settings = read({ report: own, surroundings: { ...surroundings, commands } })
    const fault = own.fault()
    if (fault !== undefined) faults.push([name, fault])
    return settings
  }
  const at = (key: string) => [[...path, key], Field.member(raw, key)] as const
  const ttlMs = Field.member(raw, "ttlMs")
  const kept = ttlMs === undefined ? undefined : milliseconds(report, [...path, "ttlMs"], ttlMs)
  const secrets: SecretsConfig = {
    ttlMs: kept ?? DEFAULT_SECRETS.ttlMs,
    exec: readCommands(report, part, ...at("exec")),
    vault: part("vault", (context) => readVault(context, ...at("vault"))),
    gcp: part("gcp", (context) => readWords(context, ...at("gcp"), ["project"])),
    aws: part("aws", (context) => readWords(context, ...at("aws"), ["region", "profile"])),
    op: part("op", (context) => readWords(context, ...at("op"), ["account"]))
  }
  return { commands, secrets: faults.length === 0 ? secrets : { ...secrets, faults: Object.fromEntries(faults) } }
}
