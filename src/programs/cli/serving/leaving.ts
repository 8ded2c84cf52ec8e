/** How a program leaves that MCP clients start: within what they wait for, whatever its servers do. */
import * as Effect from "effect/Effect"
import { SERVE_LEAVE_MS } from "../../../schemas/defaults/Serve.ts"

/** From when nobody is served any more: a client that ends us before servers are gone would leave them behind. */
export interface Leaving {
  readonly begin: Effect.Effect<void>
  readonly done: Effect.Effect<void>
}

export const makeLeaving = (): Leaving => {
  let timer: NodeJS.Timeout | undefined
  const leave = () => {
    process.stderr.write("mcp-live: servers that have not ended by themselves are killed\n")
    // What is left is killed on the way out.
    process.exit(0)
  }
  return {
    begin: Effect.sync(() => {
      timer ??= setTimeout(leave, SERVE_LEAVE_MS)
    }),
    done: Effect.sync(() => clearTimeout(timer))
  }
}
