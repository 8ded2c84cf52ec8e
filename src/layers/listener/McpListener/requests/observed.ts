/** Tells whoever makes spans and metrics about the requests of clients, and about what clients are asked. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Tracer from "effect/Tracer"
import type { TransportKind } from "../../../../schemas/connection/ServerState.ts"
import { isObject, type JsonObject } from "../../../../schemas/data/Json.ts"
import { endedWith, refusedWith, type Ended } from "../../../../schemas/telemetry/Operation.ts"
import type { Recording } from "../../../../services/telemetry/Telemetry.ts"
import { TASK_METHODS } from "./capabilities.ts"
import { INTERNAL_ERROR } from "./refusals.ts"
import { MODERN, senderOf, type Result, type Server, type ServerContext } from "./sdk.ts"
import { isOffered } from "./shapes.ts"

/** What is known of all requests of one client. */
export interface Observed {
  readonly telemetry: Recording
  readonly transport: TransportKind
}

const OTHERS: ReadonlySet<string> = new Set([
  ...TASK_METHODS,
  "tasks/list",
  "tasks/result",
  "logging/setLevel",
  "resources/subscribe",
  "resources/unsubscribe"
])

/** A client may invent names of methods without end: those are of no interest. */
const isKnown = (method: string): boolean => isOffered(method) || OTHERS.has(method)

const refusalEnded = (error: unknown): Ended =>
  refusedWith(isObject(error) && typeof error["code"] === "number" ? error["code"] : INTERNAL_ERROR)

const revisionOf = (server: Server, { mcpReq }: ServerContext): string | undefined =>
  mcpReq.envelope === undefined ? server.getNegotiatedProtocolVersion() : MODERN

/** Answers a request of a client; `answer` gets the span that its work belongs under. */
export const observed = async (
  { telemetry: { current }, transport }: Observed,
  server: Server,
  context: ServerContext,
  { method, params }: { readonly method: string; readonly params: JsonObject },
  answer: (span?: Tracer.AnySpan) => Promise<Result>
): Promise<Result> => {
  if (current === undefined || !isKnown(method)) return answer()
  const sender = senderOf(context)
  const { end, span } = current.begin({
    side: "server",
    method,
    params,
    id: sender?.asked ?? context.mcpReq.id,
    remote: { transport, protocolVersion: revisionOf(server, context) },
    header: sender?.header?.bind(sender)
  })
  try {
    const result = await answer(span)
    end(endedWith(method, result))
    return result
  } catch (error) {
    end(refusalEnded(error))
    throw error
  }
}

/** Asks a client; `send` gets the parameters with the place in the trace. */
export const askedOf = async (
  { telemetry: { current }, transport }: Observed,
  server: Server,
  method: string,
  params: JsonObject,
  send: (params: Record<string, unknown>) => Promise<unknown>
): Promise<unknown> => {
  if (current === undefined) return send({ ...params })
  const remote = { transport, protocolVersion: server.getNegotiatedProtocolVersion() }
  // The SDK chooses the id.
  const { carried, end } = current.begin({ side: "client", method, params, id: undefined, remote })
  const own = params["_meta"]
  const meta = carried === undefined ? {} : { _meta: { ...(isObject(own) ? own : {}), ...carried } }
  try {
    const answer = await send({ ...params, ...meta })
    end({})
    return answer
  } catch (error) {
    const code = isObject(error) ? error["code"] : undefined
    end(typeof code === "number" ? { errorType: String(code), statusCode: String(code) } : { errorType: "timeout" })
    throw error
  }
}

/** A session of a client, until the Scope closes. */
export const observedSession = (
  { telemetry, transport }: Observed,
  revision: () => string | undefined
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.flatMap(Clock.currentTimeMillis, (start) =>
    Effect.addFinalizer(() =>
      Effect.map(Clock.currentTimeMillis, (end) =>
        telemetry.current?.sessionEnded("server", { transport, protocolVersion: revision() }, (end - start) / 1_000)
      )
    )
  )
