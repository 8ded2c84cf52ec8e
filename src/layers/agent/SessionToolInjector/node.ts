/**
 * The tools of all our sessions as those of one node of a gateway, which may run anywhere. The gateway shows them to every
 * session; a call runs only for the session that the tools belong to, and ends with the connection, because its result could
 * not be delivered. Published tools disappear with the connection and are published again with the next.
 */
import type { CallToolResult } from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Latch from "effect/Latch"
import type * as Scope from "effect/Scope"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import { GATEWAY_REQUEST_MS } from "../../../schemas/defaults/Gateway.ts"
import { NODE_CALLS_MAX, NODE_RESULT_MAX_BYTES, NODE_TOOLS_MAX } from "../../../schemas/defaults/Injection.ts"
import { GatewayError } from "../../../schemas/agent/GatewayError.ts"
import type { GatewayHello } from "../../../schemas/agent/GatewayFrames.ts"
import { isObject } from "../../../schemas/data/Json.ts"
import { eachValid, ifValid, reader } from "../../../schemas/data/Lenient.ts"
import { textWithinBounds } from "../../../schemas/connection/JsonBounds.ts"
import type { GatewayEvent, GatewayLink, Link } from "../../../services/agent/GatewayLink.ts"
import type { McpRuntimeShape } from "../../../services/call/McpRuntime.ts"
import { following } from "../../../system/rounds.ts"
import { CALL_COMMAND, makeCatalogue, type Published } from "./catalogue.ts"
import { callTool, failed, TAKEN_BACK } from "./toMcp.ts"

export interface Node {
  /** For the caller's Scope. */
  readonly offer: (gatewayKey: string, tools: McpRuntimeShape) => Effect.Effect<void, GatewayError, Scope.Scope>
}

interface Session {
  readonly runtime: McpRuntimeShape
  /** By the name in a call. */
  readonly tools: ReadonlyMap<string, Published>
  readonly calls: FiberSet.FiberSet<CallToolResult>
}

const NOT_YOURS = failed("This tool belongs to another session, and can only be called there.")
const TOO_MANY = failed("Too many calls are running at the same time; try again later.")
const NO_ARGUMENTS = failed("The arguments of a tool must be an object.")
const TOO_LARGE = "An image was left out: the result would be too large for the gateway."

/** The overhead of a frame around a result. */
const FRAME_BYTES = 64 * 1024

/** A gateway ignores case in keys. */
const normal = (key: string): string => key.trim().toLowerCase()

const readInvocation = reader(
  Schema.Struct({
    id: Schema.String,
    nodeId: Schema.String,
    command: ifValid(Schema.String),
    sessionKey: ifValid(Schema.String),
    paramsJSON: ifValid(Schema.String)
  })
)
type Invocation = NonNullable<ReturnType<typeof readInvocation>>

const readParams = reader(
  Schema.fromJsonString(
    Schema.Struct({ server: Schema.String, tool: Schema.String, arguments: Schema.optionalKey(Schema.Unknown) })
  )
)

const readCancelled = reader(Schema.Struct({ invokeId: Schema.String }))
const readPublished = reader(Schema.Struct({ tools: Schema.Array(Schema.Unknown) }))
const readName = reader(Schema.Struct({ name: Schema.String }))

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

/** Text was limited where it was made; only images are left out here. */
const fitting = (result: CallToolResult, maxBytes: number): CallToolResult =>
  bytesOf(result) <= maxBytes
    ? result
    : {
        ...result,
        content: result.content.map((part) => (part.type === "image" ? { type: "text", text: TOO_LARGE } : part))
      }

const keyOf = (server: string, tool: string): string => JSON.stringify([server, tool])

const namesOf = (answer: unknown): ReadonlySet<string> =>
  new Set(eachValid(readPublished(answer)?.tools, readName).map(({ name }) => name))

const NOT_TAKEN =
  "the gateway does not take the tools of this session: its gateway.nodes.pluginTools.enabled must not be false, and " +
  `gateway.nodes.commands must not deny ${CALL_COMMAND}`

