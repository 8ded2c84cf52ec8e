import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { hostile, shell } from "../fixtures/servers.ts"
import { alive, leftOf } from "../support/alive.ts"
import { childrenOf, configFile, start } from "./program.ts"
import { pauses } from "../support/pause.ts"

const SERVERS = 20

/** Waits until the program has started so many servers. */
const started = (pid: number, count: number) =>
  Effect.sync(() => childrenOf(pid)).pipe(
    Effect.repeat({ schedule: pauses, until: (children) => children.length >= count }),
    Effect.timeout("40 seconds")
  )

describe.skipIf(process.platform !== "linux")("mcp-live: the end of a program with many servers", () => {
  const many = (scenarios: ReadonlyArray<string>) =>
    configFile({
      mcp: {
        servers: Object.fromEntries(
          Array.from({ length: SERVERS }, (_, index) => [`s${index}`, hostile(...scenarios)] as const)
        )
      }
    })

  for (const [what, signals] of [
    ["SIGTERM", ["SIGTERM"]],
    ["SIGINT twice", ["SIGINT", "SIGINT"]]
  ] as const) {
    it.live(`${what} while twenty servers are still connecting ends it with exit code 0 and leaves no process`, () =>
      Effect.gen(function* () {
        // They neither answer nor go by themselves.
        const config = yield* many(["hang-initialize", "ignore-sigterm"])
        const program = yield* start(["start", "--config", config])
        const children = yield* started(program.pid, SERVERS)
        for (const signal of signals) program.signal(signal)
        assert.strictEqual((yield* program.exited).code, 0)
        assert.deepStrictEqual(yield* leftOf(children), [])
      }).pipe(Effect.scoped)
    )
  }

  it.live("killed, its servers are ended by the next program, and by that alone", () =>
    Effect.gen(function* () {
      const config = yield* configFile({ mcp: { servers: { deaf: shell("--stubborn") } } })
      const first = yield* start(["start", "--config", config])
      const living = yield* start(["start", "--config", config])
      for (const { until } of [first, living]) yield* until(/\[deaf\] ready: stdio/)
      const [left, kept] = [childrenOf(first.pid), childrenOf(living.pid)]
      first.signal("SIGKILL")
      yield* first.exited
      assert.deepStrictEqual(left.filter(alive), left, "they did not notice")
      const next = yield* start(["start", "--config", config])
      yield* next.until(new RegExp(`gateway that is gone had left running: pids.* ${left[0]!}`))
      assert.deepStrictEqual(left.filter(alive), [])
      assert.deepStrictEqual(kept.filter(alive), kept)
      for (const program of [living, next]) program.signal("SIGTERM")
      for (const { exited } of [living, next]) assert.strictEqual((yield* exited).code, 0)
    }).pipe(Effect.scoped)
  )
})
