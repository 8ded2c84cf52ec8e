/**
 * A runtime whose tools stay what they are once they were listed, and are no more than so many. A server that changes its
 * list in the middle of a conversation gains nothing by it.
 */
import * as Effect from "effect/Effect"
import { READ_MORE } from "../../schemas/ReadMore.ts"
import type { AgentTool, ToolResult } from "../../schemas/Tool.ts"
import type { SessionRuntime } from "../../services/AgentRuntimes.ts"
import type { McpRuntimeShape } from "../../services/McpRuntime.ts"

interface Listed {
  readonly tools: ReadonlyArray<AgentTool>
  readonly names: ReadonlySet<string>
  readonly leftOut: ReadonlyArray<string>
}

const take = (all: ReadonlyArray<AgentTool>, maxTools: number): Listed => {
  // The way to what was too long for a result does not count: without it that would be lost.
  const counted = all.filter(({ name }) => name !== READ_MORE)
  const names = new Set([...counted.slice(0, maxTools).map(({ name }) => name), READ_MORE])
  return {
    tools: all.filter(({ name }) => names.has(name)),
    names,
    leftOut: counted.slice(maxTools).map(({ name }) => name)
  }
}

const refused = (tool: string): ToolResult => ({
  content: [
    {
      type: "text",
      text: "This tool is not one of the session's: its tools are those that were there when the session began, within its limit."
    }
  ],
  isError: true,
  details: { error: { tag: "ToolNotFound", server: undefined, tool, maybeExecuted: false } }
})

export const frozen = (runtime: McpRuntimeShape, maxTools: number): SessionRuntime => {
  let listed: Listed | undefined
  const once = Effect.map(runtime.tools, (all) => (listed ??= take(all, maxTools)))
  const list = Effect.suspend(() => (listed === undefined ? once : Effect.succeed(listed)))
  return {
    ...runtime,
    tools: Effect.map(list, ({ tools }) => tools),
    allTools: Effect.map(list, ({ tools }) => tools),
    leftOut: Effect.sync(() => listed?.leftOut ?? []),
    call: (name, args, options) =>
      Effect.flatMap(list, ({ names }) =>
        names.has(name) ? runtime.call(name, args, options) : Effect.succeed(refused(name))
      )
  }
}
