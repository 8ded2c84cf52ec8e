/**
 * Calls of a client that has logged in at an issuer to two servers behind `mcp-live serve --http`, in turns alone and beside somebody who
 * sends wrong tokens, 100,000 a minute. The program is the built one (dist).
 *
 *   node floodOfTokens.ts [WAY]
 */
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { AUDIENCE, testIssuer } from "../../test/support/issuer.ts"
import { peakMb } from "../../test/support/peakMemory.ts"
import { ask } from "../../test/support/rawHttp.ts"
import { FLOOD_MS, TOKEN_WAYS, type FloodSamples, type TokenWay } from "../cases/flood.ts"
import { makeMeasure } from "../lib/beside.ts"
import { elsewhere, floodServer, listening, rawServer } from "../lib/launch.ts"

/** For a look at some of them. */
const wanted = process.argv[2] ?? ""

const HEAP_MB = 512

const folder = mkdtempSync(join(tmpdir(), "mcp-live-bench-"))
process.once("exit", () => rmSync(folder, { recursive: true, force: true }))

const script = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const limits = { perMinute: 0, failures: 0, inFlight: 10_000 }

const issuer = await Effect.runPromise(Scope.provide(testIssuer, Scope.makeUnsafe()))
const honest = await issuer.token({ scope: "mcp" })

const config = {
  mcp: {
    servers: {
      stdio: { ...rawServer(), limits },
      http: { url: await listening(floodServer("--http")), limits }
    },
    clients: { resource: AUDIENCE, issuers: [{ issuer: issuer.issuer, scopes: ["mcp"] }] }
  }
}
const file = join(folder, "mcp.json")
writeFileSync(file, JSON.stringify(config))

const program = [script("../../bin/mcp-live.js"), "serve", "--config", file, "--http", "0"]
const gateway = spawn(process.execPath, [`--max-old-space-size=${HEAP_MB}`, ...program], {
  stdio: ["ignore", "ignore", "pipe"],
  env: { PATH: process.env["PATH"], HOME: folder, MCP_LIVE_HOME: join(folder, "data") }
})
process.once("exit", () => gateway.kill("SIGKILL"))
const url = await new Promise<string>((resolve, reject) => {
  createInterface({ input: gateway.stderr }).on("line", (line) => {
    const [, found] = /serving MCP at (\S+)/.exec(line) ?? []
    if (found !== undefined) resolve(found)
  })
  gateway.once("exit", (code) => reject(new Error(`serve has ended with ${code}`)))
})

/** It fails if any of its tokens was let in, or if nobody answers. */
const pour = async (way: TokenWay, signal: AbortSignal): Promise<void> => {
  const { args, command } = elsewhere({
    command: process.execPath,
    args: [script("./wrongTokens.ts"), url, honest, way, String(FLOOD_MS)],
    env: {}
  })
  const child = spawn(command, args, { stdio: ["ignore", "ignore", "inherit"] })
  const ended = once(child, "exit") as Promise<[number | null]>
  signal.addEventListener("abort", () => child.kill("SIGTERM"))
  const [code] = await ended
  if (code !== 0) throw new Error(`the sender of ${way} has ended with ${code}`)
}

const measure = await makeMeasure({
  isHere: false,
  peakMb: () => peakMb(gateway.pid!),
  call: async (to, text) => {
    const answer = await ask("2026-07-28", url, honest, "tools/call", { name: `mcp_${to}_echo`, arguments: { text } })
    if (!answer.text.includes(text)) throw new Error(`${answer.status}: ${answer.text}`)
  }
})
const samples: Array<FloodSamples> = []
for (const way of TOKEN_WAYS) {
  if (way.includes(wanted)) samples.push(await measure({ transport: "token", way }, (signal) => pour(way, signal)))
}
// More than a pipe takes at once.
process.stdout.write(`${JSON.stringify(samples)}\n`, () => process.exit(0))
