/** What an editor waits for: the first answer of the agent, a session with three servers of its own, a call of a tool. */
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { acpClient, type AcpClient } from "../lib/acpClient.ts"
import { rawServer } from "../lib/launch.ts"
import { openclawIsInstalled, withOpenclaw } from "../lib/openclaw.ts"
import type { BenchCase, Row } from "../lib/result.ts"
import { median } from "../lib/stats.ts"

const REPEATS = 7
const OPENCLAW_REPEATS = 2
/** What three servers are asked at once, with what was called before: more would have to wait. */
const CALLS = 54
const GOAL_MS = 1000

const program = fileURLToPath(new URL("../../bin/mcp-live.js", import.meta.url))

const server = (name: string) => {
  const { args, command, env } = rawServer()
  return { name, command, args, env: Object.entries(env).map(([key, value]) => ({ name: key, value })) }
}
const SERVERS = ["one", "two", "three"].map(server)

const timed = async <A>(work: () => Promise<A>): Promise<readonly [number, A]> => {
  const start = performance.now()
  const result = await work()
  return [performance.now() - start, result]
}

const hello = (client: AcpClient) =>
  client.ask("initialize", { protocolVersion: 1, clientCapabilities: { session: { notices: {} } } })

/** A benchmark of calls that fail is none. */
const call = async (client: AcpClient, sessionId: unknown, name: string) => {
  const before = client.updates.length
  const text = `/call mcp__${name}__echo {"text":"hello"}`
  await client.ask("session/prompt", { sessionId, prompt: [{ type: "text", text }] })
  if (!client.updates.slice(before).some((update) => update.includes('"status":"completed"'))) {
    throw new Error(`the call of ${name} did not succeed`)
  }
}

interface Life {
  readonly initialize: number
  readonly session: number
  readonly ready: number
  readonly perCall: number
}

const life = async (folder: string): Promise<Life> => {
  const env = { HOME: folder, MCP_LIVE_HOME: join(folder, "data") }
  const start = performance.now()
  const client = acpClient([program, "acp"], env)
  await hello(client)
  const initialize = performance.now() - start
  const opening = performance.now()
  const { sessionId } = await client.ask("session/new", { cwd: folder, mcpServers: SERVERS })
  const session = performance.now() - opening
  for (const { name } of SERVERS) await call(client, sessionId, name)
  const ready = performance.now() - opening
  const [took] = await timed(async () => {
    for (let index = 0; index < CALLS; index++) await call(client, sessionId, SERVERS[index % SERVERS.length]!.name)
  })
  await client.ask("session/close", { sessionId })
  await client.end()
  return { initialize, session, ready, perCall: took / CALLS }
}

/** Its bridge takes no servers from a client, so there is nothing to call. */
const openclaw = async (folder: string): Promise<Row> =>
  withOpenclaw(folder, async (args, env) => {
    const first: Array<number> = []
    for (let repeat = 0; repeat < OPENCLAW_REPEATS; repeat++) {
      const start = performance.now()
      const client = acpClient(args, env)
      await hello(client)
      first.push(performance.now() - start)
      const refused = await client.ask("session/new", { cwd: folder, mcpServers: SERVERS }).catch(() => "refused")
      if (refused !== "refused") throw new Error("openclaw acp takes servers by now: measure that, too")
      await client.end()
    }
    return { variant: "openclaw acp", values: [median(first), null, null, null] }
  })

export const acp: BenchCase = {
  name: "acp",
  goal: "What an editor waits for: the agent's first answer, a session with three servers of its own, a tool call.",
  run: async () => {
    if (!existsSync(program)) throw new Error("bin/mcp-live.js is not there yet; build it first")
    const folder = mkdtempSync(join(tmpdir(), "mcp-live-bench-"))
    try {
      const lives: Array<Life> = []
      for (let repeat = -1; repeat < REPEATS; repeat++) {
        const one = await life(folder)
        if (repeat >= 0) lives.push(one)
      }
      const of = (pick: (one: Life) => number) => median(lives.map(pick))
      const initialize = of((one) => one.initialize)
      const theirs = openclawIsInstalled ? [await openclaw(join(folder, "openclaw"))] : []
      return {
        columns: ["ms to initialize", "ms to session/new", "ms until all three are called", "ms per call"],
        rows: [
          {
            variant: "mcp-live acp",
            values: [initialize, of((one) => one.session), of((one) => one.ready), of((one) => one.perCall)]
          },
          ...theirs
        ],
        verdicts: [
          {
            goal: `first answer within ${GOAL_MS} ms of the start`,
            measured: `${Math.round(initialize)} ms`,
            pass: initialize <= GOAL_MS
          }
        ],
        notes: [
          `Medians of ${REPEATS} processes; calls are ${CALLS} direct ones (\`/call\`), one after the other and in turns, each a whole turn that is kept in the conversation's file. The program is the built one (dist).`,
          theirs.length === 0
            ? "openclaw acp: not measured, OpenClaw is not installed (`npm ci` in tools/openclaw)."
            : `openclaw acp: medians of ${OPENCLAW_REPEATS}, beside a gateway that is running; it refuses the servers of a client.`
        ]
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
