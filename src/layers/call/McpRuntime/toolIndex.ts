/**
 * Three tools in place of very many: search, describe, call. Their calls pass the same stages as any call, and their text
 * stands between boundaries like all text of servers.
 */
import * as Effect from "effect/Effect"
import { strictest, type ContentPolicy } from "../../../schemas/content/ContentPolicy.ts"
import {
  TOOL_DESCRIBE_MAX,
  TOOL_LIST_MAX_RESULTS,
  TOOL_SEARCH_LINE_MAX_CHARS,
  TOOL_SEARCH_MAX_RESULTS
} from "../../../schemas/defaults/Catalogue.ts"
import { RESULT_MAX_BLOCKS, RESULT_MAX_BYTES } from "../../../schemas/defaults/Results.ts"
import { isObject, type JsonObject } from "../../../schemas/data/Json.ts"
import { InvalidArguments, ToolNotFound } from "../../../schemas/call/CallError.ts"
import { nearest } from "../../../schemas/call/Names.ts"
import { clip } from "../../../schemas/content/Rendering.ts"
import {
  CALL_TOOL as CALL,
  DESCRIBE_TOOL as DESCRIBE,
  SEARCH_TOOLS as SEARCH
} from "../../../schemas/call/RuntimeTools.ts"
import { quotedLines } from "../../../schemas/content/ServerText.ts"
import type { AgentTool, ToolResult } from "../../../schemas/call/Tool.ts"
import type { ToolBridge } from "../../../services/call/ToolBridge.ts"
import { wholeTurn } from "../../../system/inTurns.ts"
import { type OwnTool, RUNTIME } from "./OwnTool.ts"
import { makeToolSearch } from "./toolSearch.ts"

export interface ToolIndexOptions {
  readonly bridge: ToolBridge["Service"]
  /** The content policy of the server with this name. */
  readonly contentOf: (server: string) => ContentPolicy | undefined
}

const BUDGET = { bytes: RESULT_MAX_BYTES, blocks: RESULT_MAX_BLOCKS }

const agentTool = (name: string, label: string, description: string, parameters: JsonObject): AgentTool => ({
  name,
  label,
  description,
  parameters,
  server: RUNTIME,
  tool: name.slice("mcp_".length)
})

const searchTool = agentTool(
  SEARCH,
  "Search tools",
  `Finds tools of the connected MCP servers by words of their names and descriptions, best first. Without a query it lists all of them. Look a tool up with ${DESCRIBE} before you call it with ${CALL}.`,
  {
    type: "object",
    properties: {
      query: { type: "string", description: "Words that say what the tool should do" },
      limit: {
        type: "integer",
        minimum: 1,
        maximum: TOOL_LIST_MAX_RESULTS,
        description: `How many to list. Default: ${TOOL_SEARCH_MAX_RESULTS}`
      }
    }
  }
)

const describeTool = agentTool(
  DESCRIBE,
  "Describe tools",
  `Shows the description and the parameters (JSON Schema) of tools, by the names that ${SEARCH} gives.`,
  {
    type: "object",
    properties: {
      names: { type: "array", items: { type: "string" }, minItems: 1, maxItems: TOOL_DESCRIBE_MAX },
      name: { type: "string", description: "One name, instead of names" }
    }
  }
)

const callTool = agentTool(CALL, "Call a tool", `Calls a tool by the name that ${SEARCH} gives.`, {
  type: "object",
  properties: {
    name: { type: "string" },
    arguments: { type: "object", description: `As the parameters that ${DESCRIBE} shows` }
  },
  required: ["name"]
})

/** One line of a listing: a description cannot begin a line of its own. */
const lineOf = ({ description, name }: AgentTool) => clip(`${name}: ${description}`, TOOL_SEARCH_LINE_MAX_CHARS)

/** A description cannot pass for that of another tool. */
const describe = ({ description, name, parameters }: AgentTool) =>
  `${name}:\n${quotedLines(description)}\nParameters: ${JSON.stringify(parameters)}`

const invalid = (tool: string, detail: string) => new InvalidArguments({ tool, detail })

const findIn = (tools: ReadonlyArray<AgentTool>, name: string) => tools.find((tool) => tool.name === name)

