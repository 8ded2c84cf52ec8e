/**
 * The redirect address of a login on this machine (RFC 8252). Only a request with our state has an effect; its responses are fixed text.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { REDIRECT_MAX_CHARS } from "../../../schemas/defaults/Authorization.ts"
import type { Redirecting } from "../../../services/login/Authorizer.ts"
import { refused, type AuthProblem } from "./problem.ts"
import { carriesState } from "./redirect.ts"

const HOST = "127.0.0.1"
const PATH = "/callback"

const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  connection: "close"
}

const page = (title: string, text: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1><p>${text}</p></html>\n`

const RECEIVED = page("mcp-live", "The answer was received. This window can be closed; mcp-live says how it went.")
const NOT_OURS = page("mcp-live", "This does not belong to a login that is under way.")

const answer = (response: ServerResponse, status: number, text: string): void => {
  response.writeHead(status, HEADERS).end(text)
}

/** Refuses other host names: a page may have its own name resolve to this machine (DNS rebinding). */
const isForUs = ({ headers, method, url = "" }: IncomingMessage, port: number): boolean =>
  method === "GET" &&
  url.length <= REDIRECT_MAX_CHARS &&
  (headers.host === `${HOST}:${port}` || headers.host === `localhost:${port}`)

const portOf = (server: Server): number => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

const listen = (port: number): Effect.Effect<Server, AuthProblem> =>
  Effect.callback((resume) => {
    const server = createServer({
      maxHeaderSize: REDIRECT_MAX_CHARS * 2,
      requestTimeout: 10_000,
      headersTimeout: 10_000
    })
    server.once("error", (error) => {
      const code = "code" in error ? String(error.code) : "unknown error"
      resume(Effect.fail(refused(`port ${port} of this machine cannot be used for the login (${code})`)))
    })
    server.listen(port, HOST, () => resume(Effect.succeed(server)))
  })

const close = (server: Server): Effect.Effect<void> =>
  Effect.callback((resume) => {
    server.close(() => resume(Effect.void))
    // The response is already sent; do not wait for a browser that keeps its connection open.
    server.closeIdleConnections()
    setTimeout(() => server.closeAllConnections(), 250).unref()
  })

/** Listens until the Scope closes. Port 0 means any free port. */
export const openLoopback = Effect.fnUntraced(function* (
  port: number
): Effect.fn.Return<Redirecting, AuthProblem, Scope.Scope> {
  const server = yield* Effect.acquireRelease(listen(port), close)
  const own = portOf(server)
  let waiting: { readonly state: string; readonly done: Deferred.Deferred<URLSearchParams> } | undefined
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const url = isForUs(request, own) ? URL.parse(request.url ?? "", `http://${HOST}:${own}`) : null
    if (url === null || url.pathname !== PATH) return answer(response, 404, NOT_OURS)
    const { searchParams } = url
    if (waiting === undefined || !carriesState(searchParams, waiting.state)) return answer(response, 400, NOT_OURS)
    const { done } = waiting
    waiting = undefined
    answer(response, 200, RECEIVED)
    Deferred.doneUnsafe(done, Effect.succeed(searchParams))
  })
  return {
    redirectUri: `http://${HOST}:${own}${PATH}`,
    answered: (state) => {
      const done = Deferred.makeUnsafe<URLSearchParams>()
      waiting = { state, done }
      return Deferred.await(done)
    }
  }
})
