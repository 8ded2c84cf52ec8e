/**
 * The name codec: from a server's tool to the name that an agent sees. Exposed names match
 * `^[A-Za-z_][A-Za-z0-9_-]{0,63}$`, are unique without regard to case, and do not depend on order. They are one-way:
 * routing is by map, never by taking a name apart.
 */
import { createHash } from "node:crypto"

export type NamingStyle =
  /** `mcp_{server}_{tool}`: gateway configuration. */
  | "gateway"
  /** `mcp__{server}__{tool}`: ACP sessions. */
  | "session"
  /** `{server}__{tool}`: `loadMCPServers`. */
  | "library"

export interface NameParts {
  readonly server: string
  /** What stands for the server in the name. */
  readonly prefix: string
  readonly tool: string
}

const MAX_LENGTH = 64
/** Hex digits of the hash per level of collision; 8 settles everything but a deliberate attack on 32 bits. */
const HASH_DIGITS = [0, 8, 16, 32] as const

const legal = (text: string) => text.replace(/[^A-Za-z0-9_-]/g, "_")

const compose = (style: NamingStyle, { prefix, tool }: NameParts): string => {
  const [server, own] = [legal(prefix), legal(tool)]
  const name =
    style === "gateway" ? `mcp_${server}_${own}` : style === "session" ? `mcp__${server}__${own}` : `${server}__${own}`
  return /^[A-Za-z_]/.test(name) ? name : `_${name}`
}

/** What every exposed name of a server begins with; tells which sleeping server may own an unknown name. */
export const namePrefix = (style: NamingStyle, prefix: string): string =>
  compose(style, { server: "", prefix, tool: "" })

const withHash = (name: string, { server, tool }: NameParts, digits: number): string => {
  const needed = name.length > MAX_LENGTH ? Math.max(digits, HASH_DIGITS[1]) : digits
  if (needed === 0) return name
  const hash = createHash("sha256")
    .update(JSON.stringify([server, tool]))
    .digest("hex")
    .slice(0, needed)
  return `${name.slice(0, MAX_LENGTH - 1 - needed)}_${hash}`
}

/** The exposed name of each entry, in the order of the entries. Every pair of server and tool must be distinct. */
export const exposeNames = (style: NamingStyle, entries: ReadonlyArray<NameParts>): ReadonlyArray<string> => {
  const plain = entries.map((entry) => compose(style, entry))
  const levels = entries.map(() => 0)
  const render = () => entries.map((entry, i) => withHash(plain[i]!, entry, HASH_DIGITS[levels[i]!]!))
  let names = render()
  for (let round = 1; round < HASH_DIGITS.length; round++) {
    const count = new Map<string, number>()
    for (const name of names) count.set(name.toLowerCase(), (count.get(name.toLowerCase()) ?? 0) + 1)
    const colliding = names.flatMap((name, i) => (count.get(name.toLowerCase())! > 1 ? [i] : []))
    if (colliding.length === 0) break
    for (const i of colliding) levels[i] = Math.min(levels[i]! + 1, HASH_DIGITS.length - 1)
    names = render()
  }
  return names
}

/** The known name nearest to an unknown one, when it is near enough to be a slip. */
export const nearest = (unknown: string, known: Iterable<string>): string | null => {
  const wanted = unknown.toLowerCase()
  let best: string | null = null
  let bestDistance = Math.max(2, Math.floor(wanted.length / 3)) + 1
  for (const candidate of known) {
    const distance = editDistance(wanted, candidate.toLowerCase(), bestDistance)
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance]
  }
  return best
}

/** Levenshtein distance, given up as `limit` once it cannot be less. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const substitution = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min(substitution, previous[j]! + 1, row[j - 1]! + 1))
    }
    if (Math.min(...row) >= limit) return limit
    previous = row
  }
  return previous[b.length]!
}
