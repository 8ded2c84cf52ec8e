/** A stdio MCP server with as many tools as its argument says. */
import { createInterface } from "node:readline"

const tools = Array.from({ length: Number(process.argv[2]) }, (_, number) => ({
  name: `tool_${number}`,
  description: `Does the thing with the number ${number}`,
  inputSchema: { type: "object", properties: { text: { type: "string", description: "What it is done to" } } }
}))
const RESULTS: Readonly<Record<string, unknown>> = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "many-tools", version: "1" }
  },
  ping: {},
  "tools/list": { tools }
}

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const { id, method } = JSON.parse(line) as { id?: unknown; method: string }
    if (id === undefined) return
    const result = RESULTS[method]
    const answer = result === undefined ? { error: { code: -32601, message: "unknown" } } : { result }
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`)
  })
  .on("close", () => process.exit(0))
