/** MCP sessions (2025-11-25) by hand, so that each request can go to any node, and many of them cost the client little. */
import { TOKEN } from "./fleet.ts"

const HEADERS = {
  authorization: `Bearer ${TOKEN}`,
  "content-type": "application/json",
  accept: "application/json, text/event-stream"
}
const VERSION = "2025-11-25"

const post = async (url: string, message: object, session?: string): Promise<Response> => {
  const headers = session === undefined ? {} : { "mcp-session-id": session, "mcp-protocol-version": VERSION }
  return fetch(url, {
    method: "POST",
    headers: { ...HEADERS, ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    signal: AbortSignal.timeout(60_000)
  })
}

/** Its id. */
export const openSession = async (url: string): Promise<string> => {
  const params = { protocolVersion: VERSION, capabilities: {}, clientInfo: { name: "bench", version: "1" } }
  const opened = await post(url, { id: 1, method: "initialize", params })
  const session = opened.headers.get("mcp-session-id")
  const text = await opened.text()
  if (session === null) throw new Error(`no session: ${opened.status} ${text.slice(0, 200)}`)
  await (await post(url, { method: "notifications/initialized" }, session)).text()
  return session
}

/** The whole answer to a call, or why there is none. */
export const callIn = async (url: string, session: string, name: string, text: string): Promise<string> => {
  try {
    const params = { name, arguments: { text } }
    const answer = await post(url, { id: 2, method: "tools/call", params }, session)
    return `${answer.status} ${await answer.text()}`
  } catch (error) {
    return String(error)
  }
}
