/** Command lines of the servers that are measured against. */
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

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
