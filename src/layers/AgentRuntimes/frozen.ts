/**
 * The tools of a session's servers: no more than so many; and, unless the client wants them to follow their servers, those
 * that were listed first. A server that changes its list in the middle of a conversation gains nothing by it.
 */
import * as Effect from "effect/Effect"
import { READ_MORE } from "../../schemas/RuntimeTools.ts"
import type { AgentTool, ToolResult } from "../../schemas/Tool.ts"
import type { SessionRuntime } from "../../services/AgentRuntimes.ts"
import type { McpRuntimeShape } from "../../services/McpRuntime.ts"

interface Listed {
  readonly tools: ReadonlyArray<AgentTool>
  readonly names: ReadonlySet<string>
  readonly leftOut: ReadonlyArray<AgentTool>
}

/** How many of each server: one with many leaves the others theirs, those with few first. */
const shares = (
  byServer: ReadonlyMap<string, ReadonlyArray<AgentTool>>,
  maxTools: number
): ReadonlyMap<string, number> => {
  const fewFirst = [...byServer].toSorted(([, one], [, other]) => one.length - other.length)
  let left = maxTools
  return new Map(
    fewFirst.map(([server, tools], index) => {
      const share = Math.min(tools.length, Math.ceil(left / (fewFirst.length - index)))
      left -= share
      return [server, share]
    })
  )
}

const take = (all: ReadonlyArray<AgentTool>, maxTools: number): Listed => {
  // The way to what was too long for a result does not count: without it that would be lost.
  const counted = all.filter(({ name }) => name !== READ_MORE)
  const byServer = Map.groupBy(counted, ({ server }) => server)
  const share = shares(byServer, maxTools)
  const cut = (one: (tools: ReadonlyArray<AgentTool>, most: number) => ReadonlyArray<AgentTool>) =>
    [...byServer].flatMap(([server, tools]) => one(tools, share.get(server)!))
  const names = new Set([...cut((tools, most) => tools.slice(0, most)).map(({ name }) => name), READ_MORE])
  return {
    tools: all.filter(({ name }) => names.has(name)),
    names,
    leftOut: cut((tools, most) => tools.slice(most))
  }
}

const refused = (tool: string, why: string): ToolResult => ({
  content: [{ type: "text", text: `This tool is not one of the session's: ${why}` }],
  isError: true,
  details: { error: { tag: "ToolNotFound", server: undefined, tool, maybeExecuted: false } }
})

/** What `list` gives now is what there is, and nothing else is called. */
const only = (
  runtime: McpRuntimeShape,
  list: Effect.Effect<Listed>,
  leftOut: SessionRuntime["leftOut"],
  why: string
): SessionRuntime => {
  const tools = Effect.map(list, (listed) => listed.tools)
  return {
    ...runtime,
    tools,
    allTools: tools,
    leftOut,
    call: (name, args, options) =>
      Effect.flatMap(list, ({ names }) =>
        names.has(name) ? runtime.call(name, args, options) : Effect.succeed(refused(name, why))
      )
  }
}

export const frozen = (runtime: McpRuntimeShape, maxTools: number): SessionRuntime => {
  let listed: Listed | undefined
  const once = Effect.map(runtime.tools, (all) => (listed ??= take(all, maxTools)))
  const list = Effect.suspend(() => (listed === undefined ? once : Effect.succeed(listed)))
  const leftOut = Effect.sync(() => listed?.leftOut ?? [])
  return only(runtime, list, leftOut, "its tools are those that were there when the session began, within its limit.")
}

/** The tools that there are at the time, no more than so many. */
export const limited = (runtime: McpRuntimeShape, maxTools: number): SessionRuntime => {
  const list = Effect.map(runtime.tools, (all) => take(all, maxTools))
  const leftOut = Effect.map(list, (listed) => listed.leftOut)
  return only(runtime, list, leftOut, "its servers offer no such tool now, or it is over the session's limit.")
}
