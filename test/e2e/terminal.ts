/** The built program, started by hand on a terminal: what is shown there, and what is typed. */
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

export const program = fileURLToPath(new URL("../../bin/mcp-live.js", import.meta.url))

const SCRIPT = "/usr/bin/script"

export const hasTerminals = process.platform === "linux" && existsSync(SCRIPT)

export const onTerminal = (...args: ReadonlyArray<string>) => started({}, args)

/** The same for a user with this home directory. */
export const onTerminalAt = (home: string, ...args: ReadonlyArray<string>) => started({ HOME: home }, args)

/** The same with these variables. */
export const onTerminalWith = (env: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) =>
  started(env, args)

const started = Effect.fnUntraced(function* (env: Readonly<Record<string, string>>, args: ReadonlyArray<string>) {
  const terminal = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(SCRIPT, ["-qec", [process.execPath, program, ...args].join(" "), "/dev/null"], {
        stdio: ["pipe", "pipe", "ignore"],
        env: { ...process.env, CI: "", ...env }
      })
    ),
    (child) => Effect.sync(() => void child.kill("SIGKILL"))
  )
  let shown = ""
  terminal.stdout.setEncoding("utf8").on("data", (text: string) => (shown += text))
  let code: number | null | undefined
  terminal.on("close", (exit) => (code = exit))
  return {
    shown: () => shown,
    /** The exit code of the program. */
    exited: Effect.callback<number | null>((resume) => {
      if (code === undefined) terminal.on("close", (exit) => resume(Effect.succeed(exit)))
      else resume(Effect.succeed(code))
    }),
    type: (text: string) => void terminal.stdin.write(text),
    until: (pattern: RegExp) =>
      Effect.callback<void>((resume) => {
        const look = () => {
          if (pattern.test(shown)) resume(Effect.void)
        }
        terminal.stdout.on("data", look)
        look()
      })
  }
})
