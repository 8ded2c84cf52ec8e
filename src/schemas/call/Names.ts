/**
 * Exposed names of tools. They match `^[A-Za-z_][A-Za-z0-9_-]{0,63}$` (unless a program chose another separator), are unique
 * even if case is ignored, and do not depend on order. No tool gets a name that begins like those of another configured
 * server, or the name of a tool of the runtime, whether or not that exists now. Names are one-way: routing uses a map and
 * never parses a name.
 */
import { createHash } from "node:crypto"
import { atOnce, type InTurns } from "../data/InTurns.ts"
import { TOOL_NAME_MAX_CHARS } from "../defaults/Definitions.ts"
import { RUNTIME_TOOLS } from "./RuntimeTools.ts"

/** What may separate server and tool in a name. */
export const SEPARATORS = ["__", "_", "--", "-", ":", "/", "."] as const
/** What may separate server and tool in a name. */
export type Separator = (typeof SEPARATORS)[number]

/** How exposed names are built from the names of servers and tools. */
export type NamingStyle =
  /** `mcp_{server}_{tool}`: gateway configuration. */
  | "gateway"
  /** `mcp__{server}__{tool}`: ACP sessions. */
  | "session"
  /** `{server}__{tool}`: `loadMCPServers`. */
  | "library"
  /** `{server}{separator}{tool}`: names with `:`, `/` or `.` are refused by some model providers. */
  | { readonly separator: Separator }

export interface NameParts {
  readonly server: string
  /** The name's part for the server. */
  readonly prefix: string
  readonly tool: string
}

const MAX_LENGTH = 64
/** Hex digits of the hash per level of collision; the last level cannot be attacked. */
const HASH_DIGITS = [0, 8, 16, 32] as const
const LAST_LEVEL = HASH_DIGITS.length - 1
/** The space in a name next to the longest hash. */
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

/** The prefix of every exposed name of a server, also of hashed ones; tells which lazy server may own an unknown name. */
export const namePrefix = (style: NamingStyle, prefix: string): string =>
  beginningOf(style, prefix).slice(0, SHORTEST_STEM)

/** Servers whose prefixes have the same key are not told apart by the names of their tools: capital letters do not count. */
export const prefixKey = (prefix: string): string => namePrefix("gateway", prefix).toLowerCase()

const hashOf = ({ server, tool }: NameParts, digits: number): string =>
  createHash("sha256")
    .update(JSON.stringify([server, tool]))
    .digest("hex")
    .slice(0, digits)

/** The part of a name before a hash. */
const stemOf = (name: string, digits: number): string => name.slice(0, MAX_LENGTH - 1 - digits)

const withHash = (name: string, parts: NameParts, digits: number): string => {
  const needed = name.length > MAX_LENGTH ? Math.max(digits, HASH_DIGITS[1]) : digits
  return needed === 0 ? name : `${stemOf(name, needed)}_${hashOf(parts, needed)}`
}

/** Reduces a name to what a quick reader sees. */
const plainly = (name: string): string => name.toLowerCase().replace(/[-:/.]/g, "_")

/** Whether a name begins like those of one of the servers; prefixes of at most `shortest` characters do not count. */
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
 * Composes names. A name that would begin like those of another server, or equal that of a tool of the runtime, gets a hash
 * after its own prefix: the tool `hub_push` of `git` must not look like `push` of `git_hub`, even if only one of the servers
 * exists.
 */
const composer = (style: NamingStyle, prefixes: Iterable<string>) => {
  const beginsLike = beginsLikeOneOf(style, prefixes)
  /** Also true for the name with a hash. */
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
 * those of all possible servers, including those without an entry.
 *
 * When several entries have the same name, all of them get a longer hash; so do those whose name imitates a hashed one. They
 * move together, so the outcome does not depend on order. Only new names are checked again, which keeps the work linear
 * whatever names a server invents.
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

/** The names that an exposed name may have had without its hashes: a rule for such a name still applies. */
export const withoutHashes = (exposed: string): ReadonlyArray<string> => {
  const stem = exposed.replace(HASH_BEHIND, "")
  const within = Array.from(exposed.matchAll(HASH_WITHIN), ({ 0: hash, index }) =>
    [exposed, stem].map((name) => name.slice(0, index) + name.slice(index + hash.length))
  )
  return stem === exposed && within.length === 0 ? NONE : [stem, ...within.flat()]
}
const NONE: ReadonlyArray<string> = []

/** A name with more typing errors is another name. */
const TYPING_ERRORS_MAX = 8

/**
 * The exposed name that an unknown one probably meant: one that ends in it (the model used the server's own name of the
 * tool), else the most similar one, if it is similar enough for a typing error. Ties are decided alphabetically.
 */
export const nearest = (unknown: string, known: Iterable<string>): string | null =>
  atOnce(nearestInTurns(unknown, known))

const lettersOf = (word: string): string => [...word.toLowerCase()].toSorted().join("")

/** Whether the letters are the same, in another order. */
export const hasLettersOf = (text: string, meant: string): boolean =>
  text.length === meant.length && lettersOf(text) === lettersOf(meant)

/** Whether one typing error, or letters in another order, make one of the other. Where foreign words stand as well, `nearest` finds too many. */
export const isTypingErrorOf = (text: string, meant: string): boolean => {
  const [written, other] = [text.toLowerCase(), meant.toLowerCase()]
  return written !== other && (hasLettersOf(written, other) || makeEditDistance(other)(written, 2) < 2)
}

/** The same for many names, which clients may ask for again and again. */
export function* nearestInTurns(unknown: string, known: Iterable<string>): InTurns<string | null> {
  if (unknown.length > TOOL_NAME_MAX_CHARS) return null
  const wanted = unknown.toLowerCase()
  const ending = `_${legal(wanted)}`
  const owners: Array<string> = []
  const distanceTo = makeEditDistance(wanted)
  let best: string | null = null
  let allowed = wanted.length < 3 ? 0 : Math.min(TYPING_ERRORS_MAX, Math.ceil(wanted.length / 3))
  for (const candidate of known) {
    yield
    const name = candidate.toLowerCase()
    if (wanted !== "" && name.endsWith(ending)) owners.push(candidate)
    const distance = distanceTo(name, allowed + 1)
    if (distance > allowed || (distance === allowed && best !== null && candidate >= best)) continue
    best = candidate
    allowed = distance
  }
  return owners.length === 1 && allowed > 0 ? owners[0]! : best
}

/**
 * Levenshtein distances of other texts to this one; `limit` as soon as a distance cannot be smaller. Only the cells near the diagonal are
 * computed, since others are not below the limit: there may be thousands of names.
 */
const makeEditDistance = (text: string) => {
  let [previous, row] = [new Uint16Array(text.length + 1), new Uint16Array(text.length + 1)]
  return (other: string, limit: number): number => {
    if (Math.abs(text.length - other.length) >= limit) return limit
    for (let j = 0; j <= text.length; j++) previous[j] = j
    for (let i = 1; i <= other.length; i++) {
      const [from, to] = [Math.max(1, i - limit), Math.min(text.length, i + limit)]
      row[from - 1] = from === 1 ? i : limit
      let least = row[from - 1]!
      for (let j = from; j <= to; j++) {
        const substitution = previous[j - 1]! + (other[i - 1] === text[j - 1] ? 0 : 1)
        const distance = Math.min(substitution, previous[j]! + 1, row[j - 1]! + 1)
        row[j] = distance
        if (distance < least) least = distance
      }
      if (to < text.length) row[to + 1] = limit
      if (least >= limit) return limit
      const done = row
      row = previous
      previous = done
    }
    return previous[text.length]!
  }
}
