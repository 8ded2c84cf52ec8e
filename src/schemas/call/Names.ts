/**
 * The name codec: from a server's tool to the name that an agent sees. Exposed names match
 * `^[A-Za-z_][A-Za-z0-9_-]{0,63}$` (but for a separator that a program chose), are unique without regard to case, and do not depend on order. No tool of a server gets
 * a name that begins as those of another configured server do, or the name of a tool of the runtime itself, whether that
 * one is there or not. Names are one-way: routing is by map, never by taking a name apart.
 */
import { createHash } from "node:crypto"
import { TOOL_NAME_MAX_CHARS } from "../defaults/Definitions.ts"
import { RUNTIME_TOOLS } from "./RuntimeTools.ts"

/** What may stand between the name of a server and that of its tool. */
export const SEPARATORS = ["__", "_", "--", "-", ":", "/", "."] as const
/** What may stand between the name of a server and that of its tool. */
export type Separator = (typeof SEPARATORS)[number]

/** How the names of tools are built from those of servers and their tools. */
export type NamingStyle =
  /** `mcp_{server}_{tool}`: gateway configuration. */
  | "gateway"
  /** `mcp__{server}__{tool}`: ACP sessions. */
  | "session"
  /** `{server}__{tool}`: `loadMCPServers`. */
  | "library"
  /** `{server}{separator}{tool}`: with `:`, `/` and `.` names are not what every model provider takes. */
  | { readonly separator: Separator }

export interface NameParts {
  readonly server: string
  /** What stands for the server in the name. */
  readonly prefix: string
  readonly tool: string
}

const MAX_LENGTH = 64
/** Hex digits of the hash per level of collision; the last level is out of reach of a deliberate attack. */
const HASH_DIGITS = [0, 8, 16, 32] as const
const LAST_LEVEL = HASH_DIGITS.length - 1
/** What is left of a name beside the longest hash. */
const SHORTEST_STEM = MAX_LENGTH - 1 - HASH_DIGITS[LAST_LEVEL]!

const legal = (text: string) => text.replace(/[^A-Za-z0-9_-]/g, "_")

const aroundOf = (style: NamingStyle): { readonly before: string; readonly between: string } => {
  if (typeof style === "object") return { before: "", between: style.separator }
  if (style === "library") return { before: "", between: "__" }
  return style === "gateway" ? { before: "mcp_", between: "_" } : { before: "mcp__", between: "__" }
}

const compose = (style: NamingStyle, { prefix, tool }: NameParts): string => {
  const { before, between } = aroundOf(style)
  const name = `${before}${legal(prefix)}${between}${legal(tool)}`
  return /^[A-Za-z_]/.test(name) ? name : `_${name}`
}

const beginningOf = (style: NamingStyle, prefix: string): string => compose(style, { server: "", prefix, tool: "" })

/**
 * What every exposed name of a server begins with, a hashed one included; tells which sleeping server may own an unknown
 * name.
 */
export const namePrefix = (style: NamingStyle, prefix: string): string =>
  beginningOf(style, prefix).slice(0, SHORTEST_STEM)

const hashOf = ({ server, tool }: NameParts, digits: number): string =>
  createHash("sha256")
    .update(JSON.stringify([server, tool]))
    .digest("hex")
    .slice(0, digits)

/** What is left of it before a hash. */
const stemOf = (name: string, digits: number): string => name.slice(0, MAX_LENGTH - 1 - digits)

const withHash = (name: string, parts: NameParts, digits: number): string => {
  const needed = name.length > MAX_LENGTH ? Math.max(digits, HASH_DIGITS[1]) : digits
  return needed === 0 ? name : `${stemOf(name, needed)}_${hashOf(parts, needed)}`
}

/** Names that are the same to whoever reads quickly. */
const plainly = (name: string): string => name.toLowerCase().replace(/[-:/.]/g, "_")

/** Whether a name begins as those of one of the servers do; not counted are beginnings of at most `shortest` characters. */
export const beginsLikeOneOf = (
  style: NamingStyle,
  prefixes: Iterable<string>
): ((name: string, shortest?: number) => boolean) => {
  const beginnings = new Set(Array.from(prefixes, (prefix) => plainly(beginningOf(style, prefix))))
  let longest = 0
  for (const { length } of beginnings) longest = Math.max(longest, length)
  return (name, shortest = 0) => {
    const wanted = plainly(name.slice(0, longest))
    for (let end = wanted.indexOf("_", shortest); end !== -1; end = wanted.indexOf("_", end + 1)) {
      if (beginnings.has(wanted.slice(0, end + 1))) return true
    }
    return false
  }
}

