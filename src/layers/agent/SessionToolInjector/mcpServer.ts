/**
 * The tools of one session as an MCP server over HTTP, for clients of every revision, and without sessions of its own: a
 * gateway that has to end one before it lets go of us would hold on to us for ever, should we be gone first. What has no answer
 * to wait for is not kept, and nothing is announced. Who is at the other end has been let in before.
 */
import type { RequestId, ServerContext } from "@modelcontextprotocol/server"
import { INJECTED_SUBSCRIPTIONS_MAX } from "../../../schemas/defaults/Injection.ts"
import { isObject } from "../../../schemas/data/Json.ts"
import { VERSION } from "../../../schemas/data/Version.ts"
import type { Call, Callable } from "./externalCalls.ts"
import { toMcpTool } from "./toMcp.ts"

/** Loaded when the first session needs it: a program without one does not pay for it. */
export type Sdk = typeof import("@modelcontextprotocol/server")

export interface ToolServer {
  /** `body` is that of a POST. */
  readonly answer: (request: Request, body: unknown) => Promise<Response>
  /** Calls that run are interrupted, and answered: who gets no answer may wait for it for long. */
  readonly close: () => Promise<void>
}

/** The request that a client waits for no more, where that is what the message says. */
const cancelledBy = (message: unknown): unknown =>
  isObject(message) && message["method"] === "notifications/cancelled" && isObject(message["params"])
    ? message["params"]["requestId"]
    : undefined

interface Running {
  readonly id: RequestId
  readonly cancel: () => void
}

export const makeToolServer = (sdk: Sdk, { call, list }: Callable): ToolServer => {
  const running = new Set<Running>()
  const answering = new Set<Promise<Response>>()
  let hasEnded = false

  const track = <A>(id: RequestId, begin: (signal: AbortSignal) => Promise<A>): Promise<A> => {
    const own = new AbortController()
    if (hasEnded) own.abort()
    const one = { id, cancel: () => own.abort() }
    running.add(one)
    return begin(own.signal).finally(() => running.delete(one))
  }

  /** Two clients may have a request of the same number; then neither loses its own by the other's word. */
  const cancel = (id: unknown) => {
    const meant = [...running].filter((one) => one.id === id)
    if (meant.length === 1) meant[0]!.cancel()
  }

  const newServer = () => {
    const server = new sdk.Server(
      { name: "mcp-live", title: "mcp-live", version: VERSION },
      { capabilities: { tools: {} } }
    )
    server.setRequestHandler("tools/list", async () => ({ tools: (await list()).map(toMcpTool) }))
    server.setRequestHandler("tools/call", ({ params: { arguments: args = {}, name } }, { mcpReq }) =>
      track(mcpReq.id, (cancelled) =>
        // That of the request: it is over when nobody waits for its answer any more.
        call({ name, args, onProgress: progressOf(mcpReq) }, AbortSignal.any([mcpReq.signal, cancelled]))
      )
    )
    return server
  }

  const handler = sdk.createMcpHandler(newServer, { maxSubscriptions: INJECTED_SUBSCRIPTIONS_MAX })

  return {
    answer: async (request, body) => {
      if (request.method !== "POST") return handler.fetch(request)
      const messages = Array.isArray(body) ? body : [body]
      for (const message of messages) {
        const id = cancelledBy(message)
        if (id !== undefined) cancel(id)
      }
      const answer = handler.fetch(request, { parsedBody: body })
      answering.add(answer)
      return answer.finally(() => answering.delete(answer))
    },
    close: async () => {
      hasEnded = true
      for (const one of running) one.cancel()
      await Promise.allSettled(answering)
      // Once more around, so that what was answered is on its way.
      await new Promise((resolve) => setImmediate(resolve))
      await handler.close()
    }
  }
}

/** Progress for who has asked for it; one that is gone misses it. */
const progressOf = ({ _meta, notify }: ServerContext["mcpReq"]): Call["onProgress"] => {
  const progressToken = _meta?.progressToken
  if (progressToken === undefined) return undefined
  return ({ message, progress, total }) =>
    void notify({
      method: "notifications/progress",
      params: {
        progressToken,
        progress,
        ...(total === undefined ? {} : { total }),
        ...(message === undefined ? {} : { message })
      }
    }).catch(() => {})
}
