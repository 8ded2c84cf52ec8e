/** Processes that a test starts itself, and their end. */
import * as Effect from "effect/Effect"
import { spawn, type ChildProcess, type ChildProcessByStdio } from "node:child_process"
import { createInterface } from "node:readline"
import type { Readable, Writable } from "node:stream"
import { alive } from "./alive.ts"
import { pauses } from "./pause.ts"

export const died = (pids: ReadonlyArray<number>) =>
  Effect.sync(() => pids.filter(alive)).pipe(
    Effect.repeat({ schedule: pauses, until: (left) => left.length === 0 }),
    Effect.timeout("60 seconds")
  )

/** A child of this test that is killed with the Scope; most of them are not ours to end. */
export const child = (
  command: string,
  args: ReadonlyArray<string>,
  env: Record<string, string> = {},
  more: ReadonlyArray<"ignore" | number> = []
) =>
  Effect.acquireRelease(
    Effect.sync(
      () =>
        spawn(command, args, {
          env: { PATH: process.env["PATH"] ?? "", ...env },
          stdio: ["pipe", "pipe", "inherit", ...more],
          detached: true
        }) as ChildProcessByStdio<Writable, Readable, null>
    ),
    ({ pid, stdout }) =>
      Effect.sync(() => {
        stdout.destroy()
        try {
          process.kill(-pid!, "SIGKILL")
        } catch {
          // Nothing of its group is left.
        }
      })
  )

export const firstLine = (started: ChildProcess) =>
  Effect.callback<string>((resume) => {
    createInterface({ input: started.stdout! }).once("line", (line) => resume(Effect.succeed(line)))
  })
