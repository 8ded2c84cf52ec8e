/**
 * Checks `secrets` after its keys are decoded: expands variables and checks references. Incomplete parts are checked as well,
 * so that everything is reported at once.
 */
import { isObject } from "../data/Json.ts"
import { VAULT_APPROLE_MOUNT } from "../defaults/Secrets.ts"
import {
  APP_ROLE,
  COMMAND,
  isOthers,
  type SecretCommand,
  SECRETS,
  type SecretsConfig,
  VAULT,
  type VaultConfig
} from "../secret/SecretsConfig.ts"
import { warnOfSecretsCredential } from "./Credentials.ts"
import type { ConfigIssue } from "./ConfigIssue.ts"
import { defined, member, membersOf, RESERVED_NAMES } from "./Fields.ts"
import type { KeyPath, Located } from "./KeyPath.ts"
import { checkReferences, type KnownSecrets } from "./References.ts"
import { readKeys } from "./ReadKeys.ts"
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
import { findSection, type Place, readSection } from "./Sections.ts"
import { checkVariables } from "./Variables.ts"

/** The section, wherever it is; `inMcp` is the one under `mcp`. */
export const findSecrets = (report: Report, root: Record<string, unknown>, inMcp: unknown): Place | undefined =>
  findSection(report, isOthers(root) ? {} : root, SECRETS, inMcp)

/** Providers for references in the section itself: they must not depend on the section in turn. */
const PROVIDERS = ["env", "file", "exec", "keychain"]
const PROVIDERS_OF_COMMANDS = ["env", "file"]

interface Context {
  readonly report: Report
  readonly surroundings: Surroundings & KnownSecrets
}

/** Nothing in this section is a pattern or an ordinary word, so anything that looks like a mask is one. */
const ANY_MASK = "secret"

