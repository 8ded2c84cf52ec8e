/** Small calls one after the other, of a client at a server itself and of one at `mcp-live serve` before that server. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { CALLS, ROUNDS, TEXT } from "../cases/call.ts"
import { DIRECT, SERVED } from "../cases/serve.ts"
import { expectText } from "../lib/client.ts"
import { rawServer, type Launch } from "../lib/launch.ts"
import { interleave } from "../lib/rounds.ts"
import { sdkV2 } from "../lib/sdkClientV2.ts"

const folder = mkdtempSync(join(tmpdir(), "mcp-live-bench-"))

const served = (server: Launch): Launch => {
  const file = join(folder, "mcp.json")
  const limits = { perMinute: 0, failures: 0 }
  writeFileSync(file, JSON.stringify({ mcp: { servers: { s: { ...server, limits } } } }))
  return {
    command: process.execPath,
    args: [fileURLToPath(new URL("../../bin/mcp-live.js", import.meta.url)), "serve", "--config", file],
    env: { ...server.env, HOME: folder, MCP_LIVE_HOME: join(folder, "data"), PATH: process.env["PATH"] ?? "" }
  }
}

const given = { text: TEXT }

const clients = await Promise.all([
  sdkV2.open(rawServer()).then((client) => ({ name: DIRECT, tool: "echo", client })),
  sdkV2.open(served(rawServer())).then((client) => ({ name: SERVED, tool: "mcp_s_echo", client }))
])

const samples = await interleave(
  clients.map(({ client, name, tool }) => ({
    name,
    block: async () => {
      for (let left = CALLS; left > 1; left--) await client.call(tool, given)
      expectText(await client.call(tool, given), TEXT)
    }
  })),
  ROUNDS
)
await Promise.all(clients.map(({ client }) => client.close()))
rmSync(folder, { recursive: true, force: true })
process.stdout.write(`${JSON.stringify(samples)}\n`)
