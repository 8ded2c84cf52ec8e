/** The lines about a server that the page shows: which ones a filter lets through, where a search hits, and how lists are joined. */
import { LOG_LEVELS, type LogLevel, reaches } from "../../../../../schemas/connection/LogMessage.ts"
import type { ServerLogLine, ServerLogSource } from "../../../../../schemas/connection/ServerLogLine.ts"

export interface LogFilter {
  readonly server: string
  /** Without it, all of them. */
  readonly source?: ServerLogSource
  /** At least this level. */
  readonly level: LogLevel
  /** What the line contains, in any case. */
  readonly text: string
}

/** In German as in Turkish, `toLowerCase` may change the length of a text; a search that marks its hits must not. */
const folded = (text: string): string =>
  [...text].map((each) => (each.toLowerCase().length === each.length ? each.toLowerCase() : each)).join("")

export const matches = (line: ServerLogLine, { level, server, source, text }: LogFilter): boolean =>
  line.server === server &&
  (source === undefined || line.source === source) &&
  reaches(line.level, level) &&
  (text === "" || folded(line.text).includes(folded(text)))

export interface Stretch {
  readonly text: string
  readonly isHit: boolean
}

/** The text cut where a search hits. */
export const stretchesOf = (text: string, search: string): ReadonlyArray<Stretch> => {
  if (search === "") return [{ text, isHit: false }]
  const [hay, needle] = [folded(text), folded(search)]
  const found: Array<Stretch> = []
  let from = 0
  for (let at = hay.indexOf(needle); at !== -1; at = hay.indexOf(needle, from)) {
    if (at > from) found.push({ text: text.slice(from, at), isHit: false })
    found.push({ text: text.slice(at, at + needle.length), isHit: true })
    from = at + needle.length
  }
  if (from < text.length) found.push({ text: text.slice(from), isHit: false })
  return found
}

const keyOf = ({ gateway, level, server, source, text, time }: ServerLogLine): string =>
  JSON.stringify([time, gateway, server, source, level, text])

/**
 * What came while older lines were asked for, behind them. A line that is in both is there once; a line that a server wrote twice stays
 * there twice.
 */
export const joined = (
  past: ReadonlyArray<ServerLogLine>,
  live: ReadonlyArray<ServerLogLine>
): ReadonlyArray<ServerLogLine> => {
  const counts = new Map<string, number>()
  for (const line of past) counts.set(keyOf(line), (counts.get(keyOf(line)) ?? 0) + 1)
  const fresh = live.filter((line) => {
    const left = counts.get(keyOf(line)) ?? 0
    if (left > 0) counts.set(keyOf(line), left - 1)
    return left === 0
  })
  return [...past, ...fresh]
}

export type Tone = "quiet" | "plain" | "warn" | "bad"

/** How much a level asks for attention. */
export const toneOf = (level: LogLevel): Tone =>
  level === "debug" ? "quiet" : !reaches(level, "warning") ? "plain" : level === "warning" ? "warn" : "bad"

/** The levels that a person chooses from. */
export const CHOICES: ReadonlyArray<LogLevel> = LOG_LEVELS.slice(0, LOG_LEVELS.indexOf("critical") + 1)
