/** What each server of an agent does now: its status, its calls, and what its processes use; and those of single clients and sessions. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { NO_CALLS } from "../../../schemas/control/Figures.ts"
import type { FiguresValue } from "../../../schemas/control/FiguresValue.ts"
import type { McpRuntimeShape } from "../../../services/call/McpRuntime.ts"
import { usageOf } from "../../../system/process/usage.ts"
import type { Remembered } from "./remembered.ts"
import type { Runtimes } from "./runtimes.ts"

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

export const ownOf = ({ own }: Runtimes) =>
  Effect.fnUntraced(function* ({ agent }: McpRuntimeShape) {
    const servers = yield* own(agent)
    const used = yield* Effect.promise(() => usageOf(new Set(servers.flatMap(({ status }) => status.pid ?? []))))
    return servers.map((one) => {
      const usage = one.status.pid === null ? undefined : used?.get(one.status.pid)
      return usage === undefined ? one : { ...one, usage }
    })
  })
