/**
 * The server that every client is measured against: hand-written NDJSON, small and fast, so that what is measured is the
 * client. It blocks on stdin instead of turning an event loop, and ends with it.
 *
 *   node raw.ts [--tools N]     N further tools with an output schema of eight properties
 *               [--wait MS]     reads nothing for so long, as a server that waits for something else
 */
import { readSync, writeSync } from "node:fs"

const argument = process.argv.indexOf("--tools")
const further = argument === -1 ? 0 : Number(process.argv[argument + 1])

const wait = process.argv.indexOf("--wait")
if (wait !== -1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(process.argv[wait + 1]))

const properties = Object.fromEntries(
  ["string", "number", "integer", "boolean", "array", "object", "string", "number"].map((type, index) => [
    `property${index}`,
    { type, description: `Property ${index} of the result` }
  ])
)
const schema = { type: "object", properties, required: Object.keys(properties) }

const tools = [
  { name: "echo", inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] } },
  { name: "big", inputSchema: { type: "object", properties: { bytes: { type: "integer" } }, required: ["bytes"] } },
  ...Array.from({ length: further }, (_, index) => ({
    name: `tool${index}`,
    description: `Tool ${index}`,
    inputSchema: { type: "object", properties: { text: { type: "string" } } },
    // Different for each tool, as the schemas of real tools are: nothing can be compiled once for all.
    outputSchema: { ...schema, title: `Result of tool ${index}` }
  }))
]

interface Request {
  readonly id?: number | string
  readonly method?: string
  readonly params?: {
    readonly name?: string
    readonly protocolVersion?: string
    readonly arguments?: { readonly text?: string; readonly bytes?: number }
  }
}

const structured = {
  property0: "text",
  property1: 1.5,
  property2: 2,
  property3: true,
  property4: [],
  property5: {},
  property6: "text",
  property7: 7.5
}

const call = ({ name, arguments: given }: NonNullable<Request["params"]>) =>
  name === "echo"
    ? { content: [{ type: "text", text: given?.text ?? "" }] }
    : { content: [{ type: "text", text: "done" }], structuredContent: structured }

const resultOf = ({ method, params = {} }: Request): unknown => {
  switch (method) {
    case "tools/call":
      return call(params)
    case "initialize":
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "raw", version: "1" }
      }
    case "tools/list":
      return { tools }
    case "ping":
      return {}
    default:
      return undefined
  }
}

/** Made once per size: the time that a client needs for a large line is to be measured, not ours to make it. */
const bigLines = new Map<number, Buffer>()

const bigLine = (bytes: number): Buffer => {
  const known = bigLines.get(bytes)
  if (known !== undefined) return known
  const line = Buffer.from(
    `{"result":{"content":[{"type":"text","text":"${"x".repeat(bytes)}"}]},"jsonrpc":"2.0","id":`
  )
  bigLines.set(bytes, line)
  return line
}

const write = (bytes: Buffer): void => {
  for (let written = 0; written < bytes.length;) written += writeSync(1, bytes, written)
}

/** A line to be sent; the large ones leave at once and by themselves. */
const answer = (line: string): string => {
  const request = JSON.parse(line) as Request
  if (request.id === undefined) return ""
  const id = JSON.stringify(request.id)
  if (request.params?.name === "big") {
    write(bigLine(request.params.arguments?.bytes ?? 0))
    return `${id}}\n`
  }
  const result = resultOf(request)
  return result === undefined
    ? `{"error":{"code":-32601,"message":"Method not found"},"jsonrpc":"2.0","id":${id}}\n`
    : `{"result":${JSON.stringify(result)},"jsonrpc":"2.0","id":${id}}\n`
}

const chunk = Buffer.allocUnsafe(1024 * 1024)
let pending = ""
for (let size = readSync(0, chunk); size > 0; size = readSync(0, chunk)) {
  const lines = (pending + chunk.toString("latin1", 0, size)).split("\n")
  pending = lines.pop()!
  for (const line of lines) write(Buffer.from(answer(Buffer.from(line, "latin1").toString("utf8"))))
}
