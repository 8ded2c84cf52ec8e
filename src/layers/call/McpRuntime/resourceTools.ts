/**
 * Resources as tools, two for each server that has resources: `list_resources` and `read_resource`. Their results are like
 * those of any tool: one budget, one pair of boundaries, and the rest kept for later.
 */
import * as Effect from "effect/Effect"
import {
  RESOURCE_LIST_LINE_MAX_CHARS,
  RESOURCE_LIST_MAX_ITEMS,
  RESOURCE_QUERY_MAX_CHARS
} from "../../../schemas/defaults/Catalogue.ts"
import type { InTurns } from "../../../schemas/data/InTurns.ts"
import { isObject, type JsonObject } from "../../../schemas/data/Json.ts"
import { InvalidArguments, type ResourceError } from "../../../schemas/call/CallError.ts"
import { exposeNames, type NamingStyle } from "../../../schemas/call/Names.ts"
import { originMark } from "../../../schemas/call/Tool.ts"
import { budgetFor, originSeenBy } from "../../../schemas/call/Look.ts"
import { clip, formatBytes } from "../../../schemas/content/Rendering.ts"
import type { AgentResource, AgentResourceTemplate } from "../../../schemas/content/Resource.ts"
import type { CallOptions } from "../../../services/call/McpRuntime.ts"
import type { RequestOptions } from "../../../services/connection/ServerConnector.ts"
import type { ResultOrigin, ToolBridge } from "../../../services/call/ToolBridge.ts"
import { inTurns, wholeTurn } from "../../../system/inTurns.ts"
import { makeForClient } from "./forClient.ts"
import type { OwnTool } from "./OwnTool.ts"
import { isThere, type ServerResources } from "./resourceList.ts"

type Bridge = ToolBridge["Service"]
type Arguments = Readonly<Record<string, unknown>>

export interface ResourceToolsOptions {
  readonly naming: NamingStyle
  /** The prefixes of all servers of the agent. */
  readonly prefixes: () => ReadonlyArray<string>
  readonly list: () => ReadonlyArray<ServerResources>
  readonly bridge: Bridge
  /** Returns the raw result of `resources/read`. */
  readonly read: (
    source: ServerResources,
    uri: string,
    options: RequestOptions
  ) => Effect.Effect<unknown, ResourceError>
}

const LIST = "list_resources"
const READ = "read_resource"

const LIST_PARAMETERS: JsonObject = {
  type: "object",
  properties: {
    query: { type: "string", description: "Only what has this text in its URI, name or description" },
    limit: {
      type: "integer",
      minimum: 1,
      maximum: RESOURCE_LIST_MAX_ITEMS,
      description: `How many to list, ${RESOURCE_LIST_MAX_ITEMS} when left out`
    }
  }
}

const READ_PARAMETERS: JsonObject = {
  type: "object",
  properties: { uri: { type: "string", description: `A URI that ${LIST} names, or one made from a template of it` } },
  required: ["uri"]
}

export const makeResourceTools = ({ bridge, list, naming, prefixes, read }: ResourceToolsOptions) => {
  /** The current resources of a server: a tool may outlive the list that it was made for. */
  const presentOf = (source: ServerResources) =>
    list().find(({ server }) => server.config.name === source.server.config.name) ?? source

  const listTool = (source: ServerResources, name: string): OwnTool => {
    const { budget, content, name: server } = source.server.config
    const origin = { server, tool: LIST, content }
    return {
      agentTool: {
        name,
        label: `MCP: ${server}/${LIST}`,
        description: `${originMark(server)}Lists the resources (documents, records and other data) that the server offers for reading, and the templates for more of them`,
        parameters: LIST_PARAMETERS,
        server,
        tool: LIST
      },
      asksNobody: true,
      run: (args, { options: { look } }) => {
        const asked = readListArguments(args)
        return typeof asked === "string"
          ? Effect.fail(new InvalidArguments({ tool: name, detail: asked }))
          : Effect.andThen(wholeTurn, () => inTurns(describeList(presentOf(source), asked))).pipe(
              Effect.map((text) =>
                bridge.toResult(
                  { content: [{ type: "text", text }] },
                  originSeenBy(look, origin),
                  budgetFor(look, budget)
                )
              )
            )
      }
    }
  }

  const originFor = makeForClient<ResultOrigin>()

  const readTool = (source: ServerResources, name: string): OwnTool => {
    const { budget, content, name: server } = source.server.config
    const origin = { server, tool: READ, content }
    return {
      agentTool: {
        name,
        label: `MCP: ${server}/${READ}`,
        description: `${originMark(server)}Reads a resource of the server`,
        parameters: READ_PARAMETERS,
        server,
        tool: READ
      },
      run: ({ uri }, { options }) =>
        typeof uri === "string" && uri !== ""
          ? Effect.map(read(presentOf(source), uri, optionsOf(source, options)), (raw) =>
              bridge.toResult(
                asToolResult(raw),
                originSeenBy(options.look, originFor(origin, options)),
                budgetFor(options.look, budget)
              )
            )
          : Effect.fail(new InvalidArguments({ tool: name, detail: '"uri" must be a text' }))
    }
  }

  const optionsOf = ({ server }: ServerResources, { onProgress, timeoutMs }: CallOptions): RequestOptions => ({
    idleMs: timeoutMs ?? server.requestOptions.idleMs,
    totalMs: Math.max(server.requestOptions.totalMs, timeoutMs ?? 0),
    onProgress:
      onProgress === undefined
        ? server.requestOptions.onProgress
        : (report) => onProgress(bridge.toProgress(report, server.config.content))
  })

  return (): ReadonlyArray<OwnTool> => {
    const sources = list().filter((source) => source.isOffered === true && isThere(source))
    const makers = sources.flatMap((source) => [
      { source, tool: LIST, make: listTool },
      { source, tool: READ, make: readTool }
    ])
    const names = exposeNames(
      naming,
      makers.map(({ source, tool }) => ({
        server: source.server.config.name,
        prefix: source.server.config.toolPrefix,
        tool
      })),
      prefixes()
    )
    return makers.map(({ make, source }, i) => make(source, names[i]!))
  }
}

