/** Ends a program that MCP clients start: within the time that they wait, whatever its servers do. */
import * as Effect from "effect/Effect"
import { SERVE_LEAVE_MS } from "../../../schemas/defaults/Serve.ts"

/**
 * Starts the time limit, when clients are no longer served. A client that kills us before our servers have ended would leave
 * them behind.
 */
export interface Leaving {
  readonly begin: Effect.Effect<void>
  readonly done: Effect.Effect<void>
}

export const makeLeaving = (): Leaving => {
  let timer: NodeJS.Timeout | undefined
  const leave = () => {
    process.stderr.write("mcp-live: killing the servers that have not ended\n")
    // The exit kills the remaining servers.
    process.exit(0)
  }
  return {
    begin: Effect.sync(() => {
      timer ??= setTimeout(leave, SERVE_LEAVE_MS)
    }),
    done: Effect.sync(() => clearTimeout(timer))
  }
}
