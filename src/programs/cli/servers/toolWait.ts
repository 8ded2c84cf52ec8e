/** Says which tool calls an answer waits for, so that the person sees that something happens. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { AgentEvent } from "../../../schemas/agent/AgentEvent.ts"
import { visible } from "../output.ts"

/** A shorter call is over before anybody wonders. */
const TOLD_AFTER_MS = 1_000

export interface ToolWait {
  readonly observe: (event: AgentEvent) => Effect.Effect<void>
  /** The call that has run longest, and its latest progress; empty when none has run for a second. */
  readonly words: Effect.Effect<string>
}

export const makeToolWait = (): ToolWait => {
  const running = new Map<string, { readonly name: string; readonly since: number; said: string }>()
  return {
    observe: (event) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        if (event._tag === "ToolCall") running.set(event.id, { name: event.name, since: now, said: "" })
        if (event._tag === "ToolResult") running.delete(event.id)
        if (event._tag === "Done") running.clear()
        const call = event._tag === "ToolProgress" ? running.get(event.id) : undefined
        if (call !== undefined && event._tag === "ToolProgress") call.said = event.progress.message ?? ""
      }),
    words: Effect.map(Clock.currentTimeMillis, (now) => {
      const [first] = running.values()
      if (first === undefined || now - first.since < TOLD_AFTER_MS) return ""
      return visible(`${first.name} is working${first.said === "" ? "" : `: ${first.said}`}`)
    })
  }
}
