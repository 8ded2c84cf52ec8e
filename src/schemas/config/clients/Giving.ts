/** Writes one entry of ours in the words of a client. What the client has no word for is said. */
import { isObject } from "../../data/Json.ts"
import { membersOf } from "../Fields.ts"
import { formatKeyPath, type KeyPath } from "../KeyPath.ts"
import type { Format, Giving } from "./Format.ts"
import { mapTexts, OnlyTheirs, writeText } from "./Variables.ts"

export type GivenEntry =
  | { readonly entry: Readonly<Record<string, unknown>>; readonly lost: ReadonlyArray<string> }
  | { readonly left: string }

class Unwritten extends Error {}

const at = (entry: Readonly<Record<string, unknown>>, [key, ...rest]: KeyPath): unknown => {
  const value = Object.hasOwn(entry, String(key)) ? entry[String(key)] : undefined
  return rest.length === 0 ? value : isObject(value) ? at(value, rest) : undefined
}

/** The leaves of the groups of keys; other objects are values. */
const GROUPS: ReadonlySet<string> = new Set(["tools", "budget", "limits", "sandbox", "onFinding"])
const leavesOf = (entry: Readonly<Record<string, unknown>>): ReadonlyArray<KeyPath> =>
  membersOf(entry).flatMap(([key, value]) =>
    GROUPS.has(key) && isObject(value) ? membersOf(value).map(([inner]) => [key, inner]) : [[key]]
  )

/** `entry` is written as in openclaw.json, with canonical names. */
export const giveEntry = (format: Format, name: string, entry: Readonly<Record<string, unknown>>): GivenEntry => {
  const written: Record<string, unknown> = {}
  const given = new Set<string>()
  const lost: Array<string> = []
  const put = (theirs: string, value: unknown) => {
    if (value !== undefined) written[theirs] = value
  }
  const texts = (value: unknown): unknown => mapTexts(value, (text) => writeText(format.variables, text))
  const see = (own: string): unknown => at(entry, own.split("."))
  const giving: Giving = {
    see,
    get: (own) => {
      given.add(own)
      return see(own)
    },
    texts,
    put,
    lose: (own, why) => void lost.push(why === undefined ? own : `${own} (${why})`),
    leave: (reason) => {
      throw new Unwritten(reason)
    },
    isRemote: at(entry, ["url"]) !== undefined,
    name
  }
  try {
    format.give?.(giving)
    for (const own of leavesOf(entry)) {
      const key = own.join(".")
      if (given.has(key) || given.has(String(own[0]))) continue
      const pair = format.pairs.find((one) => one.isOld !== true && formatKeyPath(one.own) === formatKeyPath(own))
      const value = at(entry, own)
      if (pair !== undefined) put(pair.theirs, pair.write(texts(value)))
      else if (key !== "enabled") lost.push(key)
      else if (value === false)
        throw new Unwritten("it is disabled here, and the file of this client has no key for that")
    }
    return { entry: written, lost }
  } catch (error) {
    if (error instanceof Unwritten) return { left: error.message }
    if (error instanceof OnlyTheirs)
      return { left: `it needs ${error.message}, which the file of this client cannot hold` }
    throw error
  }
}
