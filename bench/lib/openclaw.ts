/** OpenClaw's own gateway in a home of its own, where it is installed (`npm ci` in tools/openclaw). It calls nobody. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { freePort, isListenedOn } from "./ports.ts"

const program = fileURLToPath(new URL("../../tools/openclaw/node_modules/openclaw/openclaw.mjs", import.meta.url))

const STARTING_MS = 120_000
const TOKEN = "bench-token"

export const openclawIsInstalled = existsSync(program)

/** Gives how its own ACP agent is started, while the gateway runs. */
export const withOpenclaw = async <A>(
  folder: string,
  use: (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) => Promise<A>
): Promise<A> => {
  const port = await freePort()
  mkdirSync(join(folder, ".openclaw"), { recursive: true })
  writeFileSync(
    join(folder, ".openclaw", "openclaw.json"),
    JSON.stringify({
      gateway: {
        mode: "local",
        port,
        bind: "loopback",
        auth: { mode: "token", token: TOKEN },
        controlUi: { enabled: false }
      },
      discovery: { mdns: { mode: "off" } },
      update: { checkOnStart: false },
      agents: { defaults: { workspace: join(folder, "workspace"), skipBootstrap: true } }
    })
  )
  const env = {
    HOME: folder,
    OPENCLAW_SKIP_CHANNELS: "1",
    OPENCLAW_DISABLE_BONJOUR: "1",
    OPENCLAW_NO_RESPAWN: "1",
    OPENCLAW_EXEC_SHELL_SNAPSHOT: "0"
  }
  const gateway = spawn(process.execPath, [program, "gateway", "run"], {
    env: { PATH: process.env["PATH"], ...env },
    stdio: "ignore"
  })
  const gone = once(gateway, "exit")
  try {
    const latest = performance.now() + STARTING_MS
    while (!(await isListenedOn(port))) {
      if (gateway.exitCode !== null || performance.now() > latest) throw new Error("the OpenClaw gateway did not start")
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    const url = `ws://127.0.0.1:${port}`
    return await use([program, "acp", "--url", url, "--token", TOKEN], env)
  } finally {
    gateway.kill("SIGTERM")
    await gone
  }
}
