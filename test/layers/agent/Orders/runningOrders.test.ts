/** What processes of one data directory know of the orders that a gateway works on: real files, a clock of the test. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeUnderway } from "../../../../src/layers/agent/Orders/runningOrders.ts"
import type { AgentEvent } from "../../../../src/schemas/agent/AgentEvent.ts"
import { ORDER_LEFT_MS, ORDER_TOLD_EVERY_MS, ORDER_TOLD_MS } from "../../../../src/schemas/defaults/Orders.ts"
import { markOf } from "../../../../src/schemas/agent/OrderChain.ts"
import type { ToolResult } from "../../../../src/schemas/call/Tool.ts"
import { inFolder as directory } from "../../../support/folder.ts"

const mark = (message: string) => markOf("key", message)

const calls = (message: string, id = "1", name = "self__order_openclaw"): AgentEvent => ({
  _tag: "ToolCall",
  id,
  name,
  args: { message }
})
const answered = (id = "1") => ({ _tag: "ToolResult", id, name: "n", result: {} as ToolResult }) satisfies AgentEvent

const filesIn = (home: string) => readdirSync(join(home, "underway"))
const first = (home: string) =>
  join(
    home,
    "underway",
    filesIn(home).find((name) => name.endsWith(".json"))!
  )

/** One that a gateway sends, after all the time that it is waited for. */
const waited = <A>(look: Effect.Effect<A>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(look)
    yield* TestClock.adjust(ORDER_TOLD_MS + ORDER_TOLD_EVERY_MS)
    return yield* Fiber.join(fiber)
  })

