/** Session-scoped tools, in memory: they are live connections, and end with this process. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { McpRuntimeShape } from "../services/McpRuntime.ts"
import { SessionTools } from "../services/SessionTools.ts"

const make = (): SessionTools["Service"] => {
  const bySession = new Map<string, McpRuntimeShape>()
  return {
    set: (sessionKey, tools) => Effect.sync(() => void bySession.set(sessionKey, tools)),
    get: (sessionKey) => Effect.sync(() => bySession.get(sessionKey)),
    clear: (sessionKey) => Effect.sync(() => void bySession.delete(sessionKey))
  }
}

export const layer: Layer.Layer<SessionTools> = Layer.sync(SessionTools, make)
