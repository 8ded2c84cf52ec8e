/** What each server of an agent does now: its status, its calls, and what its processes use. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { NO_CALLS } from "../../../schemas/control/Figures.ts"
import type { FiguresValue } from "../../../schemas/control/FiguresValue.ts"
import type { McpRuntimeShape } from "../../../services/call/McpRuntime.ts"
import { usageOf } from "../../../system/process/usage.ts"
import type { Remembered } from "./remembered.ts"

export const figuresOf = ({ figures }: Remembered) =>
  Effect.fnUntraced(function* ({ status }: McpRuntimeShape) {
    const servers = yield* status
    const leaders = Object.values(servers).flatMap(({ pid }) => pid ?? [])
    const used = yield* Effect.promise(() => usageOf(new Set(leaders)))
    const calls = figures.at(yield* Clock.currentTimeMillis)
    return Object.fromEntries(
      Object.entries(servers).map(([name, one]) => {
        const usage = one.pid === null ? undefined : used?.get(one.pid)
        return [name, { status: one, calls: calls[name] ?? NO_CALLS, ...(usage === undefined ? {} : { usage }) }]
      })
    ) satisfies FiguresValue
  })
