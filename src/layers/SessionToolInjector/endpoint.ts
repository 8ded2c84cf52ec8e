/**
 * A listener on this machine's loopback at which an OpenClaw gateway reaches the tools of our sessions: a path and a secret of
 * its own for each, so that what one session was given opens no other. Who does not know the secret learns nothing, not even
 * whether there is such a path. A page of a browser is nobody's gateway, whatever it knows.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import {
  INJECTED_CONNECTIONS_MAX,
  INJECTED_RECEIVE_MS,
  INJECTED_REQUEST_MAX_BYTES,
  INJECTED_REQUESTS_MAX
} from "../../schemas/Defaults.ts"
import { GatewayError } from "../../schemas/GatewayError.ts"
import type { McpRuntimeShape } from "../../services/McpRuntime.ts"
import { makeCallable } from "./calls.ts"
import { makeToolServer } from "./mcpServer.ts"

const HOST = "127.0.0.1"
const SECRET_BYTES = 32
const HEADER_MAX_BYTES = 16 * 1024

export interface Served {
  readonly url: string
  /** For the header `Authorization: Bearer …`. */
  readonly secret: string
}

export interface Endpoint {
  /** From now until the Scope closes, under a name of this process that was not used before. */
  readonly serve: (name: string, tools: McpRuntimeShape) => Effect.Effect<Served, never, Scope.Scope>
}

interface Door {
  readonly digest: Buffer
  readonly handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>
  requests: number
}

/** Of one length, whatever they are made of: what is compared in constant time. */
const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest()

const NOBODY = randomBytes(SECRET_BYTES)

/** What is said at this path says that this process lives, to who knows its name; it is no secret. */
export const alivePath = (instance: string): string => `/alive/${instance}`

const SAFE_HEADERS = { "cache-control": "no-store", "x-content-type-options": "nosniff" }

const refuse = (response: ServerResponse, status: number, headers: Record<string, string> = {}): void => {
  response.writeHead(status, { ...SAFE_HEADERS, ...headers, "content-length": "0", connection: "close" }).end()
}

const portOf = (server: Server): number => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

const listen: Effect.Effect<Server, GatewayError> = Effect.callback((resume) => {
  const server = createServer({
    maxHeaderSize: HEADER_MAX_BYTES,
    headersTimeout: INJECTED_RECEIVE_MS,
    requestTimeout: INJECTED_RECEIVE_MS
  })
  server.maxConnections = INJECTED_CONNECTIONS_MAX
  server.once("error", (error) => {
    const code = "code" in error ? String(error.code) : "unknown error"
    const detail = `no port of this machine can be listened on for the tools of a session (${code})`
    resume(Effect.fail(new GatewayError({ detail })))
  })
  server.listen(0, HOST, () => resume(Effect.succeed(server)))
})

const close = (server: Server): Effect.Effect<void> =>
  Effect.callback((resume) => {
    server.close(() => resume(Effect.void))
    server.closeAllConnections()
  })

/** Listens until the Scope closes. */
export const openEndpoint = Effect.fnUntraced(function* (
  instance: string
): Effect.fn.Return<Endpoint, GatewayError, Scope.Scope> {
  const [sdk, { toNodeHandler }] = yield* Effect.promise(() =>
    Promise.all([import("@modelcontextprotocol/server"), import("@modelcontextprotocol/node")])
  )
  const server = yield* Effect.acquireRelease(listen, close)
  const host = `${HOST}:${portOf(server)}`
  const alive = alivePath(instance)
  const doors = new Map<string, Door>()

  const doorFor = ({ headers, url = "" }: IncomingMessage): Door | undefined => {
    const door = doors.get(url)
    const isRight = timingSafeEqual(digestOf(headers.authorization ?? ""), door?.digest ?? NOBODY)
    return isRight ? door : undefined
  }

  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const { headers, method, url } = request
    if (headers.host !== host || headers.origin !== undefined) return refuse(response, 403)
    if (method === "GET" && url === alive) return refuse(response, 204)
    const door = doorFor(request)
    if (door === undefined) return refuse(response, 401, { "www-authenticate": "Bearer" })
    if (door.requests >= INJECTED_REQUESTS_MAX) return refuse(response, 503, { "retry-after": "1" })
    door.requests++
    response.once("close", () => void door.requests--)
    door.handle(request, response).catch(() => response.destroy())
  })

  return {
    serve: Effect.fnUntraced(function* (name, tools) {
      const toolServer = makeToolServer(sdk, yield* makeCallable(tools))
      const secret = randomBytes(SECRET_BYTES).toString("base64url")
      const answer = toNodeHandler({ fetch: toolServer.answer }, { maxRequestBodySize: INJECTED_REQUEST_MAX_BYTES })
      const path = `/${name}`
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          doors.set(path, {
            digest: digestOf(`Bearer ${secret}`),
            handle: (request, response) =>
              answer(request as Parameters<typeof answer>[0], response as Parameters<typeof answer>[1]),
            requests: 0
          })
        }),
        () =>
          Effect.promise(() => {
            doors.delete(path)
            return toolServer.close()
          })
      )
      return { url: `http://${host}${path}`, secret }
    })
  }
})
