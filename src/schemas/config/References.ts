/**
 * Checks `secret://` references without contacting anybody: that they are well-formed, that their provider exists and could
 * resolve them, and that the command of `secret://exec/NAME` is configured. They are resolved just before a server starts. So
 * a variable that is not set now only causes a warning: it may be set by then.
 */
import { hasLettersOf, nearest } from "../call/Names.ts"
import { formProblem } from "../secret/ReferenceForm.ts"
import { parse, type Reference, SECRET_PROVIDERS } from "../secret/SecretReference.ts"
import {
  almostIn,
  FOR_ONE_PERSON,
  meantIn,
  placeholderFault,
  placeholderIn,
  withSample
} from "../connection/PersonPlaceholder.ts"
import type { Launch } from "../connection/ServerConfig.ts"
import { secretsOf } from "./AuthEntry.ts"
import { interpolate } from "./Interpolation.ts"
import { itemsOf, type Located } from "./KeyPath.ts"
import type { Report } from "./Report.ts"
import type { Surroundings } from "./Resolve.ts"
import type { ServerEntry } from "./ServerEntry.ts"

/** What is known about the sources of secrets. */
export interface KnownSecrets {
  /** The names in `secrets.exec`. */
  readonly commands: ReadonlyArray<string>
}

export interface ReferenceRules {
  /** The consequence of a missing value, for the beginning of the message. */
  readonly consequence: string
  /** The allowed providers. Default: all. */
  readonly providers?: ReadonlyArray<string>
}

type Context = Surroundings & KnownSecrets

/** `, did you mean 'x'?`, or the possible names. In words of three letters, swapped letters count as a typing error, too. */
const hint = (name: string, known: ReadonlyArray<string>, none: string): string => {
  const near = nearest(name, known) ?? known.find((one) => hasLettersOf(name, one))
  if (near !== undefined) return `, did you mean '${near}'?`
  return known.length === 0 ? `: ${none}` : `: there are ${known.join(", ")}`
}

/** Where only some providers are allowed, none of a program's own is. */
const checkProvider = (
  report: Report,
  { foreignProviders }: Context,
  { path }: Located<string>,
  name: string,
  { providers }: ReferenceRules
): void => {
  if (SECRET_PROVIDERS.some((provider) => provider === name)) {
    if (providers?.includes(name) !== false) return
    return report.unmet(path, `cannot refer to ${name} here, only to ${providers.join(", ")}`)
  }
  const problem = `there is no secret provider '${name}'${hint(name, SECRET_PROVIDERS, "")}`
  if (foreignProviders === true && providers === undefined) {
    report.warn(path, `${problem} (unless the program brings it)`)
  } else {
    report.unmet(path, problem)
  }
}

const checkReference = (
  report: Report,
  context: Context,
  located: Located<string>,
  reference: Reference,
  rules: ReferenceRules
): void => {
  const { path, provider, written } = reference
  checkProvider(report, context, located, provider, rules)
  if (rules.providers?.includes(provider) === false) return
  const problem = formProblem(reference)
  // The text is not shown: a variable may have put a secret there.
  if (problem !== undefined) return report.unmet(located.path, `holds a reference that can never work: ${problem}`)
  if (provider === "exec" && !context.commands.includes(path)) {
    const known = hint(path, context.commands, `"secrets.exec" has none`)
    report.unmet(located.path, `there is no command '${path}' for ${written}${known}`)
  }
  const { env } = context
  if (provider === "env" && /^[A-Za-z_]\w*$/.test(path) && (!Object.hasOwn(env, path) || env[path] === undefined)) {
    report.warn(located.path, `environment variable ${path} is not set: ${rules.consequence} ${written}`)
  }
}

/** The text after the first occurrence of `part`. */
const afterOf = (text: string, part: string): string => text.slice(text.indexOf(part) + part.length)

