/** Command lines of the servers that are measured against. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { canPin } from "./isolate.ts"

export interface Launch {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
}

const require = createRequire(import.meta.url)

/** Without its types stripped anew at each start, the raw server is up in half the time. */
const env = { NODE_COMPILE_CACHE: join(tmpdir(), "mcp-live-bench-compile-cache") }

export const rawServer = (...args: ReadonlyArray<string>): Launch => ({
  command: process.execPath,
  args: [fileURLToPath(new URL("../servers/raw.ts", import.meta.url)), ...args],
  env
})

export const floodServer = (...args: ReadonlyArray<string>): Launch => ({
  command: process.execPath,
  args: [fileURLToPath(new URL("../servers/flood.ts", import.meta.url)), ...args],
  env
})

export const everythingServer: Launch = {
  command: process.execPath,
  args: [
    join(dirname(require.resolve("@modelcontextprotocol/server-everything/package.json")), "dist", "index.js"),
    "stdio"
  ],
  env
}

/** Away from the core of what is measured, which is the last one. */
export const elsewhere = ({ args, command, env }: Launch): Launch =>
  canPin ? { command: "taskset", args: ["-c", "0", command, ...args], env } : { command, args, env }

/** Started, for as long as this process lives. */
export const launch = ({ args, command, env }: Launch) => {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, ...env } })
  process.once("exit", () => child.kill("SIGKILL"))
  return child
}

/** Started like that: the address that is its first line. */
export const listening = async (server: Launch): Promise<string> => {
  const child = launch(server)
  const [url] = (await once(createInterface({ input: child.stdout }), "line")) as [string]
  return url
}
