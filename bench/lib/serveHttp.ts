/** `mcp-live serve --http` before the raw server, for as long as this process lives. */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { rawServer } from "./launch.ts"

export const TOKEN = "a-token-of-the-benchmark"

/** Gives its address. `flags` are Node's. */
export const serveHttp = (...flags: ReadonlyArray<string>): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), "mcp-live-bench-"))
  const file = join(folder, "mcp.json")
  const limits = { perMinute: 0, failures: 0, inFlight: 10_000 }
  const clients = [{ name: "bench", token: "secret://env/TOKEN" }]
  writeFileSync(file, JSON.stringify({ mcp: { serve: { clients }, servers: { s: { ...rawServer(), limits } } } }))
  const program = fileURLToPath(new URL("../../bin/mcp-live.js", import.meta.url))
  const child = spawn(process.execPath, [...flags, program, "serve", "--config", file, "--http", "0"], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { PATH: process.env["PATH"], HOME: folder, MCP_LIVE_HOME: join(folder, "data"), TOKEN }
  })
  process.once("exit", () => {
    child.kill(flags.length === 0 ? "SIGKILL" : "SIGTERM")
    rmSync(folder, { recursive: true, force: true })
  })
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stderr }).on("line", (line) => {
      const [, url] = /serving MCP at (\S+)/.exec(line) ?? []
      if (url !== undefined) resolve(url)
    })
    child.once("exit", (code) => reject(new Error(`serve has ended with ${code}`)))
  })
}