/** Checks every reference in a text with expanded variables. Missing variables are reported elsewhere. */
export const checkReferences = (
  report: Report,
  context: Context,
  located: Located<string>,
  rules: ReferenceRules
): void => {
  const { malformed, missing, text } = interpolate(located.value, context.env)
  if (malformed || missing.length > 0) return
  const parsed = parse(text)
  // The text is not shown: a variable may have put a secret there.
  if ("malformed" in parsed) {
    return report.unmet(located.path, `holds a secret:// reference that cannot be read: ${parsed.malformed.detail}`)
  }
  for (const part of parsed.parts) {
    if (typeof part === "string") continue
    checkReference(report, context, located, part, rules)
    // A colon ends a reference, because user and password are often joined by one.
    if (part.provider === "aws" && /^:\w/.test(afterOf(text, part.written))) {
      report.warn(
        located.path,
        `the colon ends ${part.written}: if more belongs to it, write it in braces, {secret://aws/…}`
      )
    }
  }
}

const textsOf = (kind: Launch["kind"], { env, fields, headers }: ServerEntry): ReadonlyArray<Located<string>> =>
  kind === "stdio" ? [...env.values(), ...itemsOf(fields.args)] : [...headers.values()]

/** Nothing is filled in there. */
const fixedTextsOf = (kind: Launch["kind"], { fields }: ServerEntry): ReadonlyArray<Located<string>> => {
  const { auth, command, cwd, sandbox, url } = fields
  if (kind !== "stdio")
    return [url, ...(auth === undefined ? [] : secretsOf(auth.value))].filter((text) => text !== undefined)
  const { filesystem = {} } = typeof sandbox?.value === "object" ? sandbox.value : {}
  const paths = (["read", "write"] as const).flatMap((key) =>
    itemsOf({ path: [...(sandbox?.path ?? []), "filesystem", key], value: filesystem[key] ?? [] })
  )
  return [command, cwd, ...paths].filter((text) => text !== undefined)
}

const HOW = 'write {person} in "env", "args" or "headers", and set "share": "person"'

/** What would stay as it is written, so that all persons have the same. */
export const checkPlaceholders = (
  report: Report,
  kind: Launch["kind"],
  entry: ServerEntry,
  isPersonal: boolean
): void => {
  const own = textsOf(kind, entry)
  const fixed = fixedTextsOf(kind, entry)
  const elsewhere = `is filled in only in ${kind === "stdio" ? '"env" and "args"' : '"headers"'}: name the person there`
  const fail = ({ path }: Located<string>, problem: string | undefined) => {
    if (problem !== undefined) report.error(path, problem)
  }
  const idle = (text: Located<string>, found: string | undefined, why: string) =>
    fail(text, found && `holds ${found}, which ${why}`)
  if (isPersonal) {
    for (const text of own) fail(text, placeholderFault(text.value))
    for (const text of fixed) idle(text, meantIn(text.value), elsewhere)
    return
  }
  for (const text of own) {
    const found = placeholderIn(text.value)
    idle(text, found, FOR_ONE_PERSON)
    // What would be wrong as soon as the server is one person's.
    if (found !== undefined) fail(text, placeholderFault(text.value))
  }
  for (const text of fixed) idle(text, placeholderIn(text.value), `${elsewhere}, and set "share": "person"`)
  for (const { path, value } of [...own, ...fixed]) {
    const found = almostIn(value)
    if (found !== undefined) report.warn(path, `holds ${found}, which stays as it is: if the person is meant, ${HOW}`)
  }
}

export const checkServerReferences = (
  report: Report,
  context: Context,
  server: string,
  kind: Launch["kind"],
  entry: ServerEntry,
  isPersonal: boolean
): void => {
  const { auth, url } = entry.fields
  const own = textsOf(kind, entry).map((text) => (isPersonal ? { ...text, value: withSample(text.value) } : text))
  const texts: ReadonlyArray<Located<string>> =
    kind === "stdio"
      ? own
      : [...own, ...(url === undefined ? [] : [url]), ...(auth === undefined ? [] : secretsOf(auth.value))]
  const rules = { consequence: `MCP server '${server}' cannot start without` }
  for (const text of texts) checkReferences(report, context, text, rules)
}
