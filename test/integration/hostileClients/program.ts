/** A program with as much heap as a small container gives it, and what it takes of the machine: memory, time, files, children. */
import * as Effect from "effect/Effect"
import { spawn, type ChildProcess } from "node:child_process"
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Readable } from "node:stream"
import { MAIN } from "../../support/built.ts"
import { inFixtures } from "../../fixtures/servers.ts"
import { peakMb } from "../../support/peakMemory.ts"
import { inFolder as folder } from "../../support/folder.ts"

export { inFolder as folder } from "../../support/folder.ts"

const HEAP_MB = 512

export interface Program {
  readonly child: ChildProcess
  /** What it says on stderr. */
  readonly log: () => string
  /** Returns with what fits once it was said; fails when the program ends first. */
  readonly logged: (pattern: RegExp) => Promise<RegExpExecArray>
  /** Megabytes: the most since it was last asked. */
  readonly peakMb: () => number
  /** Milliseconds of processor time: the longest turns since it was last asked. */
  readonly turns: () => ReadonlyArray<number>
  readonly sockets: () => number
  readonly children: () => ReadonlyArray<number>
  readonly isOver: () => boolean
  readonly exited: Promise<number | NodeJS.Signals | null>
}

const attempt = <A>(read: () => A, otherwise: A): A => {
  try {
    return read()
  } catch {
    // Gone meanwhile.
    return otherwise
  }
}

/** `serve`, `mcp-server` or `acp`, with the rest of its command line; nothing of the machine's own configuration is found. */
export const started = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  config: unknown,
  env: Readonly<Record<string, string>> = {}
) {
  const place = yield* folder
  const file = join(place, "mcp.json")
  writeFileSync(file, JSON.stringify(config))
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(
        process.execPath,
        [
          `--max-old-space-size=${HEAP_MB}`,
          "--import",
          inFixtures("hostile-client/turns.ts"),
          MAIN,
          ...args,
          "--config",
          file
        ],
        {
          cwd: place,
          env: { PATH: process.env["PATH"], HOME: place, MCP_LIVE_HOME: join(place, "home"), NO_COLOR: "1", ...env },
          stdio: ["pipe", "pipe", "pipe", "pipe"]
        }
      )
    ),
    (one) => Effect.sync(() => void one.kill("SIGKILL"))
  )
  const proc = `/proc/${child.pid}`
  const exited = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.once("close", (code, signal) => resolve(code ?? signal))
  )
  let [log, turns, isOver]: [string, Array<number>, boolean] = ["", [], false]
  const looks = new Set<() => void>()
  child.stdin!.on("error", () => {})
  child.stderr!.setEncoding("utf8").on("data", (text: string) => {
    log += text
    for (const look of looks) look()
  })
  ;(child.stdio[3] as Readable).setEncoding("utf8").on("data", (text: string) => {
    turns.push(...text.trim().split("\n").map(Number))
  })
  child.once("close", () => {
    isOver = true
    for (const look of looks) look()
  })
  return {
    child,
    log: () => log,
    logged: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(log)
          if (found === null && !isOver) return
          looks.delete(look)
          if (found === null) reject(new Error(`it has ended: ${log}`))
          else resolve(found)
        }
        looks.add(look)
        look()
      }),
    peakMb: () => peakMb(child.pid!) ?? 0,
    turns: () => {
      const taken = turns
      turns = []
      return taken
    },
    sockets: () =>
      attempt(() => readdirSync(`${proc}/fd`), []).filter((fd) =>
        attempt(() => readlinkSync(`${proc}/fd/${fd}`), "").startsWith("socket:")
      ).length,
    children: () =>
      attempt(() => readdirSync(`${proc}/task`), []).flatMap((task) =>
        attempt(() => readFileSync(`${proc}/task/${task}/children`, "utf8"), "")
          .split(" ")
          .filter(Boolean)
          .map(Number)
      ),
    isOver: () => isOver,
    exited
  } satisfies Program
})
