/**
 * A listener on the loopback address where an OpenClaw gateway reaches the tools of our sessions: with a separate path and
 * secret for each, so that those of one session open no other. Without the secret a caller learns nothing, not even whether
 * the path exists. Requests from web pages are refused in any case.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { randomBytes, timingSafeEqual } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import {
  INJECTED_CONNECTIONS_MAX,
  INJECTED_RECEIVE_MS,
  INJECTED_REQUEST_MAX_BYTES,
  INJECTED_REQUESTS_MAX
} from "../../../schemas/defaults/Injection.ts"
import { GatewayError } from "../../../schemas/agent/GatewayError.ts"
import { LISTENER_CALL_MAX_PARTS, LISTENER_CALL_MAX_VALUES } from "../../../schemas/defaults/Listener.ts"
import { JSON_MAX_DEPTH } from "../../../schemas/defaults/Wire.ts"
import type { McpRuntimeShape } from "../../../services/call/McpRuntime.ts"
import { EventLoop } from "../../../system/EventLoop.ts"
import { digestOf, listenOnLoopback, LOOPBACK, refuse, type NoPort } from "../../../system/httpServer.ts"
import { readJsonBody, writeRefusal, type JsonBody } from "../../../system/jsonBody.ts"
import { makeMessageReader } from "../../../system/messageReader.ts"
import { makePace } from "../../../system/pace.ts"
import { makeCallable } from "./externalCalls.ts"
import { makeToolServer } from "./mcpServer.ts"

const SECRET_BYTES = 32

export interface Served {
  readonly url: string
  /** For the header `Authorization: Bearer …`. */
  readonly secret: string
}

export interface Endpoint {
  /** Serves the tools until the Scope closes, under a name that this process never used before. */
  readonly serve: (name: string, tools: McpRuntimeShape) => Effect.Effect<Served, never, Scope.Scope>
}

interface SessionAddress {
  readonly digest: Buffer
  readonly handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>
  requests: number
}

const BOUNDS = {
  bytes: INJECTED_REQUEST_MAX_BYTES,
  depth: JSON_MAX_DEPTH,
  nodes: LISTENER_CALL_MAX_VALUES,
  parts: LISTENER_CALL_MAX_PARTS
}

const PARSE_ERROR = -32_700
const INVALID_REQUEST = -32_600

const refusalOf = (body: Exclude<JsonBody, { readonly value: unknown }>): Response => {
  const error =
    "broken" in body
      ? { code: INVALID_REQUEST, message: `Invalid request: ${body.broken.message}` }
      : { code: PARSE_ERROR, message: "Parse error" }
  const status = "broken" in body && body.broken.is === "size" ? 413 : 400
  return Response.json({ jsonrpc: "2.0", id: null, error }, { status })
}

const NOBODY = randomBytes(SECRET_BYTES)

/** A response at this path shows that this process is alive, to those who know its name; it is not secret. */
export const alivePath = (instance: string): string => `/alive/${instance}`

const noPort = ({ code }: NoPort): GatewayError => {
  const detail = `no port of this machine is available for the tools of a session (${code})`
  return new GatewayError({ detail })
}

/** Listens until the Scope closes. */
export const openEndpoint = Effect.fnUntraced(function* (
  instance: string
): Effect.fn.Return<Endpoint, GatewayError, Scope.Scope> {
  const [sdk, { toNodeHandler }] = yield* Effect.promise(() =>
    Promise.all([import("@modelcontextprotocol/server"), import("@modelcontextprotocol/node")])
  )
  const { places, port, server } = yield* listenOnLoopback({
    port: 0,
    connectionsMax: INJECTED_CONNECTIONS_MAX,
    headMs: INJECTED_RECEIVE_MS,
    receiveMs: INJECTED_RECEIVE_MS
  }).pipe(Effect.mapError(noPort))
  const host = `${LOOPBACK}:${port}`
  const alive = alivePath(instance)
  const addresses = new Map<string, SessionAddress>()

  const addressFor = ({ headers, url = "" }: IncomingMessage): SessionAddress | undefined => {
    const address = addresses.get(url)
    const isRight = timingSafeEqual(digestOf(headers.authorization ?? ""), address?.digest ?? NOBODY)
    return isRight ? address : undefined
  }

  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const { headers, method, url } = request
    if (headers.host !== host || headers.origin !== undefined) return refuse(response, 403)
    if (method === "GET" && url === alive) return refuse(response, 204)
    const address = addressFor(request)
    if (address === undefined) return refuse(response, 401, { "www-authenticate": "Bearer" })
    if (address.requests >= INJECTED_REQUESTS_MAX || !places.admit(request, response, request.url ?? ""))
      return refuse(response, 503, { "retry-after": "1" })
    address.requests++
    response.once("close", () => void address.requests--)
    address.handle(request, response).catch(() => response.destroy())
  })

  return {
    serve: Effect.fnUntraced(function* (name, tools) {
      const toolServer = makeToolServer(sdk, yield* makeCallable(tools))
      const secret = randomBytes(SECRET_BYTES).toString("base64url")
      const pace = makePace((yield* EventLoop).large)
      const answer = async (request: IncomingMessage, response: ServerResponse, body: unknown) => {
        const handle = toNodeHandler({ fetch: (asked) => toolServer.answer(asked, body) })
        return handle(request as Parameters<typeof handle>[0], response as Parameters<typeof handle>[1])
      }
      const path = `/${name}`
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          addresses.set(path, {
            digest: digestOf(`Bearer ${secret}`),
            handle: async (request, response) => {
              if (request.method !== "POST") return answer(request, response, undefined)
              const reader = makeMessageReader(BOUNDS)
              const body = await readJsonBody(request, { maxBytes: BOUNDS.bytes, reader, pace })
              return "value" in body
                ? answer(request, response, body.value)
                : writeRefusal(refusalOf(body), response, pace)
            },
            requests: 0
          })
        }),
        () =>
          Effect.promise(() => {
            addresses.delete(path)
            return toolServer.close()
          })
      )
      return { url: `http://${host}${path}`, secret }
    })
  }
})
