/**
 * An HTTP server with nothing but Node: reads a body of at most 4 MiB, parses it and echoes an argument. What a flood costs
 * here, it costs any server that is one Node process.
 */
import { createServer } from "node:http"
import { LISTENER_CALL_MAX_BYTES } from "../../src/schemas/defaults/Listener.ts"

interface Asked {
  readonly id?: unknown
  readonly method?: string
  readonly params?: { readonly protocolVersion?: string; readonly arguments?: { readonly text?: unknown } }
}

const resultOf = ({ method, params }: Asked) => {
  if (method === "initialize") {
    const serverInfo = { name: "bare", version: "0" }
    return { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo }
  }
  const text = params?.arguments?.text
  return { content: [{ type: "text", text: typeof text === "string" ? text : "" }] }
}

const server = createServer((request, response) => {
  const parts: Array<Buffer> = []
  let size = 0
  request.on("error", () => {})
  request.on("data", (part: Buffer) => {
    size += part.length
    if (size <= LISTENER_CALL_MAX_BYTES) return void parts.push(part)
    parts.length = 0
    if (!response.headersSent) response.writeHead(413, { connection: "close" }).end()
  })
  request.on("end", () => {
    if (response.headersSent) return
    try {
      const asked = JSON.parse(Buffer.concat(parts).toString()) as Asked
      response.writeHead(200, { "content-type": "application/json", "mcp-session-id": "bare" })
      response.end(JSON.stringify({ jsonrpc: "2.0", id: asked.id, result: resultOf(asked) }))
    } catch {
      response.writeHead(400).end()
    }
  })
})

server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  process.stderr.write(`serving MCP at http://127.0.0.1:${port}/mcp\n`)
})
