/**
 * The server whose side effects are counted: `node counted.ts FILE`. Each execution of a tool writes the name of its call to FILE, at once,
 * before it answers. It has the tools `work_N`, and `again_N`, which may run twice.
 */
import { appendFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { TOOLS } from "./tools.ts"

interface Message {
  readonly id?: number | string
  readonly method?: string
  readonly params?: {
    readonly name?: string
    readonly arguments?: { readonly call?: string; readonly ms?: number }
    readonly protocolVersion?: string
  }
}

const file = process.argv[2]!
const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
const inputSchema = {
  type: "object",
  properties: { call: { type: "string" }, ms: { type: "number" } },
  required: ["call"]
}

const execute = ({ id, params }: Message) => {
  const { call = "?", ms = 0 } = params?.arguments ?? {}
  appendFileSync(file, `${call} ${Date.now()} ${process.pid}\n`)
  const answer = () => send({ id, result: { content: [{ type: "text", text: `executed ${call}` }] } })
  if (ms === 0) answer()
  else setTimeout(answer, ms)
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line) as Message
  const { id, method, params } = message
  if (method === "initialize") {
    const serverInfo = { name: "counted", version: "1.0.0" }
    send({ id, result: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo } })
  } else if (method === "tools/list") {
    send({ id, result: { tools: TOOLS.map((name) => ({ name, description: name, inputSchema })) } })
  } else if (method === "tools/call") execute(message)
  else if (id !== undefined) send({ id, result: {} })
})
process.stdin.on("close", () => process.exit())
