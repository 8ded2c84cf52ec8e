/** Flags of commands that show the lines of a log: since when, how many, and whether to wait for more. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Flag from "effect/cli/Flag"
import { UsageError } from "./command.ts"

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }
const AGO = /^(\d{1,6})\s*([smhdw])$/i
const TIME = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/i

/** `2h`, `7d`, or an ISO time; a date alone begins at midnight UTC, a time without a zone is local. `undefined` for other text. */
export const parseSince = (text: string, now: number): number | undefined => {
  const ago = AGO.exec(text.trim())
  if (ago !== null) return now - Number(ago[1]) * UNITS[ago[2]!.toLowerCase()]!
  const at = TIME.test(text.trim()) ? Date.parse(text.trim()) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}

export const sinceFlag = (what: string) =>
  Flag.String("since").pipe(
    Flag.withMetavar("TIME"),
    Flag.withDescription(`Only ${what} since then: 2h, 7d (s, m, h, d, w), or a time like 2026-03-01T08:00Z`),
    Flag.optional
  )

/** For commands that show servers: of people, there is only what runs for them alone. */
export const personFlag = Flag.String("person").pipe(
  Flag.filter(
    (pattern) => pattern.trim() !== "",
    () => "give a name or an id"
  ),
  Flag.withMetavar("PATTERN"),
  Flag.withDescription("Only what runs for these people or their clients alone, by name or id: 'ada@*'"),
  Flag.optional
)

/** Milliseconds since 1970. */
export const sinceOf = Effect.fnUntraced(function* (text: Option.Option<string>) {
  if (Option.isNone(text)) return undefined
  const at = parseSince(text.value, yield* Clock.currentTimeMillis)
  if (at !== undefined) return at
  return yield* new UsageError({ message: "--since: give a time like 2h, 7d or 2026-03-01T08:00Z" })
})

/** `more` follows the description; `which` are shown. */
export const limitFlag = (shown: number, more = "", which = "the newest N") =>
  Flag.Int("limit").pipe(
    Flag.filter(
      (limit) => limit >= 1,
      () => "must be 1 or more"
    ),
    Flag.withAlias("n"),
    Flag.withMetavar("N"),
    Flag.withDescription(`Show ${which} (default: ${shown})${more}`),
    Flag.withDefault(shown)
  )

export const followFlag = (what: string) =>
  Flag.Boolean("follow").pipe(
    Flag.withAlias("f"),
    Flag.withDescription(`Keep running and show new ${what} as they are written; Ctrl-C ends it`),
    Flag.withDefault(false)
  )