describe("agent requests in progress", () => {
  it.effect("are the origin of a request that matches one of their calls, in every process and once", () =>
    Effect.gen(function* () {
      const home = yield* directory
      const [here, there] = [makeUnderway(home, mark), makeUnderway(home, mark)]
      const at = { chain: [mark("a")], depth: 1 }
      const kept = here.begin(at)
      kept.onEvent(calls("b"))
      assert.deepStrictEqual(yield* there.above(mark("b"), false), at)
      assert.isUndefined(yield* there.above(mark("b"), false))
      kept.end()
      assert.deepStrictEqual(filesIn(home), [])
    })
  )

  it.effect("ignore calls of other tools", () =>
    Effect.gen(function* () {
      const home = yield* directory
      const here = makeUnderway(home, mark)
      here.begin({ chain: [mark("a")], depth: 1 }).onEvent(calls("a", "1", "slack_post"))
      assert.isUndefined(yield* here.above(mark("a"), false))
      assert.isUndefined(yield* here.above(mark("b"), false))
    })
  )

  it.effect("give the same depth to parallel calls", () =>
    Effect.gen(function* () {
      const here = makeUnderway(yield* directory, mark)
      const kept = here.begin({ chain: [mark("a")], depth: 1 })
      for (const id of ["1", "2", "3"]) kept.onEvent(calls("b", id))
      for (let nth = 1; nth <= 3; nth++) {
        const at = yield* here.above(mark("b"), true)
        assert.strictEqual(at?.depth, 1)
        here.begin({ chain: [mark("a"), mark("b")], depth: 2 })
      }
    })
  )

  it.effect("are waited for, because a gateway may report a call after its request arrives", () =>
    Effect.gen(function* () {
      const here = makeUnderway(yield* directory, mark)
      here.begin({ chain: [mark("x"), mark("y")], depth: 2 })
      const kept = here.begin({ chain: [mark("a")], depth: 1 })
      const fiber = yield* Effect.forkChild(here.above(mark("b"), true))
      yield* TestClock.adjust(ORDER_TOLD_EVERY_MS)
      kept.onEvent(calls("b"))
      yield* TestClock.adjust(ORDER_TOLD_EVERY_MS)
      assert.strictEqual((yield* Fiber.join(fiber))?.depth, 1)
    })
  )

  it.effect("count by the deepest one, or by the one with the same message, for an unreported call", () =>
    Effect.gen(function* () {
      const here = makeUnderway(yield* directory, mark)
      assert.isUndefined(yield* here.above(mark("c"), true))
      const [one, two] = [
        { chain: [mark("a")], depth: 1 },
        { chain: [mark("x"), mark("y")], depth: 2 }
      ]
      const kept = here.begin(one)
      here.begin(two)
      assert.deepStrictEqual(yield* waited(here.above(mark("c"), true)), two)
      assert.deepStrictEqual(yield* waited(here.above(mark("a"), true)), one)
      kept.end()
      assert.deepStrictEqual(yield* waited(here.above(mark("a"), true)), two)
    })
  )

  it.effect("count a call through another tool once, although it is reported twice", () =>
    Effect.gen(function* () {
      const here = makeUnderway(yield* directory, mark)
      const kept = here.begin({ chain: [mark("a")], depth: 1 })
      const args = { id: "self__order_openclaw", args: { message: "b" } }
      for (const id of ["1", "2"]) {
        kept.onEvent({ _tag: "ToolCall", id, name: "tool_call", args })
        kept.onEvent(calls("b", `${id}/self__order_openclaw`))
      }
      assert.isDefined(yield* here.above(mark("b"), false))
      assert.isDefined(yield* here.above(mark("b"), false))
      assert.isUndefined(yield* here.above(mark("b"), false))
    })
  )

  it.effect("drop a call when it has been answered", () =>
    Effect.gen(function* () {
      const home = yield* directory
      const here = makeUnderway(home, mark)
      const kept = here.begin({ chain: [mark("a")], depth: 1 })
      kept.onEvent(calls("b"))
      assert.lengthOf(filesIn(home), 2)
      kept.onEvent(answered())
      assert.lengthOf(filesIn(home), 1)
    })
  )

  it.effect("of a killed process count for a while, and are then removed", () =>
    Effect.gen(function* () {
      const home = yield* directory
      const here = makeUnderway(home, mark)
      here.begin({ chain: [mark("a")], depth: 1 }).onEvent(calls("b"))
      const kept = JSON.parse(readFileSync(first(home), "utf8")) as object
      writeFileSync(first(home), JSON.stringify({ ...kept, started: "1" }))
      assert.strictEqual((yield* waited(here.above(mark("c"), true)))?.depth, 1)
      const long = new Date(Date.now() - ORDER_LEFT_MS - 60_000)
      for (const name of filesIn(home)) utimesSync(join(home, "underway", name), long, long)
      assert.isUndefined(yield* here.above(mark("b"), true))
      yield* here.above(mark("b"), true)
      assert.deepStrictEqual(filesIn(home), [])
    })
  )

  it.effect("keep a file that another process is still writing", () =>
    Effect.gen(function* () {
      const home = yield* directory
      const here = makeUnderway(home, mark)
      here.begin({ chain: [mark("a")], depth: 1 })
      const whole = readFileSync(first(home), "utf8")
      writeFileSync(first(home), "")
      assert.isUndefined(yield* here.above(mark("b"), true))
      writeFileSync(first(home), whole)
      assert.strictEqual((yield* waited(here.above(mark("b"), true)))?.depth, 1)
    })
  )

  it.effect("store no message text in their files", () =>
    Effect.gen(function* () {
      const home = yield* directory
      makeUnderway(home, mark)
        .begin({ chain: [mark("a secret plan")], depth: 1 })
        .onEvent(calls("another secret"))
      const all = filesIn(home).map((name) => name + readFileSync(join(home, "underway", name), "utf8"))
      assert.notInclude(all.join(), "secret")
    })
  )

  it.effect("ignore and remove damaged files, and work without a writable directory", () =>
    Effect.gen(function* () {
      for (const text of ["", "null", "[]", '{"depth":1}', "x".repeat(100_000)]) {
        const home = yield* directory
        const here = makeUnderway(home, mark)
        here.begin({ chain: [mark("a")], depth: 1 })
        writeFileSync(first(home), text)
        assert.isUndefined(yield* here.above(mark("b"), true))
        utimesSync(first(home), 0, 0)
        assert.isUndefined(yield* here.above(mark("b"), true))
        assert.deepStrictEqual(filesIn(home), [])
      }
      const nowhere = makeUnderway("/dev/null/x", mark)
      const kept = nowhere.begin({ chain: [mark("a")], depth: 1 })
      kept.onEvent(calls("b"))
      kept.touch()
      kept.end()
      assert.isUndefined(yield* nowhere.above(mark("b"), true))
    })
  )
})
