/** MCP over HTTP without a client: each request as it is written, and what comes back as it came. */
import { request } from "node:http"
import type { Era } from "./mcpClients.ts"

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
  /** Messages in it, whether it is one or a stream of them. */
  readonly messages: ReadonlyArray<Message>
}

export interface Message {
  readonly id?: unknown
  readonly method?: string
  readonly params?: Record<string, unknown>
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string }
}

export interface Sending {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal
  /** When there is an answer, before anything is in it. */
  readonly onOpen?: () => void
  /** All that has come, whenever there is more. */
  readonly onText?: (text: string) => void
  /** Each message when it comes. */
  readonly onMessage?: (message: Message) => void
}

const messageIn = (line: string): ReadonlyArray<Message> => {
  const data = line.startsWith("data:") ? line.slice(5).trim() : line
  return data.startsWith("{") ? [JSON.parse(data) as Message] : []
}

/** What the header `host` says is up to us, unlike with `fetch`. */
export const send = (
  url: string,
  { body = "", headers = {}, method = "POST", onMessage, onOpen, onText, signal }: Sending
) =>
  new Promise<Answer>((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false, ...(signal === undefined ? {} : { signal }) }, (got) => {
      onOpen?.()
      let text = ""
      got.setEncoding("utf8").on("data", (chunk: string) => {
        const before = text.lastIndexOf("\n") + 1
        text += chunk
        onText?.(text)
        const lines = text.slice(before, text.lastIndexOf("\n") + 1).split("\n")
        for (const message of onMessage === undefined ? [] : lines.flatMap(messageIn)) onMessage?.(message)
      })
      got.on("error", reject)
      got.on("end", () =>
        resolve({
          status: got.statusCode ?? 0,
          headers: got.headers,
          text,
          messages: text.split("\n").flatMap(messageIn)
        })
      )
    })
    sent.on("error", reject)
    sent.end(body)
  })

const COMMON = { "content-type": "application/json", accept: "application/json, text/event-stream" }

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

const META = (capabilities: object) => ({
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "0" },
  "io.modelcontextprotocol/clientCapabilities": capabilities
})

let count = 0

export interface Asking extends Omit<Sending, "body"> {
  readonly id?: number
  readonly session?: string
  readonly capabilities?: object
  /** What else its `_meta` says. */
  readonly meta?: object
}

/** One request of a client of a revision. */
export const ask = (
  era: Era,
  url: string,
  token: string,
  method: string,
  params: Record<string, unknown> = {},
  { capabilities = {}, headers = {}, id = ++count, meta = {}, session, ...sending }: Asking = {}
): Promise<Answer> => {
  const isModern = era === "2026-07-28"
  const name = params["name"] ?? params["uri"]
  return send(url, {
    ...sending,
    headers: {
      ...COMMON,
      ...bearer(token),
      "mcp-protocol-version": era,
      ...(session === undefined ? {} : { "mcp-session-id": session }),
      ...(isModern ? { "mcp-method": method, ...(typeof name === "string" ? { "mcp-name": name } : {}) } : {}),
      ...headers
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id,
      method,
      params: isModern ? { ...params, _meta: { ...META(capabilities), ...meta } } : params
    })
  })
}

/** The name of a new session. */
export const begin = async (url: string, token: string, capabilities: object = {}): Promise<Answer> =>
  send(url, {
    headers: { ...COMMON, ...bearer(token) },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 0,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities, clientInfo: { name: "raw", version: "0" } }
    })
  })

export const sessionOf = ({ headers, status, text }: Answer): string => {
  const session = headers["mcp-session-id"]
  if (typeof session !== "string") throw new Error(`no session was begun: ${status} ${text}`)
  return session
}

export const notify = (url: string, token: string, session: string, method: string, params: object = {}) =>
  send(url, {
    headers: { ...COMMON, ...bearer(token), "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" },
    body: JSON.stringify({ jsonrpc: "2.0", method, params })
  })

export const textOf = ({ messages }: Answer): string => {
  const content = messages.at(-1)?.result?.["content"] as ReadonlyArray<{ readonly text: string }> | undefined
  return content?.[0]?.text ?? ""
}
