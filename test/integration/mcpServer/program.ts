/** `mcp-live mcp-server` as an MCP client runs it. */
import { MAIN } from "../../support/built.ts"
import * as Effect from "effect/Effect"
import { execFileSync, spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { heardText } from "../../support/heardText.ts"
import type { Launched } from "../../support/mcpClients.ts"
import { inFolder as folder } from "../../support/folder.ts"
import { pauses } from "../../support/pause.ts"

export { inFolder as folder } from "../../support/folder.ts"

export interface Options {
  readonly args?: ReadonlyArray<string>
  /** Written as the configuration; none when left out. */
  readonly config?: unknown
  /** The data directory; a fresh one when left out. */
  readonly home?: string
  readonly env?: Readonly<Record<string, string>>
  /** For Node itself. */
  readonly node?: ReadonlyArray<string>
}

/** How it is launched; nothing of the machine's own configuration is found. What it says on stderr is kept. */
export const launch = Effect.fnUntraced(function* ({ args = [], config, env, home: given, node = [] }: Options = {}) {
  const home = given ?? (yield* folder)
  const place = yield* folder
  const file = join(place, "mcp.json")
  if (config !== undefined) writeFileSync(file, JSON.stringify(config))
  const log = heardText()
  const launched: Launched = {
    command: process.execPath,
    args: [...node, MAIN, "mcp-server", ...args, ...(config === undefined ? [] : ["--config", file])],
    cwd: place,
    env: { PATH: process.env["PATH"] ?? "", HOME: place, MCP_LIVE_HOME: home, NO_COLOR: "1", ...env },
    onStderr: log.hear
  }
  return {
    ...launched,
    home,
    log: log.text,
    /** Returns once the log matches. */
    logged: log.logged
  }
})

export const model = (baseUrl: string) => ({ agents: { defaults: { model: { id: "test", baseUrl } } } })

export const ORDER = "order_openclaw"

export interface Result {
  readonly content: ReadonlyArray<{
    readonly type: string
    readonly text?: string
    readonly data?: string
    readonly mimeType?: string
    readonly resource?: { readonly uri: string; readonly blob: string; readonly mimeType: string }
  }>
  readonly structuredContent?: {
    readonly sessionKey: string
    readonly text: string
    readonly media: unknown
    readonly turns: unknown
    readonly [key: string]: unknown
  }
  readonly isError?: boolean
}

const CLIENT = { name: "t", version: "1" }
export const line = (message: object) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`
export const GREETING = line({
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: CLIENT }
})

/** Started by hand, so that every byte of it is seen. */
export const raw = Effect.fnUntraced(function* (options: Options) {
  const { args, command, cwd, env } = yield* launch(options)
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(command, [...args], { cwd, env: { ...env }, stdio: ["pipe", "pipe", "pipe"] })),
    (started) => Effect.sync(() => void started.kill("SIGKILL"))
  )
  let [stdout, stderr] = ["", ""]
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve))
  return { child, exited, stdout: () => stdout, stderr: () => stderr }
})

/** What it has started, once there is something. */
export const childrenOf = (pid: number) =>
  Effect.sync(() =>
    execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" })
      .split("\n")
      .map((row) => row.trim().split(/\s+/).map(Number))
      .flatMap(([child = 0, parent]) => (parent === pid ? [child] : []))
  ).pipe(Effect.repeat({ schedule: pauses, until: (children) => children.length > 0 }))

/** Started on a port, once it listens there; killed with the Scope. */
export const listeningWith = Effect.fnUntraced(function* (options: Options) {
  const program = yield* launch(options)
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(program.command, [...program.args], {
        cwd: program.cwd,
        env: { ...program.env },
        stdio: ["ignore", "pipe", "pipe"]
      })
    ),
    (started) => Effect.sync(() => void started.kill("SIGKILL"))
  )
  let stdout = ""
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on("data", (chunk: Buffer) => program.onStderr?.(chunk.toString()))
  const [, url = ""] = yield* program.logged(/listening at (http\S+)/)
  return { program, child, url, stdout: () => stdout }
})
