/** A bug that escaped, in a real process that knows a secret: what is said of it does not hold the secret. */
import { assert, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { MAIN } from "../support/built.ts"

const CRASH = new URL("../fixtures/crash.mjs", import.meta.url).href
const VALUE = "sesame-93b1f0c7-open"

const crashed = async (...args: ReadonlyArray<string>) => {
  const directory = mkdtempSync(join(tmpdir(), "mcp-live-crash-"))
  const config = join(directory, "config.json")
  const server = { command: process.execPath, args: ["-e", ""], env: { TOKEN: "secret://env/CRASH_VALUE" } }
  writeFileSync(
    config,
    JSON.stringify({ agents: { defaults: { mcp: { servers: { one: { ...server, lazy: true } } } } } }),
    { mode: 0o600 }
  )
  try {
    const child = spawn(process.execPath, ["--import", CRASH, MAIN, ...args, "--config", config], {
      env: { ...process.env, CRASH_VALUE: VALUE, MCP_LIVE_HOME: join(directory, "home") }
    })
    let [said, isAsked] = ["", false]
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (piece) => {
        said += String(piece)
        if (isAsked || !/one +stdio|serving MCP at/.test(said)) return
        isAsked = true
        child.kill("SIGUSR2")
      })
    }
    const [code] = (await once(child, "close")) as [number | null]
    return { code, said }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

describe.skipIf(process.platform === "win32")("a crash", () => {
  for (const args of [["start"], ["serve", "--http", "--port", "0"]]) {
    it(`of ${args[0]} is reported without the secrets that it knew`, async () => {
      const { code, said } = await crashed(...args)
      assert.include(said, "mcp-live: a failure that nobody waited for: Error: forgotten [REDACTED]")
      assert.include(said, "mcp-live: internal error: Error: thrown [REDACTED]")
      assert.notInclude(said, VALUE)
      assert.notInclude(said, Buffer.from(VALUE).toString("base64").slice(4, -4))
      assert.notInclude(said, Buffer.from(`user:${VALUE}`).toString("base64"))
      assert.strictEqual(code, 1)
    })
  }
})
