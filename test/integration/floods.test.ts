import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ServerConnection, ServerConnector } from "../../src/services/ServerConnector.ts"
import { shell } from "../fixtures/servers.ts"
import { alive } from "../support/alive.ts"
import { callTool, connectorLayer, open, openHostile, stdioConfig, textOf } from "../support/connector.ts"

const CALLS = 100
/** Far above what a connection needs, far below what is poured out in that time. */
const ROOM_MB = 300

const scenario = (name: string, body: Effect.Effect<void, unknown, ServerConnector | Scope.Scope>) =>
  it.live(name, () => body.pipe(Effect.scoped, Effect.provide(connectorLayer)))

const openFlooder = (way: string) => openHostile(`pours:${way}`)

const openOther = Effect.suspend(() => {
  const { args, command } = shell()
  return open(stdioConfig(command, args))
})

/** Calls of somebody else, each of which is answered; gives by how much the memory grew at most, in megabytes. */
const meanwhile = Effect.fnUntraced(function* (other: ServerConnection, before: number) {
  let peak = 0
  for (let call = 0; call < CALLS; call++) {
    const text = `call ${call}`
    assert.strictEqual(textOf(yield* callTool(other, "echo", { text })), text)
    peak = Math.max(peak, process.memoryUsage().rss)
  }
  return (peak - before) / 2 ** 20
})

describe("floods: one server's excess costs the others nothing but time, and us a bounded room", () => {
  for (const way of [
    "stderr-long-lines",
    "stderr-empty-lines",
    "stderr-no-line-break",
    "notifications",
    "list-changes",
    "requests",
    "rubbish",
    "endless-line",
    "single-bytes"
  ]) {
    scenario(
      `pours ${way}: the calls of others are answered`,
      Effect.gen(function* () {
        const other = yield* openOther
        const before = process.memoryUsage().rss
        const pids = yield* Effect.scoped(
          Effect.gen(function* () {
            const flooder = yield* openFlooder(way)
            assert.strictEqual(textOf(yield* callTool(flooder, "begin")), "begun")
            assert.isBelow(yield* meanwhile(other, before), ROOM_MB)
            return [flooder.info.pid!]
          })
        )
        assert.deepStrictEqual(pids.filter(alive), [], "and it ends like any other")
      })
    )
  }

  for (const [way, tag] of [
    ["endless-answer", "MessageTooLarge"],
    ["brackets-answer", "ProtocolError"],
    ["braces-answer", "ProtocolError"],
    ["empty-objects-answer", "ProtocolError"]
  ] as const) {
    scenario(
      `pours ${way}: fails its call with ${tag}, and no other`,
      Effect.gen(function* () {
        const [other, flooder] = [yield* openOther, yield* openFlooder(way)]
        const before = process.memoryUsage().rss
        const error = yield* Effect.flip(callTool(flooder, "begin", {}, 30_000))
        assert.strictEqual(error._tag, tag)
        assert.isBelow(yield* meanwhile(other, before), ROOM_MB)
      })
    )
  }

  scenario(
    "an answer that comes in drips does not keep its call alive, and is no burden when it is late",
    Effect.gen(function* () {
      const [other, dripping] = [yield* openOther, yield* openHostile("slow-drip")]
      const before = process.memoryUsage().rss
      const error = yield* Effect.flip(callTool(dripping, "big", { bytes: 100_000 }, 300))
      assert.strictEqual(error._tag, "CallTimeout")
      assert.isBelow(yield* meanwhile(other, before), ROOM_MB)
    })
  )

  scenario(
    "a server that reads nothing: what is sent to it waits within a bound, then is refused as not sent",
    Effect.gen(function* () {
      const [other, flooder] = [yield* openOther, yield* openFlooder("nothing")]
      const before = process.memoryUsage().rss
      const text = "x".repeat(10 * 2 ** 20)
      const outcomes = yield* Effect.forEach(
        Array.from({ length: 20 }),
        () => Effect.flip(callTool(flooder, "begin", { text }, 1_000)),
        { concurrency: "unbounded" }
      )
      const refused = outcomes.filter((error) => error._tag === "ConnectionLost" && !error.maybeExecuted)
      const late = outcomes.filter((error) => error._tag === "CallTimeout")
      assert.strictEqual(refused.length + late.length, 20)
      assert.isAtLeast(late.length, 1)
      assert.isAtMost(late.length, 7)
      assert.isBelow(yield* meanwhile(other, before), ROOM_MB)
    })
  )
})
