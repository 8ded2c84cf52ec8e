/**
 * Calls of one client of `mcp-live serve --http` to two servers behind it, in turns alone and beside another client that floods it;
 * or the same with a bare Node server, which echoes by itself. The program is the built one (dist).
 *
 *   node floodOfClients.ts client|bare [WAY]
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { ask } from "../../test/support/rawHttp.ts"
import { peakMb } from "../../test/support/peakMemory.ts"
import { CLIENT_WAYS, FLOOD_MS, type ClientWay, type FloodSamples } from "../cases/flood.ts"
import { makeMeasure } from "../lib/beside.ts"
import { elsewhere, floodServer, listening, rawServer, type Launch } from "../lib/launch.ts"

const transport = process.argv[2] as "bare" | "client"
/** For a look at some of them. */
const wanted = process.argv[3] ?? ""

const [GOOD, BAD] = ["a-token-of-the-honest-client", "a-token-of-the-flooding-client"]
const HEAP_MB = 512

const folder = mkdtempSync(join(tmpdir(), "mcp-live-bench-"))
process.once("exit", () => rmSync(folder, { recursive: true, force: true }))

const script = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const limits = { perMinute: 0, failures: 0, inFlight: 10_000 }
const started = ({ args, command, env }: Launch) => ({ command, args, env, limits })

const config = {
  agents: {
    defaults: {
      mcp: {
        servers: {
          stdio: started(rawServer()),
          http: { url: await listening(floodServer("--http")), limits },
          theirs: started(elsewhere(rawServer()))
        }
      }
    },
    list: [{ id: "good" }, { id: "bad" }]
  },
  mcp: {
    serve: {
      clients: [
        { name: "good", token: "secret://env/GOOD", agent: "good" },
        { name: "bad", token: "secret://env/BAD", agent: "bad" }
      ]
    }
  }
}
const file = join(folder, "mcp.json")
writeFileSync(file, JSON.stringify(config))

const PROGRAMS = {
  client: [script("../../bin/mcp-live.js"), "serve", "--config", file, "--http", "0"],
  bare: [script("../servers/sink.ts")]
}
const gateway = spawn(process.execPath, [`--max-old-space-size=${HEAP_MB}`, ...PROGRAMS[transport]], {
  stdio: ["ignore", "ignore", "pipe"],
  env: { PATH: process.env["PATH"], HOME: folder, MCP_LIVE_HOME: join(folder, "data"), GOOD, BAD }
})
process.once("exit", () => gateway.kill("SIGKILL"))
const url = await new Promise<string>((resolve, reject) => {
  createInterface({ input: gateway.stderr }).on("line", (line) => {
    const [, found] = /serving MCP at (\S+)/.exec(line) ?? []
    if (found !== undefined) resolve(found)
  })
  gateway.once("exit", (code) => reject(new Error(`serve has ended with ${code}`)))
})

/** A process for each: it is on another core, and gone when it is told to. */
const pour = async (way: ClientWay, signal: AbortSignal): Promise<void> => {
  const args = [script("./floodingClient.ts"), url, BAD, way, String(FLOOD_MS)]
  const { env, ...client } = elsewhere({ command: process.execPath, args, env: {} })
  const child = spawn(client.command, client.args, {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, ...env }
  })
  const ended = once(child, "exit")
  signal.addEventListener("abort", () => child.kill("SIGKILL"))
  await ended
}

const measure = await makeMeasure({
  isHere: false,
  peakMb: () => peakMb(gateway.pid!),
  call: async (to, text) => {
    const answer = await ask("2026-07-28", url, GOOD, "tools/call", { name: `mcp_${to}_echo`, arguments: { text } })
    if (!answer.text.includes(text)) throw new Error(`${answer.status}: ${answer.text}`)
  }
})
const samples: Array<FloodSamples> = []
for (const way of CLIENT_WAYS) {
  if (way.includes(wanted)) samples.push(await measure({ transport, way }, (signal) => pour(way, signal)))
}
// More than a pipe takes at once.
process.stdout.write(`${JSON.stringify(samples)}\n`, () => process.exit(0))
