/** The `mcp-live` program in this process. */
import * as Effect from "effect/Effect"
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

/** One run of the program: exit code and what it printed. */
export const run = (...args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const stdout = yield* captured(process.stdout)
    const stderr = yield* captured(process.stderr)
    const code = yield* runCli(args)
    return { code, stdout: stdout.text(), stderr: stderr.text() }
  }).pipe(Effect.scoped)
