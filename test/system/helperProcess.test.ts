import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { runHelper } from "../../src/system/helperProcess.ts"
import { makeThisProcess, ThisProcess, type KillNow } from "../../src/system/process/ThisProcess.ts"

const node = (script: string) =>
  runHelper({ command: process.execPath, args: ["-e", script], env: { A: "1" }, maxBytes: 1024 })

describe("a helper process", () => {
  it.live("gives its output and exit code, and gets only the environment that it is given", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* node(
        `console.log(process.env.A, process.env.PATH); console.error("why"); process.exitCode = 3`
      )
      assert.deepStrictEqual([code, stdout, stderr], [3, "1 undefined\n", "why\n"])
    })
  )

  it.live("fails when it writes too much, and when its program is not installed", () =>
    Effect.gen(function* () {
      const flood = yield* Effect.flip(node(`setInterval(() => console.log("x".repeat(999)), 1)`))
      assert.deepStrictEqual(flood, { detail: "wrote more than 1 KiB", missing: false })
      const none = yield* Effect.flip(runHelper({ command: "/no/such", args: [], env: {}, maxBytes: 1 }))
      assert.deepStrictEqual(none, { detail: "is not installed", missing: true })
    })
  )

  it.live("is killed when this process exits, and forgotten once it has ended", () =>
    Effect.gen(function* () {
      const kills = new Set<KillNow>()
      const killAtExit = (kill: KillNow) => {
        kills.add(kill)
        return () => void kills.delete(kill)
      }
      const running = yield* node(`setInterval(() => {}, 1000)`).pipe(
        Effect.provideService(ThisProcess, { ...makeThisProcess(), killAtExit }),
        Effect.forkChild({ startImmediately: true })
      )
      while (kills.size === 0) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      for (const kill of kills) kill(() => assert.fail("nothing is looked for"))
      const exit = yield* Fiber.await(running)
      assert.include(JSON.stringify(exit), "SIGKILL")
      assert.strictEqual(kills.size, 0)
    })
  )
})
