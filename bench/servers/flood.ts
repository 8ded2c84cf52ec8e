/**
 * A server that pours out one thing for a while, as fast as it is taken: its tool `pour` begins. Its tool `echo` is for the
 * neighbours of such a server. It blocks on what it writes where it can, to take no more of the machine than it must. In the way
 * `changing lists` it has 2,000 tools more, with schemas, and says every 100 ms that all of them have changed.
 *
 *   node flood.ts           over stdio
 *   node flood.ts --http    over HTTP; the first line it prints is its URL
 */
import { writeSync } from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { OneWay } from "../cases/flood.ts"

const CHUNK_BYTES = 64 * 1024

const note = (data: unknown) =>
  JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data } })
const wide = () => note(Object.fromEntries(Array.from({ length: 7_900 }, (_, index) => [`key${index}`, index])))

const line = (text: string) => `${text}\n`
const event = (text: string) => `data: ${text}\n\n`

const LIST_CHANGED = JSON.stringify({ jsonrpc: "2.0", method: "notifications/tools/list_changed" })

/** What is poured over and over again. */
const PIECES: Readonly<Record<Exclude<OneWay, "changing lists">, () => string>> = {
  "log messages": () => line(note("flood")),
  "list changes": () => line(LIST_CHANGED),
  pings: () => line(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })),
  "wide messages": () => line(wide()),
  "long messages": () => line(note("x".repeat(15_000_000))),
  rubbish: () => line("x"),
  "endless line": () => "x",
  stderr: () => line("e".repeat(1023)),
  "empty lines on stderr": () => line(""),
  comments: () => ": x\n\n",
  newlines: () => "\n",
  events: () => event(note("flood")),
  "wide events": () => event(wide()),
  "long events": () => event(note("x".repeat(15_000_000))),
  "long bodies": () => "[[1]],"
}

const chunkOf = (way: keyof typeof PIECES): Buffer => {
  const piece = PIECES[way]()
  return Buffer.from(piece.repeat(Math.ceil(CHUNK_BYTES / piece.length)))
}

interface Request {
  readonly id?: number | string
  readonly method?: string
  readonly params?: {
    readonly name?: string
    readonly protocolVersion?: string
    readonly arguments?: { readonly text?: string; readonly way?: OneWay; readonly ms?: number }
  }
}

// ---- lists that change ---------------------------------------------------------------------------------------------

const TOOLS = 2_000
const PROPERTIES = 10
const CHANGE_MS = 100

/** How often the lists have changed; 0 while there are none but the two tools. */
let edition = 0

/** About 4,000 characters, so that all of them fill a list: another edition has another text and another schema. */
const changingTool = (index: number) => ({
  name: `changing_${index}`,
  description: `Tool ${index} in edition ${edition}. ${"It looks something up and says what it found. ".repeat(8)}`,
  inputSchema: {
    type: "object",
    properties: Object.fromEntries(
      Array.from({ length: PROPERTIES }, (_, property) => [
        `property_${property}`,
        {
          type: "string",
          description: `Edition ${edition}: ${"which of the many things is meant, by its name. ".repeat(6)}`
        }
      ])
    )
  }
})

const changingTools = () => (edition === 0 ? [] : Array.from({ length: TOOLS }, (_, index) => changingTool(index)))

/** Beside its other work: who asks for the list meanwhile is answered. */
const change = (tell: () => void, ms: number, done: () => void): void => {
  const turn = () => {
    edition++
    tell()
  }
  turn()
  const timer = setInterval(turn, CHANGE_MS)
  setTimeout(() => {
    clearInterval(timer)
    done()
  }, ms)
}

// ---- answers -------------------------------------------------------------------------------------------------------

const text = (said: string) => ({ content: [{ type: "text", text: said }] })

const resultOf = ({ method, params = {} }: Request): unknown => {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: { listChanged: true }, logging: {} },
        serverInfo: { name: "flood", version: "1" }
      }
    case "tools/list":
      return {
        tools: [...["echo", "pour"].map((name) => ({ name, inputSchema: { type: "object" } })), ...changingTools()]
      }
    case "tools/call":
      return text(params.arguments?.text ?? "begun")
    case "ping":
      return {}
    default:
      return undefined
  }
}

const answerOf = (request: Request): string => {
  const result = resultOf(request)
  const rest = result === undefined ? { error: { code: -32601, message: "Method not found" } } : { result }
  return JSON.stringify({ jsonrpc: "2.0", id: request.id, ...rest })
}

// ---- stdio -------------------------------------------------------------------------------------------------------

const write = (to: number, bytes: Buffer): void => {
  for (let written = 0; written < bytes.length;) written += writeSync(to, bytes, written)
}

const pour = (way: OneWay, ms: number): void => {
  if (way === "changing lists")
    return change(
      () => write(1, Buffer.from(line(LIST_CHANGED))),
      ms,
      () => {}
    )
  const chunk = chunkOf(way)
  const until = performance.now() + ms
  const to = way.endsWith("stderr") ? 2 : 1
  while (performance.now() < until) write(to, chunk)
  write(to, Buffer.from("\n"))
}

const serveStdio = (): void => {
  let pending = ""
  process.stdin.on("data", (chunk: Buffer) => {
    const lines = (pending + chunk.toString("latin1")).split("\n")
    pending = lines.pop()!
    for (const each of lines) {
      const request = JSON.parse(Buffer.from(each, "latin1").toString("utf8")) as Request
      if (request.id === undefined || request.method === undefined) continue
      write(1, Buffer.from(line(answerOf(request))))
      const { ms, way } = request.params?.arguments ?? {}
      if (way !== undefined && ms !== undefined) pour(way, ms)
    }
  })
  process.stdin.on("end", () => process.exit(0))
}

// ---- HTTP --------------------------------------------------------------------------------------------------------

const pourInto = (response: ServerResponse, way: OneWay, ms: number, last: string): void => {
  if (way === "changing lists") {
    return change(
      () => void response.write(event(LIST_CHANGED)),
      ms,
      () => response.end(last)
    )
  }
  const chunk = chunkOf(way)
  const until = performance.now() + ms
  const more = () => {
    while (performance.now() < until) if (!response.write(chunk)) return void response.once("drain", more)
    response.end(last)
  }
  more()
}

const serveHttp = (): void => {
  const server = createServer((request, response) => {
    if (request.method !== "POST") return void response.writeHead(request.method === "DELETE" ? 200 : 405).end()
    let body = ""
    request.on("data", (piece) => (body += String(piece)))
    request.on("end", () => {
      const message = JSON.parse(body) as Request
      if (message.id === undefined) return void response.writeHead(202).end()
      const { ms, way } = message.params?.arguments ?? {}
      if (way === undefined || ms === undefined) {
        return void response.writeHead(200, { "content-type": "application/json" }).end(answerOf(message))
      }
      const isBody = way === "long bodies"
      response.writeHead(200, { "content-type": isBody ? "application/json" : "text/event-stream" })
      response.write(isBody ? "[" : event(note("begun")))
      pourInto(response, way, ms, isBody ? "0]" : `\n\n${event(answerOf(message))}`)
    })
  })
  server.listen(0, "127.0.0.1", () => {
    process.stdout.write(line(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`))
  })
}

if (process.argv.includes("--http")) serveHttp()
else serveStdio()
