/** acpx as a person types it, against our agent: a home of its own, its wire as it prints it. */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { spawn } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { inFolder } from "../../support/folder.ts"

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const ACPX = at("node_modules/acpx/dist/cli.js")
const MAIN = at("../../../src/programs/main.ts")

export interface Frame {
  readonly method?: string
  readonly params?: Record<string, unknown>
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string }
}

export interface Server {
  readonly name: string
  readonly command: string
  readonly args: ReadonlyArray<string>
}

export interface Run {
  /** What went over the wire in both directions, or what acpx says instead. */
  readonly frames: ReadonlyArray<Frame>
  readonly code: number | null
}

export interface Acpx {
  readonly run: (servers: ReadonlyArray<Server>, ...words: ReadonlyArray<string>) => Effect.Effect<Run>
  /** The same, and calls back with each frame. */
  readonly watch: (
    onFrame: (frame: Frame) => void,
    servers: ReadonlyArray<Server>,
    ...words: ReadonlyArray<string>
  ) => Effect.Effect<Run>
  /** Where the person works. */
  readonly cwd: string
  /** Returns once acpx has no agent of a session running. */
  readonly idle: Effect.Effect<void>
}

const locks = (folder: string) => (existsSync(folder) ? readdirSync(folder) : [])

/** `options` are those of our program. */
export const acpx = Effect.fnUntraced(function* (config?: unknown, ...options: ReadonlyArray<string>) {
  const place = yield* inFolder
  const [home, cwd, data] = ["home", "work", "data"].map((name) => join(place, name)) as [string, string, string]
  for (const folder of [home, cwd]) mkdirSync(folder)
  const file = join(place, "openclaw.json")
  if (config !== undefined) writeFileSync(file, JSON.stringify(config))
  const agent = [process.execPath, MAIN, "acp", ...(config === undefined ? [] : ["--config", file]), ...options].join(
    " "
  )
  let lists = 0

  const watch: Acpx["watch"] = (onFrame, servers, ...words) =>
    Effect.callback((resume) => {
      const list = join(place, `mcp-${++lists}.json`)
      const mcpServers = servers.map((server) => ({ type: "stdio", env: [], ...server }))
      writeFileSync(list, JSON.stringify({ mcpServers }))
      const child = spawn(
        process.execPath,
        [ACPX, "--agent", agent, "--mcp-config", list, "--format", "json", "--ttl", "1", ...words],
        {
          cwd,
          env: { PATH: process.env["PATH"], HOME: home, MCP_LIVE_HOME: data },
          stdio: ["ignore", "pipe", "ignore"]
        }
      )
      const frames: Array<Frame> = []
      createInterface({ input: child.stdout }).on("line", (line) => {
        const frame = JSON.parse(line) as Frame
        frames.push(frame)
        onFrame(frame)
      })
      child.once("close", (code) => resume(Effect.succeed({ frames, code })))
      return Effect.sync(() => void child.kill("SIGKILL"))
    })

  const run: Acpx["run"] = (...all) => watch(() => {}, ...all)
  const isIdle = Effect.sync(() => !locks(join(home, ".acpx", "queues")).some((name) => name.endsWith(".lock")))
  const idle = Effect.asVoid(Effect.repeat(isIdle, { until: (yes) => yes, schedule: Schedule.spaced("50 millis") }))
  return { run, watch, cwd, idle } as Acpx
})

const updates = ({ frames }: Run) =>
  frames.flatMap(({ method, params }) =>
    method === "session/update" ? [params?.["update"] as Record<string, unknown>] : []
  )

/** The last word on each call. */
export const outcomes = (run: Run) =>
  updates(run).flatMap(({ rawOutput, sessionUpdate, status }) =>
    sessionUpdate === "tool_call_update" && (status === "completed" || status === "failed")
      ? [{ status, text: (rawOutput as { text?: string } | undefined)?.text }]
      : []
  )

/** What the agent said. */
export const said = (run: Run): string =>
  updates(run)
    .flatMap(({ content, sessionUpdate }) =>
      sessionUpdate === "agent_message_chunk" ? [(content as { text?: string }).text ?? ""] : []
    )
    .join("")

export const sent = ({ frames }: Run, method: string) => frames.filter((frame) => frame.method === method)

export const stopReason = ({ frames }: Run): unknown =>
  frames.findLast(({ result }) => result?.["stopReason"] !== undefined)?.result?.["stopReason"]