/**
 * Composes names. One that would begin as those of another server do, or be that of a tool of the runtime, has a hash behind
 * its own prefix: the tool `hub_push` of `git` is not to be taken for `push` of `git_hub`, whichever of the two is there.
 */
const composer = (style: NamingStyle, prefixes: Iterable<string>) => {
  const beginsLike = beginsLikeOneOf(style, prefixes)
  /** With a hash behind it, too. */
  const isOthers = (name: string, own: number) =>
    HASH_DIGITS.some((digits) => beginsLike(`${digits === 0 ? name : stemOf(name, digits)}_`, own))
  return (parts: NameParts): string => {
    const name = compose(style, parts)
    return isOthers(name, beginningOf(style, parts.prefix).length) || RUNTIME_TOOLS.includes(name.toLowerCase())
      ? compose(style, { ...parts, tool: `${hashOf(parts, HASH_DIGITS[1])}_${parts.tool}` })
      : name
  }
}

/**
 * The exposed name of each entry, in the order of the entries. Every pair of server and tool must be distinct. `prefixes` are
 * those of all servers that there may be, also of those without an entry.
 *
 * A name that is held more than once is given up by all its holders, each of which goes on to a longer hash; so do the
 * holders of a name that only imitated a hashed one. All holders move at once: the outcome does not depend on order. Only
 * names that were moved to are looked at again, which keeps the work linear whatever a server makes up.
 */
export const exposeNames = (
  style: NamingStyle,
  entries: ReadonlyArray<NameParts>,
  prefixes: Iterable<string> = entries.map(({ prefix }) => prefix)
): ReadonlyArray<string> => {
  const plain = entries.map(composer(style, prefixes))
  const levels = entries.map(() => 0)
  const names = plain.map((name, i) => withHash(name, entries[i]!, HASH_DIGITS[0]))
  const holders = new Map<string, Set<number>>()
  let moved: Iterable<number> = entries.keys()
  for (;;) {
    const contested = new Set<Set<number>>()
    for (const i of moved) {
      const key = names[i]!.toLowerCase()
      const same = holders.get(key)
      if (same === undefined) holders.set(key, new Set([i]))
      else if (same.add(i).size > 1) contested.add(same)
    }
    const moving = [...contested].flatMap((same) => [...same].filter((i) => levels[i]! < LAST_LEVEL))
    if (moving.length === 0) return names
    for (const i of moving) {
      holders.get(names[i]!.toLowerCase())!.delete(i)
      levels[i]! += 1
      names[i] = withHash(plain[i]!, entries[i]!, HASH_DIGITS[levels[i]!]!)
    }
    moved = moving
  }
}

const HASH_BEHIND = /_[0-9a-f]{8,32}$/
const HASH_WITHIN = /_[0-9a-f]{8}(?=_)|(?<=[-:/.])[0-9a-f]{8}_/g

/** What an exposed name may have been without the hashes that tell it from others: a rule for that name still holds for it. */
export const withoutHashes = (exposed: string): ReadonlyArray<string> => {
  const stem = exposed.replace(HASH_BEHIND, "")
  const within = Array.from(exposed.matchAll(HASH_WITHIN), ({ 0: hash, index }) =>
    [exposed, stem].map((name) => name.slice(0, index) + name.slice(index + hash.length))
  )
  return stem === exposed && within.length === 0 ? NONE : [stem, ...within.flat()]
}
const NONE: ReadonlyArray<string> = []

/**
 * The exposed name that an unknown one was most likely meant to be: the one that ends in it (the server's own name of the
 * tool was used), else the nearest, when it is near enough to be a slip. Ties go to the alphabet.
 */
export const nearest = (unknown: string, known: Iterable<string>): string | null => {
  if (unknown.length > TOOL_NAME_MAX_CHARS) return null
  const wanted = unknown.toLowerCase()
  const ending = `_${legal(wanted)}`
  const owners: Array<string> = []
  let best: string | null = null
  let allowed = wanted.length < 3 ? 0 : Math.ceil(wanted.length / 3)
  for (const candidate of known) {
    const name = candidate.toLowerCase()
    if (wanted !== "" && name.endsWith(ending)) owners.push(candidate)
    const distance = editDistance(wanted, name, allowed + 1)
    if (distance > allowed || (distance === allowed && best !== null && candidate >= best)) continue
    best = candidate
    allowed = distance
  }
  return owners.length === 1 && allowed > 0 ? owners[0]! : best
}

/** Levenshtein distance, given up as `limit` once it cannot be less. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    let least = i
    for (let j = 1; j <= b.length; j++) {
      const substitution = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      const distance = Math.min(substitution, previous[j]! + 1, row[j - 1]! + 1)
      row.push(distance)
      least = Math.min(least, distance)
    }
    if (least >= limit) return limit
    previous = row
  }
  return previous[b.length]!
}
