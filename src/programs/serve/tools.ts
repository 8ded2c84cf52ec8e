/** The tools of an agent for a client: listed as the agent sees them, and called like any tool. */
import * as Effect from "effect/Effect"
import type { Caller } from "../../schemas/call/Caller.ts"
import { isObject, type JsonObject } from "../../schemas/data/Json.ts"
import { looseSchema } from "./looseSchema.ts"
import { CALL_TOOL, READ_MORE } from "../../schemas/call/RuntimeTools.ts"
import type { ServeConfig, StructuredContent } from "../../schemas/listener/ServeConfig.ts"
import type { AgentTool, Progress } from "../../schemas/call/Tool.ts"
import type { RequestContext, Handler } from "../../services/listener/McpListener.ts"
import type { AskedAt, McpRuntimeShape } from "../../services/call/McpRuntime.ts"
import { optional, toCallResult, type ReadKept } from "./content.ts"
import type { Accounts } from "./accounts.ts"
import type { Handles } from "./handles.ts"
import { listed, pageOf, type Listed } from "./pages.ts"
import { approverOf } from "./permission.ts"
import { invalid } from "./refusals.ts"

export interface ToolParts {
  readonly runtime: Effect.Effect<McpRuntimeShape>
  readonly serve: ServeConfig
  readonly readKept: ReadKept
  /** Whether text of this server needs no boundaries. */
  readonly isTrusted: (server: string) => boolean
  /**
   * Runs a request of a client. During it, and later if it may still be working on it, the server may ask questions. Without
   * a name it may be any server.
   */
  readonly during: <A, E, R>(
    server: string | undefined,
    exchange: RequestContext,
    effect: Effect.Effect<A, E, R>,
    isOpen?: (result: A) => boolean
  ) => Effect.Effect<A, E, R>
  readonly handles: Handles
  /** Whose requests they are. */
  readonly caller: Caller
  /** The key of approvals that last until the end of the connection. */
  readonly session: string
  /** The page on which people are asked, for a caller. */
  readonly askedAt?: ((caller: Caller) => AskedAt | undefined) | undefined
  /** Where persons have accounts of their own at servers. */
  readonly accounts?: Accounts | undefined
}

// ---- the list ------------------------------------------------------------------------------------------------------

const passesSchema = (tool: AgentTool, whose: StructuredContent, { isTrusted }: Pick<ToolParts, "isTrusted">) =>
  tool.outputSchema !== undefined && (whose === "always" || (whose === "trusted" && isTrusted(tool.server)))

/** Cached per list: lists stay the same array until something changes. */
export const makeToolList = (parts: Pick<ToolParts, "accounts" | "runtime" | "serve" | "isTrusted">) => {
  const wires = new WeakMap<AgentTool, Listed>()
  const { structuredContent, toolIndex } = parts.serve

  /** Clients may compile the schema and check results with it, so schemas of untrusted servers are reduced. */
  const schemaOf = ({ outputSchema, server }: AgentTool) =>
    outputSchema === undefined || parts.isTrusted(server) ? outputSchema : looseSchema(outputSchema)

  const toWire = (tool: AgentTool): Listed => {
    const { annotations, description, label, name, parameters } = tool
    const known = wires.get(tool)
    if (known !== undefined) return known
    const made = listed(name, {
      name,
      title: label,
      description,
      inputSchema: parameters,
      ...(passesSchema(tool, structuredContent, parts) ? optional("outputSchema", schemaOf(tool)) : {}),
      ...optional("annotations", annotations)
    })
    wires.set(tool, made)
    return made
  }

  const tools = Effect.flatMap(
    parts.runtime,
    Effect.fnUntraced(function* (runtime) {
      const given = yield* runtime.tools
      if (toolIndex) return given
      const all = yield* runtime.allTools
      if (all.length === given.length) return all
      // Clients that get all tools need no search tools.
      const index = new Set(given.map(({ name }) => name).filter((name) => name !== READ_MORE))
      return all.filter(({ name }) => !index.has(name))
    })
  )
  return Effect.flatMap(tools, (all) => {
    const wires = all.map(toWire)
    const { accounts } = parts
    if (accounts === undefined) return Effect.succeed(wires)
    return Effect.flatMap(parts.runtime, (runtime) =>
      Effect.map(accounts.tools(runtime, all), (more) => (more.length === 0 ? wires : [...wires, ...more]))
    )
  })
}

// ---- calls ---------------------------------------------------------------------------------------------------------

/** Progress values must increase; other reports are left out. */
const increasing = ({ progress: tell }: RequestContext) => {
  let last = Number.NEGATIVE_INFINITY
  return (report: Progress) => {
    if (!Number.isFinite(report.progress) || report.progress <= last) return
    last = report.progress
    tell(report)
  }
}

/** The tool that is called in the end. */
const calledTool = (
  tools: ReadonlyArray<AgentTool>,
  name: string,
  args: Readonly<Record<string, unknown>>
): AgentTool | undefined => {
  const meant = name === CALL_TOOL ? args["name"] : name
  return tools.find((tool) => tool.name === meant)
}

/** An approval for good is for a person: for the only client that of the user who started us. */
const mayKeep = ({ client, person }: Caller): boolean => client === undefined || person !== undefined

export const callTool = (parts: ToolParts): Handler =>
  Effect.fnUntraced(function* (params: JsonObject, exchange: RequestContext) {
    const { name, arguments: given } = params
    if (typeof name !== "string") return yield* invalid("the name of a tool is missing")
    const args: unknown = given ?? {}
    if (!isObject(args)) return yield* invalid("the arguments of a tool must be an object")
    const runtime = yield* parts.runtime
    const known = calledTool(yield* runtime.allTools, name, args)
    // A tool of the server itself may have the name of ours. The one that is listed is called.
    const connecting = known === undefined ? parts.accounts?.called(name, parts.caller, exchange) : undefined
    if (connecting !== undefined) return yield* connecting
    // A client may call a tool that it remembers, while its server is still starting.
    const tool = known ?? calledTool(yield* Effect.andThen(runtime.tools, runtime.allTools), name, args)
    const allowed = yield* parts.handles.allowed(name, args)
    const calling = parts.during(
      tool?.server,
      exchange,
      runtime.call(name, allowed, {
        caller: parts.caller,
        page: parts.askedAt?.(parts.caller),
        onProgress: increasing(exchange),
        approver: approverOf(exchange, parts.session, mayKeep(parts.caller))
      }),
      ({ details }) => "error" in details && details.error.maybeExecuted
    )
    const first = yield* calling
    // It was refused for lack of a login, so nothing was executed.
    const connect = parts.accounts?.lacking(first, exchange)
    const outcome = connect === undefined ? undefined : yield* connect
    if (outcome !== undefined && outcome !== "connected") return outcome
    const result = outcome === undefined ? first : yield* calling
    yield* parts.handles.given(result)
    return yield* toCallResult(result, {
      promised: tool?.name === name && passesSchema(tool, parts.serve.structuredContent, parts),
      readKept: parts.readKept,
      structured: parts.serve.structuredContent
    })
  })

export const listTools =
  (list: Effect.Effect<ReadonlyArray<Listed>>, { serve }: Pick<ToolParts, "serve">): Handler =>
  ({ cursor }) =>
    Effect.flatMap(list, (all) => pageOf("tools", all, cursor, serve.pageSize))
