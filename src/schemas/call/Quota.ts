/**
 * Quotas: how many calls a person may make in a minute, a day and a month, by UTC. What a quota counts, whose it is and its period are its name, in
 * which a person has no name but an id. Pure.
 */
import { QUOTA_AHEAD_SHARE } from "../defaults/Quotas.ts"
import { matchesGlob } from "../data/Glob.ts"
import type { Caller } from "./Caller.ts"
import { personIdOf } from "../login/Identity.ts"
import type { CallLimits } from "./CallLimits.ts"

export const QUOTA_PERIODS = ["minute", "day", "month"] as const
export type QuotaPeriod = (typeof QUOTA_PERIODS)[number]

export interface QuotaLimits {
  readonly perDay?: number | undefined
  readonly perMonth?: number | undefined
}

/** Of each person who logs in as a client. */
export interface PersonLimits extends QuotaLimits {
  readonly perMinute?: number | undefined
  /** By patterns of `server/tool`; each that matches counts for itself. */
  readonly tools?: Readonly<Record<string, QuotaLimits>> | undefined
}

/** One count, and how far it may go. */
export interface Quota {
  /** The same for all calls that it counts, in every process. */
  readonly name: string
  readonly limit: number
  readonly period: QuotaPeriod
  /** When it starts again, in milliseconds since 1970. */
  readonly endsAt: number
  /** In words, for the error: `calls of tools git/*`. */
  readonly counts: string
}

/** A quota, for the person whose it is. */
export interface QuotaState extends Pick<Quota, "counts" | "endsAt" | "limit" | "period"> {
  readonly used: number
}

/** A call, as far as quotas count it. */
export interface Counted {
  readonly agent: string
  readonly caller: Caller | undefined
  readonly server: string
  /** The server's own name; `undefined` for what is no call of a tool. */
  readonly tool: string | typeof ALL_TOOLS | undefined
  readonly limits: Pick<CallLimits, "perDay" | "perMonth">
}

const PERIOD_CHARS: Readonly<Record<QuotaPeriod, number>> = { minute: 16, day: 10, month: 7 }

/** `2026-11-28`, `2026-11`, `2026-11-28T18:30`. */
const periodOf = (period: QuotaPeriod, now: number): string =>
  new Date(now).toISOString().slice(0, PERIOD_CHARS[period])

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

const endOf = (period: QuotaPeriod, now: number): number => {
  if (period === "minute") return (Math.floor(now / MINUTE_MS) + 1) * MINUTE_MS
  if (period === "day") return (Math.floor(now / DAY_MS) + 1) * DAY_MS
  const at = new Date(now)
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1)
}

/** What the quotas of a person begin with. */
export const quotasOf = (personId: string): string => `person ${personId} `

const OWNER = /^(?:person \S+|client \[.*?\])(?= )/s

/** What the name of a quota says of whose it is. Two quotas of the same person, or client, have the same. */
export const ownerOf = (name: string): string => OWNER.exec(name)?.[0] ?? name

/** A client of a token is known by that, and everybody else is the agent. */
const whoseOf = ({ agent, caller }: Counted): string =>
  caller?.person === undefined
    ? `client ${JSON.stringify([agent, caller?.client ?? null])} `
    : quotasOf(personIdOf(caller.person))

const isReached = (pattern: string, server: string, tool: string): boolean =>
  matchesGlob(pattern.toLowerCase(), `${server}/${tool}`.toLowerCase())

/** In place of the name of a tool: every pattern counts, for a list of all quotas. */
export const ALL_TOOLS = Symbol("all tools")

const PER = { minute: "perMinute", day: "perDay", month: "perMonth" } as const

/** The quotas that count a call; of the narrowest first. */
export const quotasFor = (
  counted: Counted,
  /** For a person who has logged in as a client. */
  own: PersonLimits | undefined,
  now: number
): ReadonlyArray<Quota> => {
  const { server, tool } = counted
  // What else it has, such as `perMinute`, is `CallLimiter`'s.
  const { perDay, perMonth } = counted.limits
  const quotas: Array<Quota> = []
  const whose = whoseOf(counted)
  const add = (what: string, counts: string, given: PersonLimits) => {
    for (const period of QUOTA_PERIODS) {
      const limit = given[PER[period]]
      if (limit === undefined) continue
      const name = `${whose}${what} ${periodOf(period, now)}`
      quotas.push({ name, limit, period, endsAt: endOf(period, now), counts })
    }
  }
  for (const [pattern, ofTool] of Object.entries(own?.tools ?? {})) {
    if (tool === ALL_TOOLS || (tool !== undefined && isReached(pattern, server, tool))) {
      add(`tools ${JSON.stringify(pattern)}`, `calls of tools '${pattern}'`, ofTool)
    }
  }
  add(`server ${JSON.stringify(server)}`, `calls of MCP server '${server}'`, { perDay, perMonth })
  if (own !== undefined) add("all", "calls", own)
  return quotas
}

// ---- how a store counts ------------------------------------------------------------------------------------------------

/** What a process wants of a quota that several count. */
export interface QuotaAsk {
  readonly name: string
  readonly limit: number
  readonly endsAt: number
  /** For calls that wait. */
  readonly need: number
  /** For calls to come. */
  readonly ahead: number
  /** Was granted, and not used. */
  readonly back: number
  /** Was used without being granted: the store could not be reached. */
  readonly used: number
}

export interface QuotaGiven {
  readonly granted: number
  /** The count after that. */
  readonly count: number
}

/** The database of a fleet does the same. Ahead is given a share of what is left, so that others get some, too. */
export const granted = ({ ahead, back, limit, need, used }: QuotaAsk, before: number): QuotaGiven => {
  const counted = Math.max(0, before - back + used)
  const left = Math.max(0, limit - counted)
  const given = Math.min(left, need + Math.max(0, Math.min(ahead, Math.floor((left - need) * QUOTA_AHEAD_SHARE))))
  return { granted: given, count: counted + given }
}
