/**
 * A server entry at one place of a configuration: types checked, aliases and unknown keys handled, but neither merged nor
 * interpolated. Entries of the same server are merged field by field, `env` and `headers` key by key.
 */
import type * as Schema from "effect/Schema"
import { isObject } from "../data/Json.ts"
import { approversOf } from "../call/Approvers.ts"
import { type AuthEntry, readAuth } from "./AuthEntry.ts"
import { type Dialect, isInert, unsupportedKey } from "./Dialects.ts"
import { membersOf, record } from "./Fields.ts"
import { headerScheme, readHeaderAuth } from "./HeaderAuth.ts"
import { scalar } from "./Keys.ts"
import { itemsOf, type KeyPath, type Located, type NamedText } from "./KeyPath.ts"
import { type Keys, readKeys, readValue } from "./ReadKeys.ts"
import { type Report, unknownKey } from "./Report.ts"
import { GROUPS } from "./ServerParts.ts"
import { checkApprovers } from "./ToolRulesEntry.ts"
import { aliasesOf, canonicalKey, SERVER_KEY_NAMES, SERVER_KEYS, type ServerKey } from "./ServerKeys.ts"

type Group = keyof typeof GROUPS
type TypeOf<K extends Keys> = Required<Schema.Struct.Type<K>>
type AllLocated<A> = { readonly [K in keyof A]?: Located<A[K]> }

/** As written: a text may still contain variables. */
export type ServerFields = AllLocated<
  Omit<TypeOf<typeof SERVER_KEYS>, Group | "auth" | "env" | "headers"> & { readonly auth: AuthEntry }
> & { readonly [G in Group]?: AllLocated<TypeOf<(typeof GROUPS)[G]>> }

export interface ServerEntry {
  readonly path: KeyPath
  readonly fields: ServerFields
  readonly env: ReadonlyMap<string, NamedText>
  /** By lower-case name, because servers ignore case. */
  readonly headers: ReadonlyMap<string, NamedText>
  /** The tools that need approval. Entries add up: a later one cannot remove those of an earlier one. */
  readonly ask: ReadonlyArray<Located<string>> | undefined
  /** Who approves their calls. Entries add up as well. */
  readonly approvers: ReadonlyArray<string> | undefined
  /** Whether the whole entry was valid; if not, something that seems missing may have been reported already. */
  readonly sound: boolean
}

const merged = (base: ServerFields, over: ServerFields): Pick<ServerFields, Group> =>
  Object.fromEntries(
    (Object.keys(GROUPS) as ReadonlyArray<Group>)
      .filter((group) => base[group] !== undefined || over[group] !== undefined)
      .map((group) => [group, { ...base[group], ...over[group] }])
  )

/** Fields of `over` override those of `base`. */
export const mergeEntries = (base: ServerEntry, over: ServerEntry): ServerEntry => ({
  path: over.path,
  fields: {
    ...base.fields,
    ...over.fields,
    ...merged(base.fields, over.fields)
  },
  ask: base.ask === undefined || over.ask === undefined ? (over.ask ?? base.ask) : [...base.ask, ...over.ask],
  approvers: approversOf(base.approvers, over.approvers),
  env: new Map([...base.env, ...over.env]),
  headers: new Map([...base.headers, ...over.headers]),
  sound: base.sound && over.sound
})

interface Given {
  readonly key: string
  readonly path: KeyPath
  readonly value: unknown
}

/** The members of an entry under their canonical names, each at most once. */
const canonicalMembers = (
  report: Report,
  dialect: Dialect,
  path: KeyPath,
  raw: Record<string, unknown>
): ReadonlyMap<ServerKey, Given> => {
  const given = new Map<ServerKey, Given>()
  for (const [key, value] of membersOf(raw)) {
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
  const members = given === undefined ? undefined : record(report, given.path, given.value)
  for (const [name, raw] of members === undefined ? [] : membersOf(members)) {
    const path = [...given!.path, name]
    const value = readValue(scalar, report, path, raw)
    if (value === undefined) continue
    if (texts.has(identity(name))) report.error(path, "differs from another name only in case: keep one")
    texts.set(identity(name), { name, path, value })
  }
  return texts
}

/** Each value with its path. */
const locate = <A extends object>(path: KeyPath, values: A): AllLocated<Required<A>> =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, { path: [...path, key], value }])
  ) as unknown as AllLocated<Required<A>>

const isGroup = (key: string): key is Group => Object.hasOwn(GROUPS, key)
const NEGATED = aliasesOf("enabled")[0]

/** Decodes one key, independently of others; keys with their own decoder are left out. */
const readField = (report: Report, key: ServerKey, { key: written, path, value }: Given): unknown => {
  if (key === "env" || key === "headers") return undefined
  if (isGroup(key)) return locate(path, readKeys<Keys>(GROUPS[key], report, path, value))
  if (key === "auth") {
    const auth = headerScheme(value) === undefined ? readAuth(report, path, value) : undefined
    return auth && { path, value: auth }
  }
  const read: unknown = readValue(SERVER_KEYS[key], report, path, value)
  return read === undefined ? undefined : { path, value: written === NEGATED ? read === false : read }
}

export const readServerEntry = (
  report: Report,
  dialect: Dialect,
  path: KeyPath,
  value: unknown
): ServerEntry | undefined => {
  const raw = record(report, path, value)
  if (raw === undefined) return undefined
  const errorsBefore = report.errorCount()
  const given = canonicalMembers(report, dialect, path, raw)
  const headers = byName(report, given.get("headers"), (name) => name.toLowerCase())
  const auth = given.get("auth")
  const scheme = headerScheme(auth?.value)
  const ofAuth =
    scheme === undefined || auth === undefined || !isObject(auth.value)
      ? undefined
      : readHeaderAuth(report, auth.path, auth.value, scheme, headers)
  if (scheme !== undefined && auth !== undefined && given.has("command") && !given.has("url")) {
    report.error(auth.path, 'is for servers with a "url": pass credentials to a stdio server in "env"')
  }
  const fields = Object.fromEntries(
    [...given].flatMap(([key, one]) => {
      const field = readField(report, key, one)
      return field === undefined ? [] : [[key, field] as const]
    })
  ) as ServerFields
  const env = byName(report, given.get("env"), (name) => name)
  const { approvers, ask } = fields.tools ?? {}
  if (approvers !== undefined) checkApprovers(report, approvers.path, approvers.value)
  return {
    path,
    fields,
    ask: ask && itemsOf(ask),
    approvers: approvers?.value,
    env,
    headers: ofAuth === undefined ? headers : new Map([...headers, [ofAuth.name.toLowerCase(), ofAuth]]),
    sound: report.errorCount() === errorsBefore
  }
}
