/** What a tool of the runtime has around it where a test runs it alone: nothing to search, and nobody to call. */
import * as Effect from "effect/Effect"
import type { Around } from "../../src/layers/call/McpRuntime/OwnTool.ts"
import type { CallOptions } from "../../src/services/call/McpRuntime.ts"

export const around = (options: CallOptions = {}): Around => ({
  options,
  searched: [],
  call: (name) => Effect.die(new Error(`'${name}' must not be called`))
})