export const openNode = Effect.fnUntraced(function* (
  gateway: GatewayLink["Service"]
): Effect.fn.Return<Node, GatewayError, Scope.Scope> {
  const link: Link = yield* gateway.node({ displayName: "mcp-live", caps: ["mcp"], commands: [CALL_COMMAND] })
  const scope = yield* Effect.scope
  const catalogue = makeCatalogue()
  const sessions = new Map<string, Session>()
  const turns = yield* Semaphore.make(1)
  /** Open while calls are accepted. */
  const listening = Latch.makeUnsafe(false)

  const publish = turns.withPermit(
    Effect.suspend(() =>
      link.request("node.pluginTools.update", {
        tools: catalogue.all().map(({ description, name, parameters, server, tool }) => ({
          pluginId: "node-mcp",
          name,
          description,
          parameters,
          command: CALL_COMMAND,
          mcp: { server, tool }
        }))
      })
    )
  )

  // ---- calls -------------------------------------------------------------------------------------------------------

  /** The call, where it runs; or why it does not. */
  const begin = ({ command, paramsJSON = "", sessionKey }: Invocation) => {
    const session = sessionKey === undefined ? undefined : sessions.get(normal(sessionKey))
    const params = textWithinBounds(paramsJSON) ? readParams(paramsJSON) : undefined
    const { arguments: args = {} } = params ?? {}
    const published = params === undefined ? undefined : session?.tools.get(keyOf(params.server, params.tool))
    if (command !== CALL_COMMAND || session === undefined || published === undefined) return Effect.succeed(NOT_YOURS)
    if (!isObject(args)) return Effect.succeed(NO_ARGUMENTS)
    return FiberSet.run(session.calls, callTool(session.runtime, published.tool, args))
  }

  /** One connection until its end. */
  const serve = Effect.fnUntraced(
    function* ({ limits }: GatewayHello) {
      const maxBytes = Math.min(NODE_RESULT_MAX_BYTES, limits.maxPayloadBytes - FRAME_BYTES)
      const events = yield* link.events
      const connection = yield* Effect.scope
      const running = new Map<string, Fiber.Fiber<CallToolResult>>()
      const cancelled = new Set<string>()
      yield* Effect.addFinalizer(() => Effect.andThen(listening.close, Fiber.interruptAll(running.values())))
      yield* listening.open
      yield* publish

      /** `undefined` when nobody waits for it any more. */
      const resultOf = Effect.fnUntraced(function* (invocation: Invocation) {
        if (running.size >= NODE_CALLS_MAX) return TOO_MANY
        const begun = yield* begin(invocation)
        if (!Fiber.isFiber(begun)) return begun
        const { id } = invocation
        running.set(id, begun)
        const exit = yield* Fiber.await(begun)
        running.delete(id)
        if (Exit.isSuccess(exit)) return fitting(exit.value, maxBytes)
        return cancelled.delete(id) ? undefined : TAKEN_BACK
      })

      const answer = Effect.fnUntraced(function* (invocation: Invocation) {
        const { id, nodeId } = invocation
        const payload = yield* resultOf(invocation)
        if (payload !== undefined) yield* link.request("node.invoke.result", { id, nodeId, ok: true, payload })
      })

      const cancel = (id: unknown) => {
        const call = typeof id === "string" ? running.get(id) : undefined
        if (call === undefined) return Effect.void
        cancelled.add(String(id))
        return Effect.asVoid(Effect.forkIn(Fiber.interrupt(call), connection))
      }

      const onEvent = ({ event, payload }: GatewayEvent): Effect.Effect<void> => {
        if (event === "node.invoke.cancel") return cancel(readCancelled(payload)?.invokeId)
        const invocation = event === "node.invoke.request" ? readInvocation(payload) : undefined
        if (invocation === undefined || running.has(invocation.id)) return Effect.void
        return answer(invocation).pipe(
          Effect.catch(({ message }) => Effect.logInfo(`the gateway did not take the result of a call: ${message}`)),
          Effect.forkIn(connection),
          Effect.asVoid
        )
      }

      yield* Stream.runForEach(events, onEvent)
    },
    Effect.scoped,
    Effect.catch(({ message }) => Effect.logInfo(`the tools of sessions are gone from the gateway: ${message}`))
  )

  yield* Effect.forkScoped(following("the offer of tools of sessions to the gateway", link.connected, serve))

  // ---- sessions ----------------------------------------------------------------------------------------------------

  const within = Effect.suspend(() => {
    const count = catalogue.all().length
    if (count <= NODE_TOOLS_MAX) return Effect.void
    const detail = `a gateway takes ${NODE_TOOLS_MAX} tools of a node, and with this session there would be ${count}`
    return Effect.fail(new GatewayError({ detail }))
  })

  return {
    offer: Effect.fnUntraced(function* (gatewayKey, tools) {
      const key = normal(gatewayKey)
      const listed = yield* tools.tools
      const session: Session = {
        runtime: tools,
        tools: new Map(),
        // Interrupted after the following finalizer: first no new calls are accepted.
        calls: yield* FiberSet.make<CallToolResult>()
      }
      yield* Effect.addFinalizer(() => {
        if (sessions.get(key) === session) sessions.delete(key)
        catalogue.remove(session)
        return Effect.asVoid(Effect.forkIn(Effect.ignore(publish), scope))
      })
      const published = catalogue.add(session, listed)
      yield* within
      const own = session.tools as Map<string, Published>
      for (const tool of published) own.set(keyOf(tool.server, tool.tool), tool)
      sessions.set(key, session)
      // A gateway that is not connected reports that itself when the tools are published.
      yield* Effect.timeoutOption(listening.await, GATEWAY_REQUEST_MS)
      const taken = namesOf(yield* publish)
      if (published.some(({ name }) => !taken.has(name))) return yield* new GatewayError({ detail: NOT_TAKEN })
    })
  }
})
