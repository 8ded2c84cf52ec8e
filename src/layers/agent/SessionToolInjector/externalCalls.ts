/** Runs calls of a session's tools that come from outside, in its Scope: closing it interrupts them and waits for their end. */
import type { CallToolResult } from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"
import type { AgentTool, Progress } from "../../../schemas/call/Tool.ts"
import type { McpRuntimeShape } from "../../../services/call/McpRuntime.ts"
import { TAKEN_BACK, toMcpResult, UNEXPECTED } from "./toMcp.ts"

export interface Call {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/** A defect becomes one fixed sentence; the log says more. */
export const callTool = (
  tools: Pick<McpRuntimeShape, "call">,
  { args, name, onProgress }: Call
): Effect.Effect<CallToolResult> =>
  tools.call(name, args, onProgress === undefined ? {} : { onProgress }).pipe(
    Effect.map(toMcpResult),
    Effect.catchDefect((defect) =>
      Effect.as(Effect.logError("a tool call of a gateway failed unexpectedly", defect), UNEXPECTED)
    )
  )

/** The same with promises. Never rejects. */
export type CallTool = (call: Call, signal: AbortSignal) => Promise<CallToolResult>

/** What an MCP server needs; lists are read when they are requested. */
export interface Callable {
  readonly list: () => Promise<ReadonlyArray<AgentTool>>
  readonly call: CallTool
}

export const makeCallable = Effect.fnUntraced(function* (
  tools: McpRuntimeShape
): Effect.fn.Return<Callable, never, Scope.Scope> {
  const run = yield* FiberSet.makeRuntimePromise()
  return {
    list: () => run(tools.tools),
    call: (call, signal) => run(callTool(tools, call), { signal }).catch(() => TAKEN_BACK)
  }
})
