import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import type { ServerConnection, ServerConnector } from "../../src/services/connection/ServerConnector.ts"
import { hostile, shell } from "../fixtures/servers.ts"
import { alive } from "../support/alive.ts"
import { callTool, connectorLayer, httpConfig, open, openHostile, stdioConfig, textOf } from "../support/connector.ts"

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

/** The hostile server over HTTP in a process of its own: what it does takes nobody's time here. */
const openElsewhere = Effect.fnUntraced(function* (name: string) {
  const { args, command } = hostile(name, "--transport=http")
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] })),
    (started) => Effect.sync(() => started.kill("SIGKILL"))
  )
  const [url] = (yield* Effect.promise(() => once(createInterface({ input: child.stdout }), "line"))) as [string]
  return yield* open(httpConfig(url))
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
    "single-bytes",
    "keys-notifications"
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
    ["empty-objects-answer", "ProtocolError"],
    ["nests-answer", "ProtocolError"],
    ["keys-answer", "ProtocolError"],
    ["strings-answer", "ProtocolError"]
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

  for (const kind of ["comments", "newlines", "notes"]) {
    scenario(
      `gushes ${kind} over HTTP: the calls of others are answered while it does`,
      Effect.gen(function* () {
        const [other, flooder] = [yield* openOther, yield* openElsewhere(`gush:${kind}`)]
        const before = process.memoryUsage().rss
        const call = yield* Effect.forkChild(Effect.exit(callTool(flooder, "echo", {}, 60_000)), {
          startImmediately: true
        })
        assert.isBelow(yield* meanwhile(other, before), ROOM_MB)
        assert.isUndefined(call.pollUnsafe(), "it still does")
        yield* Fiber.interrupt(call)
      })
    )
  }

  scenario(
    "an event over HTTP that goes on for ever, in short lines: fails its call with MessageTooLarge, and no other",
    Effect.gen(function* () {
      const [other, flooder] = [yield* openOther, yield* openElsewhere("gush:lines")]
      const before = process.memoryUsage().rss
      const error = yield* Effect.flip(callTool(flooder, "echo", {}, 60_000))
      assert.strictEqual(error._tag, "MessageTooLarge")
      assert.isBelow(yield* meanwhile(other, before), ROOM_MB)
    })
  )
})
