/** `npm start` without a terminal, as a service manager or `nohup` runs it in a checkout. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { inFolder } from "../support/folder.ts"
import { run } from "./program.ts"

const PROJECT = fileURLToPath(new URL("../../", import.meta.url))

/** npm, and what it starts, as one group. */
const npmStart = (folder: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn("/bin/sh", ["-c", "exec npm start </dev/null"], {
        cwd: PROJECT,
        detached: true,
        env: { ...process.env, MCP_LIVE_HOME: folder, TMPDIR: folder },
        stdio: ["ignore", "pipe", "pipe"]
      })
      let [stdout, stderr] = ["", ""]
      child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text))
      child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
      const signal = (name: NodeJS.Signals) => process.kill(-child.pid!, name)
      return { child, signal, stdout: () => stdout, stderr: () => stderr }
    }),
    ({ child, signal }) =>
      Effect.sync(() => {
        if (child.exitCode === null && child.signalCode === null) signal("SIGKILL")
      })
  )

describe.skipIf(process.platform === "win32")("npm start </dev/null", () => {
  it.live("prints its table and stays until a signal, and stops its servers then", () =>
    Effect.gen(function* () {
      const folder = yield* inFolder
      const { child, signal, stderr, stdout } = yield* npmStart(folder)
      const ended = once(child, "close")
      yield* Effect.promise(async () => {
        while (!/^SERVER [^]*\n(?:memory|everything) .*\bReady\b/m.test(stdout()) && child.exitCode === null)
          await Promise.race([once(child.stdout, "data"), ended])
      })
      assert.match(stdout(), /^SERVER /m, stderr())
      // A program that has nothing left to do has gone before another has started.
      const status = yield* run(["status", "--config", "examples/openclaw.json"], { env: { MCP_LIVE_HOME: folder } })
      assert.include(status.stderr, "using the running gateway", stderr())
      assert.isNull(child.exitCode, stderr())
      signal("SIGTERM")
      yield* Effect.promise(() => ended)
      assert.match(stderr(), /\[memory\] stopped/)
    }).pipe(Effect.scoped)
  )
})
