/**
 * Limits the tools of a session: to a maximum number and, unless the client wants the list to follow the servers, to those of
 * the first list that still exist. So a server gains nothing by changing its list during a conversation.
 */
import * as Effect from "effect/Effect"
import { nearest } from "../../../schemas/call/Names.ts"
import { READ_MORE } from "../../../schemas/call/RuntimeTools.ts"
import type { AgentTool, ToolResult } from "../../../schemas/call/Tool.ts"
import type { SessionRuntime } from "../../../services/call/AgentRuntimes.ts"
import type { McpRuntimeShape } from "../../../services/call/McpRuntime.ts"

interface Listed {
  readonly tools: ReadonlyArray<AgentTool>
  readonly names: ReadonlySet<string>
  readonly leftOut: ReadonlyArray<AgentTool>
}

/** The number of tools of each server. Servers with few tools keep them all; the others share the rest. */
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
  // `mcp_read_more` does not count: without it, the rest of long results would be lost.
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
  content: [{ type: "text", text: `This session does not have the tool: ${why}` }],
  isError: true,
  details: { error: { tag: "ToolNotFound", server: undefined, tool, maybeExecuted: false } }
})

const OVER = "there are more tools than the session may have."
const GONE = "its server does not offer it any more."
const LATE =
  "its server added it after the session began. A new session has it, and so does this one when it is resumed; with dynamicTools it would have been added."

const unknown = (name: string, names: ReadonlySet<string>): string => {
  const near = nearest(name, [...names])
  return near === null ? "no tool has this name." : `no tool has this name; did you mean '${near}'?`
}

const isUnknown = ({ details }: ToolResult) => "error" in details && details.error.tag === "ToolNotFound"

/** A view of the runtime with the tools of `list` only; no others can be called. The error says why a tool is missing. */
const only = (
  runtime: McpRuntimeShape,
  list: Effect.Effect<Listed>,
  leftOut: SessionRuntime["leftOut"],
  late: SessionRuntime["late"]
): SessionRuntime => {
  const tools = Effect.map(list, (listed) => listed.tools)
  const call: SessionRuntime["call"] = (name, args, options) =>
    Effect.flatMap(Effect.all([list, late]), ([{ leftOut: over, names }, latecomers]) => {
      const isNamed = (tool: AgentTool) => tool.name === name
      if (over.some(isNamed)) return Effect.succeed(refused(name, OVER))
      if (latecomers.some(isNamed)) return Effect.succeed(refused(name, LATE))
      // Refused at once: asking the runtime could wait for a server that is starting, and call a late tool.
      if (!names.has(name)) return Effect.succeed(refused(name, unknown(name, names)))
      return Effect.map(runtime.call(name, args, options), (given) => (isUnknown(given) ? refused(name, GONE) : given))
    })
  return { ...runtime, tools, allTools: tools, leftOut, late, call }
}

/** The tools that their servers have removed. A failed server may come back with all of its tools. */
const goneFrom = (
  { status }: McpRuntimeShape,
  listed: Listed,
  there: ReadonlySet<string>
): Effect.Effect<ReadonlyArray<AgentTool>> => {
  const missing = listed.tools.filter(({ name }) => !there.has(name))
  if (missing.length === 0) return Effect.succeed(missing)
  return Effect.map(status, (servers) => missing.filter(({ server }) => servers[server]?.state !== "Failed"))
}

/** The tools of the first list, without those that are gone. */
export const frozen = (runtime: McpRuntimeShape, maxTools: number): SessionRuntime => {
  let first: Listed | undefined
  const seen = Effect.map(runtime.tools, (all) => {
    first ??= take(all, maxTools)
    return { all, first }
  })
  const list = Effect.flatMap(seen, ({ all, first: listed }) =>
    Effect.map(goneFrom(runtime, listed, new Set(all.map(({ name }) => name))), (gone) =>
      gone.length === 0 ? listed : { ...listed, tools: listed.tools.filter((tool) => !gone.includes(tool)) }
    )
  )
  const leftOut = Effect.sync(() => first?.leftOut ?? [])
  const late = Effect.map(seen, ({ all, first: listed }) => {
    const known = new Set([...listed.names, ...listed.leftOut.map(({ name }) => name)])
    return all.filter(({ name }) => !known.has(name))
  })
  return only(runtime, list, leftOut, late)
}

/** The current tools, up to a maximum number. */
export const limited = (runtime: McpRuntimeShape, maxTools: number): SessionRuntime => {
  const list = Effect.map(runtime.tools, (all) => take(all, maxTools))
  const leftOut = Effect.map(list, (listed) => listed.leftOut)
  return only(runtime, list, leftOut, Effect.succeed([]))
}
