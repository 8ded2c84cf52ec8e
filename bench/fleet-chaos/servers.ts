/** The servers of a run: one whose side effects are counted, one with a limit, three real ones, and hostile ones. */
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import { IDEMPOTENT } from "./tools.ts"

const require = createRequire(import.meta.url)
const COUNTED = fileURLToPath(new URL("counted.ts", import.meta.url))
const HOSTILE = fileURLToPath(new URL("../../test/fixtures/hostile-server/main.mjs", import.meta.url))

/** Tokens come at this rate, and so many calls may come at once. */
export const LIMIT = { perMinute: 300, burst: 30 }

/** A name, the tool that is called, and what the server does. */
export const HOSTILE_SERVERS = {
  crashes: { tool: "echo", scenarios: ["crash-in-call"] },
  hangs: { tool: "echo", scenarios: ["no-answer"] },
  confuses: { tool: "echo", scenarios: ["wrong-ids", "rubbish-stdout"] },
  stays: { tool: "echo", scenarios: ["ignore-stdin-end", "ignore-sigterm"] },
  spawns: { tool: "begin", scenarios: ["daemon:session"] }
} as const

export const REAL_CALLS = [
  { server: "everything", tool: "echo", args: { message: "honest words" } },
  { server: "memory", tool: "read_graph", args: {} },
  { server: "files", tool: "list_allowed_directories", args: {} }
] as const

const HANGS_MS = 3_000

interface Paths {
  readonly folder: string
  readonly counts: string
  readonly limited: string
  /** In the environment of each server process. */
  readonly env: Readonly<Record<string, string>>
}

export const serversOf = ({ counts, env, folder, limited }: Paths): Record<string, object> => {
  const node = (...args: ReadonlyArray<string>) => ({ command: process.execPath, args, env })
  const entryOf = (name: string) => require.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`)
  const hostile = Object.entries(HOSTILE_SERVERS).map(([name, { scenarios }]) => [
    name,
    { ...node(HOSTILE, ...scenarios.map((scenario) => `--scenario=${scenario}`)), requestTimeoutMs: HANGS_MS }
  ])
  return {
    counted: { ...node("--no-warnings", COUNTED, counts), limits: { perMinute: 0, failures: 0, inFlight: 1_000 } },
    limited: { ...node("--no-warnings", COUNTED, limited), limits: { ...LIMIT, failures: 0 } },
    everything: { ...node(entryOf("everything"), "stdio"), limits: { perMinute: 0 } },
    memory: {
      ...node(entryOf("memory")),
      env: { ...env, MEMORY_FILE_PATH: `${folder}/memory.json` },
      limits: { perMinute: 0 }
    },
    files: { ...node(entryOf("filesystem"), folder), limits: { perMinute: 0 } },
    ...(Object.fromEntries(hostile) as Record<string, object>)
  }
}

export const FLEET = { idempotent: [IDEMPOTENT] }
