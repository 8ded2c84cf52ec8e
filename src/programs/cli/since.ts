/** The flag `--since` of commands that show records. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Flag from "effect/cli/Flag"
import { parseSince } from "./audit/filter.ts"
import { UsageError } from "./command.ts"

export const sinceFlag = (what: string) =>
  Flag.String("since").pipe(
    Flag.withMetavar("TIME"),
    Flag.withDescription(`Only ${what} since then: 2h, 7d (s, m, h, d, w), or a time like 2026-03-01T08:00Z`),
    Flag.optional
  )

/** Milliseconds since 1970. */
export const sinceOf = Effect.fnUntraced(function* (text: Option.Option<string>) {
  if (Option.isNone(text)) return undefined
  const at = parseSince(text.value, yield* Clock.currentTimeMillis)
  if (at !== undefined) return at
  return yield* new UsageError({ message: "--since: give a time like 2h, 7d or 2026-03-01T08:00Z" })
})
