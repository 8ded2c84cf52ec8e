/**
 * The tools of one session as an MCP server over HTTP, for clients of every revision, and without MCP sessions: a gateway
 * would have to end such a session before it releases us, and could wait forever if we are gone first. Nothing is kept for
 * notifications, and none are sent. Access was checked before.
 */
import type { RequestId, ServerContext } from "@modelcontextprotocol/server"
import { INJECTED_SUBSCRIPTIONS_MAX } from "../../../schemas/defaults/Injection.ts"
import { isObject } from "../../../schemas/data/Json.ts"
import { VERSION } from "../../../schemas/data/Version.ts"
import type { Call, Callable } from "./externalCalls.ts"
import { toMcpTool } from "./toMcp.ts"

/** Loaded when the first session needs it, so that other programs do not pay for it. */
export type Sdk = typeof import("@modelcontextprotocol/server")

export interface ToolServer {
  /** `body` is that of a POST. */
  readonly answer: (request: Request, body: unknown) => Promise<Response>
  /** Interrupts running calls and answers them: a client without an answer could wait for a long time. */
  readonly close: () => Promise<void>
}

/** The request that a cancellation message names. */
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

  /** Two clients may have requests with the same id; then neither is cancelled because of the other. */
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
        // The signal of the request aborts when nobody waits for its response any more.
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
      // Waits one more turn of the event loop, so that responses are sent.
      await new Promise((resolve) => setImmediate(resolve))
      await handler.close()
    }
  }
}

/** Progress for clients that asked for it; those that are gone miss it. */
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
