/** Reads one entry of a client key by key, and remembers where each part of ours was written. */
import { isObject } from "../../data/Json.ts"
import { kindOf, membersOf, RESERVED_NAMES } from "../Fields.ts"
import { formatKeyPath, type KeyPath } from "../KeyPath.ts"
import { unknownKey } from "../Report.ts"
import { canonicalKey, SERVER_KEY_NAMES } from "../ServerKeys.ts"
import type { ClientServer, Remark } from "./ClientServer.ts"
import type { Format, Taking } from "./Format.ts"
import { mapTexts, type Reading } from "./Variables.ts"

/** The server is left in its client's file. */
export class Leave extends Error {
  readonly isBroken: boolean
  readonly path: KeyPath
  constructor(message: string, isBroken: boolean, path: KeyPath = []) {
    super(message)
    this.isBroken = isBroken
    this.path = path
  }
}

/** Texts in which variables are expanded. */
const TEXTS: ReadonlySet<unknown> = new Set(["command", "args", "env", "cwd", "url", "headers", "auth"])

/** Sets a member of an object, in objects that are made on the way; false if it has one already. */
export const setIn = (entry: Record<string, unknown>, [key, ...rest]: KeyPath, value: unknown): boolean => {
  const name = String(key)
  const before = Object.hasOwn(entry, name) ? entry[name] : undefined
  if (rest.length === 0) {
    if (before !== undefined || RESERVED_NAMES.has(name)) return false
    entry[name] = value
    return true
  }
  if (before === undefined) entry[name] = {}
  const inner = entry[name]
  return isObject(inner) && setIn(inner, rest, value)
}

/** `{ a: { b: 1 } }` becomes one entry for `b`, so that parts of an object may come from several keys. */
const partsOf = (own: KeyPath, value: unknown, from: KeyPath): ReadonlyArray<readonly [KeyPath, unknown, KeyPath]> =>
  own.length === 1 && (own[0] === "env" || own[0] === "headers") && isObject(value)
    ? membersOf(value).map(([name, one]) => [[...own, name], one, [...from, name]])
    : [[own, value, from]]

/** What is so anyway. */
const saysNothing = ([key]: KeyPath, value: unknown): boolean =>
  value === undefined ||
  (key === "enabled" && value === true) ||
  (key === "args" && Array.isArray(value) && value.length === 0)

export type TakenEntry = Pick<ClientServer, "entry" | "written" | "remarks">

/** Fails with `Leave`. */
export const takeEntry = (
  format: Format,
  path: KeyPath,
  value: unknown,
  context: Omit<Reading, "remark">
): TakenEntry => {
  if (!isObject(value)) throw new Leave(`must be an object, is ${kindOf(value)}`, true)
  const raw = value
  const entry: Record<string, unknown> = {}
  const places = new Map<string, KeyPath>()
  const remarks: Array<Remark> = []
  const taken = new Set<string>()
  const remark = (at: KeyPath, message: string) => void remarks.push({ path: [...path, ...at], message })
  const see = (key: string): unknown => (Object.hasOwn(raw, key) && raw[key] !== null ? raw[key] : undefined)

  const read = (own: KeyPath, given: unknown, from: KeyPath): unknown =>
    TEXTS.has(own[0])
      ? mapTexts(given, (text) => format.variables.read(text, { ...context, remark: (said) => remark(from, said) }))
      : given

  const place = (own: KeyPath, given: unknown, from: KeyPath): void => {
    if (saysNothing(own, given)) return
    if (setIn(entry, own, given)) places.set(formatKeyPath(own), from)
    else if (RESERVED_NAMES.has(String(own.at(-1)))) remark(from, "has a name that cannot be kept, and was left out")
    else remark(from, "was left out: another key of this entry sets the same")
  }
  const put = (own: KeyPath, given: unknown, from: KeyPath): void => {
    for (const [at, one, origin] of partsOf(own, given, from)) place(at, read(at, one, origin), origin)
  }

  const taking: Taking = {
    see,
    get: (key) => {
      taken.add(key)
      return see(key)
    },
    put,
    own: place,
    remark,
    leave: (reason, key) => {
      throw new Leave(reason, false, key === undefined ? [] : [key])
    }
  }
  format.take?.(taking, context)

  for (const [key, given] of membersOf(raw)) {
    if (taken.has(key) || given === null) continue
    const pair = format.pairs.find(({ theirs }) => theirs === key)
    const reason = Object.hasOwn(format.inert, key) ? format.inert[key] : undefined
    const canonical = canonicalKey(key)
    if (pair !== undefined) put(pair.own, pair.read(given), [key])
    else if (reason !== undefined) {
      if (reason !== "") remark([key], `was left out: ${reason}`)
    } else if (canonical !== undefined)
      put([canonical], key === "disabled" && typeof given === "boolean" ? !given : given, [key])
    else
      remark(
        [key],
        `${unknownKey(key, [...format.pairs.map(({ theirs }) => theirs), ...SERVER_KEY_NAMES])} (it was left out)`
      )
  }

  const headers = entry["headers"]
  if (
    entry["auth"] !== undefined &&
    isObject(headers) &&
    Object.keys(headers).some((name) => AUTHORIZATION.test(name))
  ) {
    const { auth: _, ...rest } = entry
    remark(places.get("auth.type") ?? [], "was left out: the header Authorization says who you are")
    return { entry: rest, written: writtenAt(path, places), remarks }
  }
  return { entry, written: writtenAt(path, places), remarks }
}

const AUTHORIZATION = /^authorization$/i

const writtenAt =
  (path: KeyPath, places: ReadonlyMap<string, KeyPath>) =>
  (own: KeyPath): KeyPath => {
    for (let length = own.length; length > 0; length--) {
      const from = places.get(formatKeyPath(own.slice(0, length)))
      if (from !== undefined) return [...path, ...from, ...own.slice(length)]
    }
    return path
  }
