/** Runs `mcp-live` as a shell would, and talks to it while it runs. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { spawn } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { inFolder } from "../support/folder.ts"

export const PROJECT = fileURLToPath(new URL("../../", import.meta.url))
const BIN = join(PROJECT, "bin/mcp-live.js")

export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly pid: number
  readonly stdout: () => string
  readonly stderr: () => string
  readonly signal: (signal: NodeJS.Signals) => void
  /** Types a line, where stdin was left open. */
  readonly type: (line: string) => void
  /** Nothing more is typed. */
  readonly end: () => void
  /** Waits until the output (both streams) matches so many times; a program that ends before does so in vain. */
  readonly until: (pattern: RegExp, times?: number) => Effect.Effect<RegExpMatchArray>
  readonly exited: Effect.Effect<Finished>
}

/** Starts the program in the project's folder; it is killed with the Scope if it is still there. */
export const start = (
  args: ReadonlyArray<string>,
  options: {
    readonly env?: Record<string, string>
    readonly stdin?: string
    readonly cwd?: string
    /** Another Node than that of the test. */
    readonly node?: string
  } = {}
): Effect.Effect<Running, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(options.node ?? process.execPath, [BIN, ...args], {
        cwd: options.cwd ?? PROJECT,
        env: { ...process.env, ...PLAIN, ...options.env },
        stdio: ["pipe", "pipe", "pipe"]
      })
      child.stdin.on("error", () => {})
      if (options.stdin !== undefined) child.stdin.end(options.stdin)
      let [stdout, stderr] = ["", ""]
      let code: number | null | undefined
      const watchers = new Set<() => void>()
      const changed = () => watchers.forEach((watcher) => watcher())
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        stdout += text
        changed()
      })
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        stderr += text
        changed()
      })
      child.on("close", (exit) => {
        code = exit
        changed()
      })
      const when = <A>(get: () => A | Error | undefined): Effect.Effect<A> =>
        Effect.callback((resume) => {
          const check = () => {
            const value = get()
            if (value === undefined) return
            watchers.delete(check)
            resume(value instanceof Error ? Effect.die(value) : Effect.succeed(value))
          }
          watchers.add(check)
          check()
        })
      return {
        child,
        running: {
          pid: child.pid!,
          stdout: () => stdout,
          stderr: () => stderr,
          signal: (signal) => void child.kill(signal),
          type: (line) => void child.stdin.write(`${line}\n`),
          end: () => void child.stdin.end(),
          until: (pattern, times = 1) =>
            when(() => {
              const found = [...`${stdout}\n${stderr}`.matchAll(new RegExp(pattern, "g"))]
              if (found.length >= times) return found[times - 1]
              if (code !== undefined)
                return new Error(`it has ended (${code}) without ${pattern}: ${stdout}\n${stderr}`)
              return undefined
            }),
          exited: when(() => (code === undefined ? undefined : { code, stdout, stderr }))
        } satisfies Running
      }
    }),
    ({ child }) => Effect.sync(() => void child.kill("SIGKILL"))
  ).pipe(Effect.map(({ running }) => running))

/** What every run of the program has in its environment. */
export const PLAIN = { CI: "", NO_COLOR: "1" }

/** Runs the program to its end. */
export const run = (args: ReadonlyArray<string>, options: Parameters<typeof start>[1] = {}): Effect.Effect<Finished> =>
  Effect.scoped(Effect.flatMap(start(args, { stdin: "", ...options }), (running) => running.exited))

/** What it said besides what it was doing, as it does on a busy machine. */
export const saidBesides = ({ stderr }: Pick<Finished, "stderr">): string =>
  stderr.replace(/^mcp-live: (?:Waiting for|Reading|Writing) .*\n/gm, "")

/** A folder for the Scope with a configuration in it. */
export const configFile = (config: unknown): Effect.Effect<string, never, Scope.Scope> =>
  inFolder.pipe(
    Effect.map((folder) => {
      const file = join(folder, "openclaw.json")
      writeFileSync(file, typeof config === "string" ? config : JSON.stringify(config, null, 2))
      return file
    })
  )

/** The processes whose parent is `pid` (Linux). */
export const childrenOf = (pid: number): ReadonlyArray<number> =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number)
