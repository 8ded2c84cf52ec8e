/** The log about servers: what is written, what is read again, and what a slow reader misses. */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { appendFileSync, existsSync, statSync } from "node:fs"
import { join } from "node:path"
import * as ServerLogsLayer from "../../../src/layers/connection/ServerLogs.ts"
import * as ServerLogTrailLayer from "../../../src/layers/connection/ServerLogTrail.ts"
import { SERVER_LOG_FILES, serverLogDirectory } from "../../../src/schemas/connection/ServerLogFiles.ts"
import { SERVER_LOG_TEXT_MAX_CHARS, SERVER_LOG_WAITING_MAX } from "../../../src/schemas/defaults/ServerLogs.ts"
import { ServerLogs } from "../../../src/services/connection/ServerLogs.ts"
import { ServerLogTrail } from "../../../src/services/connection/ServerLogTrail.ts"
import { inFolder } from "../../support/folder.ts"

const reading = Effect.fnUntraced(function* (directory: string) {
  const lines = yield* Effect.flatMap(ServerLogTrail, (trail) => trail.read()).pipe(
    Effect.provide(ServerLogTrailLayer.layer({ directory }))
  )
  return Effect.map(Stream.runCollect(lines), (pieces) => pieces.flat())
})

describe("the log of servers", () => {
  it.live("is written to a private file with time, level and source, also when its writer closes", () =>
    Effect.gen(function* () {
      const directory = yield* inFolder
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { write } = yield* ServerLogs
          write("fs", "stderr", "warning", "cannot open it")
          write("other", "gateway", "info", "x".repeat(SERVER_LOG_TEXT_MAX_CHARS + 1))
        }).pipe(Effect.provide(Layer.fresh(ServerLogsLayer.layer({ directory }))))
      )
      const file = join(serverLogDirectory(directory), SERVER_LOG_FILES.current)
      assert.strictEqual(statSync(file).mode & 0o777, process.platform === "win32" ? 0o666 : 0o600)
      appendFileSync(file, "damaged\n")
      const look = yield* reading(directory)
      const [first, second, third] = yield* look
      const common = { v: 1, gateway: process.pid } as const
      const said = { server: "fs", source: "stderr", level: "warning", text: "cannot open it" } as const
      assert.deepInclude(first!.record, { ...common, ...said })
      assert.match(first!.record!.time, /^\d{4}-.*Z$/)
      assert.strictEqual(second!.record!.text.length, SERVER_LOG_TEXT_MAX_CHARS)
      assert.isUndefined(third!.record)
      assert.deepStrictEqual(yield* look, [])
    }).pipe(Effect.scoped)
  )

  it.live("is written to no file while that is switched off, and streamed all the same", () =>
    Effect.gen(function* () {
      const directory = yield* inFolder
      let isKept = false
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { lines, write } = yield* ServerLogs
          const next = yield* Effect.forkChild(Stream.runHead(lines), { startImmediately: true })
          write("fs", "stderr", "info", "only heard")
          assert.strictEqual(Option.getOrThrow(yield* Fiber.join(next)).text, "only heard")
          assert.isFalse(existsSync(serverLogDirectory(directory)))
          isKept = true
          write("fs", "stderr", "info", "kept")
        }).pipe(Effect.provide(Layer.fresh(ServerLogsLayer.layer({ directory, isKept: () => isKept }))))
      )
      const look = yield* reading(directory)
      assert.deepStrictEqual(
        (yield* look).map(({ record }) => record?.text),
        ["kept"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("is streamed to followers; a slow one misses the oldest lines", () =>
    Effect.gen(function* () {
      const { lines, write } = yield* ServerLogs
      const taken = yield* Deferred.make<void>()
      const seen: Array<string> = []
      const following = yield* Stream.runForEach(lines, ({ text }) => {
        seen.push(text)
        // Slow once: the rest waits meanwhile.
        return seen.length === 1 ? Deferred.await(taken) : Effect.void
      }).pipe(Effect.forkScoped({ startImmediately: true }))
      write("fs", "log", "info", "first")
      yield* Effect.yieldNow.pipe(Effect.repeat({ until: () => seen.length === 1 }))
      const last = `${SERVER_LOG_WAITING_MAX * 2}`
      for (let i = 1; i <= SERVER_LOG_WAITING_MAX * 2; i++) write("fs", "log", "info", `${i}`)
      yield* Deferred.succeed(taken, undefined)
      yield* Effect.yieldNow.pipe(Effect.repeat({ until: () => seen.at(-1) === last }))
      assert.isAtMost(seen.length, SERVER_LOG_WAITING_MAX + 3)
      assert.strictEqual(seen[0], "first")
      yield* Fiber.interrupt(following)
    }).pipe(Effect.scoped, Effect.provide(ServerLogsLayer.layer()))
  )
})
