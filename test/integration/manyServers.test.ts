/** A configuration with a thousand servers that are all to be started at once. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { MAIN } from "../support/built.ts"
import { folder, placeFor, type Place } from "./serve/program.ts"

const SERVERS = 1_000

const many = (server: (index: number) => object) =>
  placeFor({
    mcp: {
      servers: Object.fromEntries(
        Array.from({ length: SERVERS }, (_, index) => [`s${index}`, { lazy: false, ...server(index) }] as const)
      )
    }
  })

/** The program with a small heap; it is killed with the Scope if it is still there. */
const started = Effect.fnUntraced(function* ({ file, home }: Place) {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, ["--max-old-space-size=512", MAIN, "status", "--json", "--config", file], {
        env: { ...process.env, MCP_LIVE_HOME: home },
        stdio: ["ignore", "pipe", "ignore"]
      })
    ),
    (program) => Effect.sync(() => void program.kill("SIGKILL"))
  )
  let stdout = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (stdout += text))
  const closed = new Promise<number | null>((resolve) => child.once("close", resolve))
  return {
    signal: (name: NodeJS.Signals) => void child.kill(name),
    ended: Effect.map(
      Effect.promise(() => closed),
      (code) => ({ code, stdout })
    )
  }
})

describe.skipIf(process.platform === "win32")("a thousand servers at once", () => {
  it.live("of commands that are nowhere: each is given up, and the rest of the program goes on", () =>
    Effect.gen(function* () {
      const program = yield* started(yield* many((index) => ({ command: "no-such-command", args: [`${index}`] })))
      const { code, stdout } = yield* program.ended
      assert.strictEqual(code, 0)
      const servers: ReadonlyArray<{ state: string; lastError: string }> = Object.values(JSON.parse(stdout).servers)
      assert.strictEqual(servers.length, SERVERS)
      for (const { lastError, state } of servers) {
        assert.strictEqual(state, "Failed")
        assert.match(lastError, /command not found/)
      }
    }).pipe(Effect.scoped)
  )

  it.live(
    "that are still being started when a signal comes: those whose turn has not come are not started any more",
    () =>
      Effect.gen(function* () {
        const log = join(yield* folder, "log")
        const config = yield* many((index) => ({ command: "/bin/sh", args: ["-c", `echo ${index} >>'${log}'`] }))
        const program = yield* started(config)
        yield* Effect.sync(() => existsSync(log)).pipe(Effect.delay("5 millis"), Effect.repeat({ until: (is) => is }))
        program.signal("SIGTERM")
        assert.strictEqual((yield* program.ended).code, 143)
        const begun = new Set(readFileSync(log, "utf8").trim().split("\n")).size
        assert.isBelow(begun, SERVERS)
      }).pipe(Effect.scoped)
  )
})
