/** Nodes of a fleet as users run them: the built program, one process each, for as long as this process lives. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { rawServer } from "./launch.ts"
import { freePort } from "./ports.ts"

export const TOKEN = "a-token-of-the-benchmark"
/** The tool of the raw server, as clients see it. */
export const ECHO = "mcp_s_echo"

const SECRET = "the secret of the nodes of the benchmark"
const PROGRAM = fileURLToPath(new URL("../../bin/mcp-live.js", import.meta.url))

export interface Node {
  readonly url: string
  readonly pid: number
  readonly child: ChildProcess
  readonly ended: Promise<unknown>
  /** Of its debugger, with the flag `--inspect`. */
  readonly debugger: () => string
}

export interface NodeOptions {
  readonly name: string
  /** Without one, the program runs by itself. */
  readonly database?: string | undefined
  /** Of Node. */
  readonly flags?: ReadonlyArray<string>
  /** The names of its servers, each a raw one. */
  readonly servers?: ReadonlyArray<string>
  /** More of `fleet`. */
  readonly fleet?: Readonly<Record<string, unknown>>
}

const folderOf = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "mcp-live-bench-"))
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const fleetOf = async ({ database, fleet, name }: NodeOptions) =>
  database === undefined
    ? {}
    : { fleet: { database, name, listen: `127.0.0.1:${await freePort()}`, peers: { secret: SECRET }, ...fleet } }

export const startNode = async (options: NodeOptions): Promise<Node> => {
  const folder = folderOf()
  const file = join(folder, "mcp.json")
  const limits = { perMinute: 0, failures: 0, inFlight: 10_000 }
  const { servers: names = ["s"] } = options
  const servers = Object.fromEntries(names.map((name) => [name, { ...rawServer(name), limits }]))
  const serve = { clients: [{ name: "bench", token: "secret://env/TOKEN" }] }
  writeFileSync(file, JSON.stringify({ mcp: { ...(await fleetOf(options)), serve, servers } }))
  const { flags = [] } = options
  const child = spawn(process.execPath, [...flags, PROGRAM, "serve", "--config", file, "--http", "0"], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { PATH: process.env["PATH"], HOME: folder, MCP_LIVE_HOME: join(folder, "data"), TOKEN }
  })
  process.once("exit", () => child.kill(flags.length === 0 ? "SIGKILL" : "SIGTERM"))
  const ended = once(child, "exit")
  const said: Array<string> = []
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stderr }).on("line", (line) => {
      said.push(line)
      const [, at] = /serving MCP at (\S+)/.exec(line) ?? []
      if (at !== undefined) resolve(at)
    })
    child.once("exit", (code) => reject(new Error(`a node has ended with ${code}:\n${said.join("\n")}`)))
  })
  const inspector = () => /Debugger listening on (\S+)/.exec(said.join("\n"))?.[1] ?? ""
  return { url, pid: child.pid!, child, ended, debugger: inspector }
}

/** The SDK's client over Streamable HTTP, which has listed the tools. */
export const connectTo = async (url: string): Promise<Client> => {
  const client = new Client({ name: "bench", version: "1.0.0" })
  const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  await client.listTools()
  return client
}