// ---- the list ------------------------------------------------------------------------------------------------------

interface ListArguments {
  readonly query: string
  readonly limit: number
}

const readListArguments = (args: Arguments): ListArguments | string => {
  // Some models write null for what they leave out.
  const limit = args["limit"] ?? RESOURCE_LIST_MAX_ITEMS
  const query = args["query"] ?? ""
  if (typeof query !== "string") return '"query" must be a text'
  if (query.length > RESOURCE_QUERY_MAX_CHARS) return `"query" may have ${RESOURCE_QUERY_MAX_CHARS} characters`
  if (typeof limit !== "number" || !Number.isInteger(limit) || limit < 1)
    return '"limit" must be a whole number above 0'
  return { query: query.toLowerCase(), limit: Math.min(limit, RESOURCE_LIST_MAX_ITEMS) }
}

/** Every text is quoted on one line, so that only we begin lines of the list. */
/** Servers choose the texts, and clients the query: looked for in turns. */
function* describeList({ resources, templates }: ServerResources, { limit, query }: ListArguments): InTurns<string> {
  function* matching<A extends AgentResource | AgentResourceTemplate>(entries: ReadonlyArray<A>): InTurns<Array<A>> {
    const found: Array<A> = []
    for (const entry of entries) {
      const texts = [uriOf(entry), entry.name, entry.title ?? "", entry.description]
      if (texts.some((text) => text.toLowerCase().includes(query))) found.push(entry)
      yield
    }
    return found
  }
  function* section(title: string, entries: ReadonlyArray<AgentResource | AgentResourceTemplate>) {
    const found = query === "" ? entries : yield* matching(entries)
    const more = found.length - limit
    return [
      `${title}: ${found.length}${query === "" ? "" : ` of ${entries.length} match the query`}`,
      ...found.slice(0, limit).map(lineOf),
      ...(more > 0 ? [`[… ${more} more: use a query …]`] : [])
    ]
  }
  const listed = yield* section(
    "Resources",
    resources.map(({ resource }) => resource)
  )
  const made =
    templates.length === 0 ? [] : yield* section("Templates, to be filled in where there are braces", templates)
  return [...listed, ...made].join("\n")
}

const uriOf = (entry: AgentResource | AgentResourceTemplate) => ("uri" in entry ? entry.uri : entry.uriTemplate)

const lineOf = (entry: AgentResource | AgentResourceTemplate): string => {
  const called = entry.title ?? entry.name
  const parts = [
    // A URI that is cut could not be read.
    JSON.stringify(uriOf(entry)),
    ...(called === uriOf(entry) ? [] : [JSON.stringify(clip(called, RESOURCE_LIST_LINE_MAX_CHARS))]),
    ...(entry.mimeType === undefined ? [] : [entry.mimeType]),
    ...("size" in entry && entry.size !== undefined ? [formatBytes(entry.size)] : []),
    ...(entry.description.trim() === "" ? [] : [clip(entry.description, RESOURCE_LIST_LINE_MAX_CHARS)])
  ]
  return `- ${parts.join(", ")}`
}

// ---- reading -------------------------------------------------------------------------------------------------------

/** Converts the contents of a resource into blocks of a tool result. */
const asToolResult = (raw: unknown): unknown => {
  if (!isObject(raw)) return raw
  const contents = raw["contents"]
  if (!Array.isArray(contents) && !isObject(contents)) return undefined
  const pieces: ReadonlyArray<unknown> = Array.isArray(contents) ? contents : [contents]
  return { content: pieces.map((resource) => ({ type: "resource", resource })) }
}
