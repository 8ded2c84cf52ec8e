/** What happened lately: the states of servers, and calls by minute, tool and server. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { HistoryValue, TalliesValue, TimelineValue } from "../../../schemas/control/History.ts"
import { HISTORY_MINUTES } from "../../../schemas/defaults/Control.ts"
import { LABEL_MAX_CHARS } from "../../../schemas/defaults/Texts.ts"
import type { McpRuntimeShape } from "../../../services/call/McpRuntime.ts"
import type { ServerLives } from "../../../services/connection/ServerLives.ts"
import type { ContentSanitizer } from "../../../services/content/ContentSanitizer.ts"
import type { Masked } from "./masked.ts"
import type { Remembered } from "./remembered.ts"

interface Sources {
  readonly remembered: Remembered
  readonly lives: ServerLives["Service"]
  readonly sanitizer: ContentSanitizer["Service"]
  readonly masked: Masked
}

export const makeHistory = ({ lives, masked, remembered: { startedAt, tallies }, sanitizer }: Sources) => ({
  history: Effect.fnUntraced(function* ({ inspect, status }: McpRuntimeShape) {
    const now = yield* Clock.currentTimeMillis
    const since = Math.max(startedAt, now - HISTORY_MINUTES * 60_000)
    const minutes = tallies.minutes(now)
    const names = Object.keys(yield* status)
    const servers = yield* Effect.forEach(names, (name) =>
      Effect.map(inspect(name), (server) => {
        const states = lives.states(name, server?.config.holder, since)
        return [name, { states: masked(states), minutes: minutes.of(name) }] as const
      })
    )
    return { now, since, minutes: minutes.all, servers: Object.fromEntries(servers) } satisfies HistoryValue
  }),
  tallies: (since = startedAt): Effect.Effect<TalliesValue> =>
    Effect.map(Clock.currentTimeMillis, (now) =>
      tallies.since(Math.max(since, startedAt), now, (name) => sanitizer.label(name, LABEL_MAX_CHARS))
    ),
  timeline: (server: string): Effect.Effect<TimelineValue> => Effect.sync(() => masked(lives.timeline(server)))
})
