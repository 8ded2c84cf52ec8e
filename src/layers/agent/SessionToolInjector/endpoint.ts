/**
 * The tools of one session as an MCP server on the loopback address, where an OpenClaw gateway reaches them: with a port and a
 * secret of its own, so that those of one session open no other. Clients get no MCP session: a gateway would have to end it before
 * it releases us, which fails if we are gone first.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import { randomBytes } from "node:crypto"
import { GatewayError } from "../../../schemas/agent/GatewayError.ts"
import { LISTENER_REQUESTS_MAX } from "../../../schemas/defaults/Listener.ts"
import type { JsonObject } from "../../../schemas/data/Json.ts"
import type { McpRuntimeShape } from "../../../services/call/McpRuntime.ts"
import type { Handler, McpListener } from "../../../services/listener/McpListener.ts"
import { macrotask } from "./entries.ts"
import { alivePath } from "./names.ts"
import { callTool, TAKEN_BACK, toMcpTool } from "./toMcp.ts"

const SECRET_BYTES = 32

export interface Served {
  readonly url: string
  /** For the header `Authorization: Bearer …`. */
  readonly secret: string
}

/** Serves the tools of a session with this name until the Scope closes: then running calls are interrupted and answered, and the port is closed. */
export const openEndpoint = Effect.fnUntraced(function* (
  { http }: McpListener["Service"],
  name: string,
  instance: string,
  tools: McpRuntimeShape
): Effect.fn.Return<Served, GatewayError, Scope.Scope> {
  // Closes last.
  const listening = yield* Scope.fork(yield* Effect.scope)
  const over = yield* Deferred.make<void>()
  const running = yield* Semaphore.make(LISTENER_REQUESTS_MAX)
  // Waits until all calls are answered, and one more turn of the event loop, so that the responses are sent.
  yield* Effect.addFinalizer(() =>
    Effect.andThen(Deferred.succeed(over, undefined), running.withPermits(LISTENER_REQUESTS_MAX)(macrotask))
  )
  const secret = randomBytes(SECRET_BYTES).toString("base64url")

  const list: Handler = () => Effect.map(tools.tools, (all) => ({ tools: all.map(toMcpTool) }))
  const takenBack = Effect.as(Deferred.await(over), TAKEN_BACK)
  const call: Handler = ({ arguments: args = {}, name }, { progress }) => {
    const result = callTool(tools, String(name), args as JsonObject, { onProgress: progress })
    return running.withPermit(Effect.raceFirst(result, takenBack)) as Effect.Effect<JsonObject>
  }
  const offer = {
    name: "mcp-live",
    title: "mcp-live",
    handlers: { "tools/list": list, "tools/call": call },
    changes: Stream.never,
    tasks: false
  }
  const url = yield* http(() => Effect.succeed(offer), {
    port: 0,
    tokens: [{ token: Redacted.make(secret), principal: name }],
    sessions: false,
    health: alivePath(instance)
  }).pipe(
    Scope.provide(listening),
    Effect.mapError(({ detail }) => new GatewayError({ detail: `the tools of a session cannot be served: ${detail}` }))
  )
  return { url, secret }
})
