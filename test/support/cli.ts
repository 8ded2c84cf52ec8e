/** The `mcp-live` program in this process. */
import * as Effect from "effect/Effect"
import { Redactors } from "../../src/programs/cli/masking.ts"
import { runCli } from "../../src/programs/main.ts"

/** Diverts one stream of the process for as long as the scope is open. */
const captured = (stream: NodeJS.WriteStream) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const write = stream.write
      const pieces: Array<string> = []
      stream.write = (piece: string | Uint8Array, ...rest: ReadonlyArray<unknown>) => {
        pieces.push(String(piece))
        const done = rest.at(-1)
        if (typeof done === "function") queueMicrotask(() => done())
        return true
      }
      return { text: () => pieces.join(""), write }
    }),
    ({ write }) =>
      Effect.sync(() => {
        stream.write = write
      })
  )

/** For the Scope, this process stands in another directory and has these variables too. */
export const standing = ({ cwd = process.cwd(), env = {} }: Place) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const before = { cwd: process.cwd(), env: Object.keys(env).map((name) => [name, process.env[name]] as const) }
      process.chdir(cwd)
      Object.assign(process.env, env)
      return before
    }),
    (before) =>
      Effect.sync(() => {
        process.chdir(before.cwd)
        for (const [name, value] of before.env) {
          if (value === undefined) delete process.env[name]
          else process.env[name] = value
        }
      })
  )

export interface Place {
  readonly cwd?: string | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
}

/** One run of the program as from another directory, and with other variables. */
export const runAt = (place: Place, ...args: ReadonlyArray<string>) =>
  Effect.scoped(Effect.andThen(standing(place), run(...args)))

/** One run of the program: exit code and what it printed. It knows no secrets of the runs before, as a new process does not. */
export const run = (...args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const stdout = yield* captured(process.stdout)
    const stderr = yield* captured(process.stderr)
    const code = yield* Effect.provideService(runCli(args), Redactors, new Set())
    return { code, stdout: stdout.text(), stderr: stderr.text() }
  }).pipe(Effect.scoped)
