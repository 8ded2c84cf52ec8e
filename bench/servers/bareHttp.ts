/**
 * A server of the official SDK over HTTP as its documentation has it, with the same echo as the raw server: what `serve --http` is
 * measured against. Its first line is its address.
 *
 *   node bareHttp.ts [--modern]     clients of 2026-07-28, without sessions
 */
import { NodeStreamableHTTPServerTransport, toNodeHandler } from "@modelcontextprotocol/node"
import { createMcpHandler, Server } from "@modelcontextprotocol/server"
import { randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

const tools = [
  {
    name: "echo",
    inputSchema: { type: "object" as const, properties: { text: { type: "string" } }, required: ["text"] }
  }
]

const makeServer = (): Server => {
  const server = new Server({ name: "bare", version: "1" }, { capabilities: { tools: {} } })
  server.setRequestHandler("tools/list", () => ({ tools }))
  server.setRequestHandler("tools/call", ({ params }) => ({
    content: [{ type: "text", text: String(params.arguments?.["text"] ?? "") }]
  }))
  return server
}

const sessions = new Map<string, NodeStreamableHTTPServerTransport>()

const open = async (): Promise<NodeStreamableHTTPServerTransport> => {
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => void sessions.set(id, transport)
  })
  await makeServer().connect(transport)
  return transport
}

const withSessions = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const transport = sessions.get(String(request.headers["mcp-session-id"])) ?? (await open())
  await transport.handleRequest(request, response)
}

const withoutSessions = toNodeHandler(createMcpHandler(makeServer)) as unknown as typeof withSessions

const answer = process.argv.includes("--modern") ? withoutSessions : withSessions
const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()))
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp\n`)
})
