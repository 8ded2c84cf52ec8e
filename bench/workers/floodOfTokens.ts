/**
 * Calls of a client that has logged in at an issuer to two servers behind `mcp-live serve --http`, in turns alone and beside somebody who
 * sends wrong tokens. The program is the built one (dist).
 *
 *   node floodOfTokens.ts [WAY]
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { AUDIENCE } from "../../test/support/issuer.ts"
import { peakMb } from "../../test/support/peakMemory.ts"
import { ask } from "../../test/support/rawHttp.ts"
import { makeMeasure } from "../lib/beside.ts"
import { elsewhere, floodServer, listening, rawServer } from "../lib/launch.ts"
import { allSent, TOKEN_WAYS, type Samples, type Sent, type TokenSamples, type TokenWay } from "../lib/wrongTokens.ts"

/** For a look at some of them. */
const wanted = process.argv[2] ?? ""

const HEAP_MB = 512
/** It is told to end earlier, when the calls are over. */
const FLOOD_MAX_MS = 60_000

const folder = mkdtempSync(join(tmpdir(), "mcp-live-bench-"))
process.once("exit", () => rmSync(folder, { recursive: true, force: true }))

const script = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const ownScript = (path: string, ...args: ReadonlyArray<string>) =>
  elsewhere({ command: process.execPath, args: [script(path), ...args], env: {} })
const limits = { perMinute: 0, failures: 0, inFlight: 10_000 }

const issuers = JSON.parse(await listening(ownScript("../servers/issuers.ts"))) as {
  readonly jwt: string
  readonly asked: string
  readonly samples: Samples
}
const honest = issuers.samples.good

const introspection = { clientId: "gateway", clientSecret: "secret://env/SECRET" }
const config = {
  mcp: {
    servers: {
      stdio: { ...rawServer(), limits },
      http: { url: await listening(floodServer("--http")), limits }
    },
    clients: {
      resource: AUDIENCE,
      issuers: [
        { issuer: issuers.jwt, scopes: ["mcp"] },
        { issuer: issuers.asked, scopes: ["mcp"], introspection }
      ]
    }
  }
}
const file = join(folder, "mcp.json")
writeFileSync(file, JSON.stringify(config))

const program = [script("../../bin/mcp-live.js"), "serve", "--config", file, "--http", "0"]
const gateway = spawn(process.execPath, [`--max-old-space-size=${HEAP_MB}`, ...program], {
  stdio: ["ignore", "ignore", "pipe"],
  env: {
    PATH: process.env["PATH"],
    HOME: folder,
    MCP_LIVE_HOME: join(folder, "data"),
    SECRET: "the secret of the gateway"
  }
})
process.once("exit", () => gateway.kill("SIGKILL"))
let logLines = 0
const url = await new Promise<string>((resolve, reject) => {
  createInterface({ input: gateway.stderr }).on("line", (line) => {
    logLines++
    const [, found] = /serving MCP at (\S+)/.exec(line) ?? []
    if (found !== undefined) resolve(found)
  })
  gateway.once("exit", (code) => reject(new Error(`serve has ended with ${code}`)))
})

/** What the sender says that it has sent. It fails if any of its tokens was let in. */
const pour = async (way: TokenWay, signal: AbortSignal): Promise<Sent> => {
  const { args, command } = ownScript(
    "./wrongTokens.ts",
    url,
    JSON.stringify(issuers.samples),
    way,
    String(FLOOD_MAX_MS)
  )
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] })
  const ended = once(child, "exit") as Promise<[number | null]>
  const said = once(createInterface({ input: child.stdout }), "line") as Promise<[string]>
  signal.addEventListener("abort", () => child.kill("SIGTERM"))
  const [[code], [line]] = await Promise.all([ended, said])
  if (code !== 0) throw new Error(`the sender of ${way} has ended with ${code}: ${line}`)
  return JSON.parse(line) as Sent
}

const measure = await makeMeasure({
  isHere: false,
  peakMb: () => peakMb(gateway.pid!),
  call: async (to, text) => {
    const answer = await ask("2026-07-28", url, honest, "tools/call", { name: `mcp_${to}_echo`, arguments: { text } })
    if (!answer.text.includes(text)) throw new Error(`${answer.status}: ${answer.text}`)
  }
})
const samples: Array<TokenSamples> = []
for (const way of TOKEN_WAYS) {
  if (!way.includes(wanted)) continue
  const rounds: Array<Sent> = []
  const before = logLines
  const measured = await measure({ transport: "token", way }, async (signal) => rounds.push(await pour(way, signal)))
  samples.push({ ...measured, sender: allSent(rounds), logLines: logLines - before })
}
// More than a pipe takes at once.
process.stdout.write(`${JSON.stringify(samples)}\n`, () => process.exit(0))