const unknownAmong = (tools: ReadonlyArray<AgentTool>, name: string) =>
  new ToolNotFound({
    tool: name.slice(0, TOOL_SEARCH_LINE_MAX_CHARS),
    suggestion: nearest(
      name,
      tools.map((tool) => tool.name)
    )
  })

const serversOf = (tools: ReadonlyArray<AgentTool>) => [...new Set(tools.map(({ server }) => server))].join(", ")

export const makeToolIndex = ({ bridge, contentOf }: ToolIndexOptions): ReadonlyArray<OwnTool> => {
  const search = makeToolSearch()

  /**
   * Text of several servers in one result follows the strictest of their policies. Tools that a policy withholds are not
   * found at all.
   */
  const shown = (tool: string, text: string, named: ReadonlyArray<AgentTool>): ToolResult => {
    const servers = [...new Set(named.map(({ server }) => server))]
    const content = { mode: strictest(servers.flatMap((server) => contentOf(server)?.mode ?? [])), withhold: [] }
    return bridge.toResult({ content: [{ type: "text", text }] }, { server: RUNTIME, tool, content }, BUDGET)
  }

  // Some models write null for what they leave out.
  const runSearch: OwnTool["run"] = Effect.fnUntraced(function* (args, { searched: tools }) {
    const query = args["query"] ?? ""
    const limit = args["limit"] ?? undefined
    if (typeof query !== "string") return yield* invalid(SEARCH, "the query is not a text")
    if (limit !== undefined && !(Number.isInteger(limit) && (limit as number) >= 1)) {
      return yield* invalid(SEARCH, "the limit is not a whole number from 1 on")
    }
    const isAll = query.trim() === ""
    const found = isAll ? tools : yield* search(tools, query)
    const most = isAll ? TOOL_LIST_MAX_RESULTS : TOOL_SEARCH_MAX_RESULTS
    const named = found.slice(0, Math.min((limit as number | undefined) ?? most, TOOL_LIST_MAX_RESULTS))
    const heading =
      found.length === 0
        ? `No tool fits. Try other words; the servers are: ${serversOf(tools)}`
        : `${named.length} of ${found.length} tools${isAll ? "" : " that fit, best first"}; descriptions are the servers' own:`
    yield* wholeTurn
    return shown(SEARCH, [heading, ...named.map(lineOf)].join("\n"), named)
  })

  const runDescribe: OwnTool["run"] = ({ name, names }, { searched: tools }) => {
    const wanted: ReadonlyArray<unknown> = Array.isArray(names) ? names : [names ?? name]
    if (wanted.length === 0 || wanted.length > TOOL_DESCRIBE_MAX || !wanted.every((one) => typeof one === "string")) {
      return Effect.fail(invalid(DESCRIBE, `give one name, or 1 to ${TOOL_DESCRIBE_MAX} names`))
    }
    const named: Array<AgentTool> = []
    for (const one of wanted) {
      const tool = findIn(tools, one)
      if (tool === undefined) return Effect.fail(unknownAmong(tools, one))
      named.push(tool)
    }
    return Effect.map(wholeTurn, () => shown(DESCRIBE, named.map(describe).join("\n\n"), named))
  }

  const runCall: OwnTool["run"] = ({ arguments: args, name }, { call, options, searched: tools }) => {
    const given = args ?? {}
    if (typeof name !== "string") return Effect.fail(invalid(CALL, "the name is not a text"))
    if (!isObject(given)) return Effect.fail(invalid(CALL, 'the "arguments" are not an object'))
    // Only tools that can be found, so not the search tools themselves: a model must not nest calls of them.
    return findIn(tools, name) === undefined ? Effect.fail(unknownAmong(tools, name)) : call(name, given, options)
  }

  const leadsTo: OwnTool["leadsTo"] = ({ name }, tools) =>
    typeof name === "string" ? findIn(tools, name)?.name : undefined

  return [
    { agentTool: searchTool, ofRuntime: true, searches: true, run: runSearch },
    { agentTool: describeTool, ofRuntime: true, searches: true, run: runDescribe },
    { agentTool: callTool, ofRuntime: true, searches: true, leadsTo, run: runCall }
  ]
}