/** A text that is not secret. `undefined` when it is absent or empty after expansion: `${NAME:-}`. */
const plain = ({ report, surroundings }: Context, path: KeyPath, value: string | undefined): Resolved | undefined => {
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

const credential = (context: Context, path: KeyPath, value: string | undefined): string | undefined => {
  if (value === undefined) return undefined
  const text = checkCredential(context, { path, value }, PROVIDERS, "Vault cannot be asked without")
  return text.trim() === "" ? undefined : text
}

const COMMAND_NAME = /^(?!\.{1,2}$)[A-Za-z0-9_.-]{1,64}$/

const readCommand = (context: Context, name: string, path: KeyPath, value: unknown): SecretCommand | undefined => {
  const { report, surroundings } = context
  if (!COMMAND_NAME.test(name) || RESERVED_NAMES.has(name)) {
    report.error(path, 'is not a valid name of a command: 1 to 64 letters, digits, "_", "-" or "."')
  }
  const { args = [], command, env = {} } = readKeys(COMMAND, report, path, value)
  const program = plain(context, [...path, "command"], command)
  if (program === undefined) return undefined
  warnOfSpaces(report, program)
  const variables = Object.entries(env).map(([variable, text]) => ({
    name: variable,
    path: [...path, "env", variable],
    value: text
  }))
  checkVariables(report, variables, [], () => "set it in a script that the command starts")
  for (const variable of variables) {
    warnOfSecretsCredential(report, `exec.${name}.env.${variable.name}`, variable.name, variable)
  }
  const located = args.map((argument, i) => ({ path: [...path, "args", i], value: argument }))
  return {
    command: expandCommand(program.text, undefined, surroundings),
    args: located.map((argument, i) => {
      const resolved = resolveText(report, surroundings.env, true, argument)
      refuseSecret(report, resolved)
      refuseMask(report, resolved, optionBefore(located, i))
      return expandArgument(resolved.text, surroundings.home)
    }),
    env: Object.fromEntries(
      variables.map((variable) => [
        variable.name,
        checkCredential(context, variable, PROVIDERS_OF_COMMANDS, `the command '${name}' cannot run without`)
      ])
    )
  }
}

const readCommands = (
  part: <A>(name: string, read: (context: Context) => A) => A,
  path: KeyPath,
  value: unknown
): SecretsConfig["exec"] => {
  const commands = (isObject(value) ? membersOf(value) : []).flatMap(([name, command]) => {
    const read = part(`exec/${name}`, (context) => readCommand(context, name, [...path, name], command))
    return read === undefined ? [] : [[name, read] as const]
  })
  return Object.fromEntries(commands)
}

const readAppRole = (context: Context, path: KeyPath, value: unknown): VaultConfig["appRole"] => {
  const { report } = context
  if (value === undefined) return undefined
  const given = readKeys(APP_ROLE, report, path, value)
  const roleId = credential(context, [...path, "roleId"], given.roleId)
  const secretId = credential(context, [...path, "secretId"], given.secretId)
  const mount = plain(context, [...path, "mount"], given.mount)
  if (roleId !== undefined && secretId !== undefined) {
    return { roleId, secretId, mount: mount?.text ?? VAULT_APPROLE_MOUNT }
  }
  // Both are empty because their variables are not set, which is allowed.
  if (roleId !== secretId && given.roleId !== undefined && given.secretId !== undefined) {
    report.error(path, 'needs a "roleId" and a "secretId"')
  }
  return undefined
}

const LOOPBACK = /^(?:localhost|\[::1\]|127(?:\.\d{1,3}){3})$/

/** Over http to another machine, the token could be read on the way: such a Vault is not used. */
const checkVaultAddress = (report: Report, address: Resolved): void => {
  checkUrl(report, address)
  const url = address.complete ? URL.parse(address.text) : null
  if (url?.protocol === "http:" && !LOOPBACK.test(url.hostname)) {
    report.error(address.path, "must begin with https://, unless Vault is on this machine")
  }
}

const readVault = (context: Context, path: KeyPath, value: unknown): VaultConfig => {
  const { report } = context
  const given = readKeys(VAULT, report, path, value)
  const role = isObject(value) ? member(value, "appRole") : undefined
  const address = plain(context, [...path, "address"], given.address)
  if (address !== undefined) checkVaultAddress(report, address)
  const namespace = plain(context, [...path, "namespace"], given.namespace)
  const token = credential(context, [...path, "token"], given.token)
  const appRole = readAppRole(context, [...path, "appRole"], role)
  if (token !== undefined && appRole !== undefined) {
    report.error([...path, "appRole"], 'is an alternative to "token", which is also set: keep one')
  }
  const secretId = isObject(role) ? member(role, "secretId") : undefined
  for (const [key, written] of [["token", given.token] as const, ["appRole.secretId", secretId] as const]) {
    if (typeof written !== "string") continue
    warnOfSecretsCredential(report, `vault.${key}`, "always", { path: [...path, ...key.split(".")], value: written })
  }
  return defined<VaultConfig>({ address: address?.text, namespace: namespace?.text, token, appRole })
}

/** The providers whose settings are a few plain texts. */
const resolveWords = <A extends Readonly<Record<string, string>>>(context: Context, path: KeyPath, words: A): A =>
  Object.fromEntries(
    Object.entries(words).flatMap(([key, word]) => {
      const resolved = plain(context, [...path, key], word)
      return resolved === undefined ? [] : [[key, resolved.text]]
    })
  ) as A

/** The section, and the names of its commands, including invalid ones, which are reported already. */
export const readSecrets = (
  report: WholeReport,
  surroundings: Surroundings,
  place: Place | undefined
): KnownSecrets & { readonly secrets: SecretsConfig } => {
  const given = readSection(report, SECRETS, place)
  const { path = [], value } = place ?? {}
  const raw = isObject(value) ? value : {}
  const exec = member(raw, "exec")
  const commands = isObject(exec) ? membersOf(exec).map(([name]) => name) : []
  const faults: Array<readonly [string, ConfigIssue]> = []
  /** A missing reference in the settings of one provider is a fault of that provider only. */
  const part = <A>(name: string, read: (context: Context) => A): A => {
    const own = report.ofPart()
    const settings = read({ report: own, surroundings: { ...surroundings, commands } })
    const fault = own.fault()
    if (fault !== undefined) faults.push([name, fault])
    return settings
  }
  const words = <Name extends "gcp" | "aws" | "op">(name: Name): SecretsConfig[Name] =>
    part(name, (context) => resolveWords<SecretsConfig[Name]>(context, [...path, name], given[name]))
  const secrets: SecretsConfig = {
    ttlMs: given.ttlMs,
    exec: readCommands(part, [...path, "exec"], exec),
    vault: part("vault", (context) => readVault(context, [...path, "vault"], member(raw, "vault"))),
    gcp: words("gcp"),
    aws: words("aws"),
    op: words("op")
  }
  return { commands, secrets: faults.length === 0 ? secrets : { ...secrets, faults: Object.fromEntries(faults) } }
}
