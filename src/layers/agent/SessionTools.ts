/** Tools of sessions, in memory: they are live connections and end with this process. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { McpRuntimeShape } from "../../services/call/McpRuntime.ts"
import { SessionTools } from "../../services/agent/SessionTools.ts"

interface Entry {
  readonly tools: McpRuntimeShape
  readonly takeBack: Array<Effect.Effect<void>>
}

const make = (): SessionTools["Service"] => {
  const bySession = new Map<string, Entry>()

  const clear = (sessionKey: string) =>
    Effect.suspend(() => {
      const entry = bySession.get(sessionKey)
      bySession.delete(sessionKey)
      return Effect.forEach(entry?.takeBack.splice(0) ?? [], (one) => one, { discard: true })
    })

  return {
    set: (sessionKey, tools) =>
      Effect.andThen(
        clear(sessionKey),
        Effect.sync(() => void bySession.set(sessionKey, { tools, takeBack: [] }))
      ),
    get: (sessionKey) => Effect.sync(() => bySession.get(sessionKey)?.tools),
    clear,
    onClear: (sessionKey, takeBack) =>
      Effect.suspend(() => {
        const entry = bySession.get(sessionKey)
        if (entry === undefined) return takeBack
        entry.takeBack.push(takeBack)
        return Effect.void
      })
  }
}

/** Tools of sessions, in memory: they are live connections and end with this process. */
export const layer: Layer.Layer<SessionTools> = Layer.sync(SessionTools, make)
