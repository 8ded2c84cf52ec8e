import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { makeGuard } from "../../../../src/layers/call/McpRuntime/secretArguments.ts"
import * as RedactorLayer from "../../../../src/layers/content/Redactor.ts"
import { ARGUMENTS_MAX_CHARS, CIRCUIT_FAILURES } from "../../../../src/schemas/defaults/CallLimits.ts"
import { SECRET_WINDOW_CHARS } from "../../../../src/schemas/defaults/Secrets.ts"
import { TURN_MS } from "../../../../src/schemas/defaults/Wire.ts"
import type { SecretInArguments } from "../../../../src/schemas/call/CallError.ts"
import { McpRuntime } from "../../../../src/services/call/McpRuntime.ts"
import { Redactor } from "../../../../src/services/content/Redactor.ts"
import { McpLiveTest, type TestServer } from "../../../../src/testing.ts"
import { some } from "../../../support/full.ts"
import { serverConfig } from "../../../support/serverConfig.ts"

const THEIRS = 'sk-of-web-"quoted"/zyxw'

const redactorThatKnows = (...values: ReadonlyArray<string>) => {
  const redactor = Effect.runSync(Redactor.pipe(Effect.provide(RedactorLayer.layer)))
  for (const value of values) redactor.register(value, "web")
  return redactor
}

const refusalOf = (guarded: Effect.Effect<void, SecretInArguments>) =>
  Effect.match(guarded, { onFailure: ({ path, what }) => ({ path, what }), onSuccess: () => undefined })

const filled = (unit: string, chars: number) => unit.repeat(Math.ceil(chars / unit.length))

/** Of each kind that is looked at in another way. */
const HARD = ["\x1b[", "a\u200b", "%25", "\\u0041", "%41\\u0042&#67;", "115, ", "a [REDACTED] b ", " ", "\\"]

describe("secretArguments: long arguments", () => {
  const guard = makeGuard(redactorThatKnows(THEIRS))

  it.live("are checked in turns, so that other fibers can run", () =>
    Effect.gen(function* () {
      for (const unit of some(HARD, 4)) {
        let turns = 0
        const other = yield* Effect.forkChild(
          Effect.forever(
            Effect.andThen(
              Effect.yieldNow,
              Effect.sync(() => turns++)
            )
          )
        )
        const args = { text: filled(unit, ARGUMENTS_MAX_CHARS) }
        assert.isUndefined(yield* refusalOf(guard(serverConfig("fs"), "write", args)), JSON.stringify(unit))
        yield* Fiber.interrupt(other)
        assert.isAtLeast(turns, 1, JSON.stringify(unit))
      }
    })
  )

  it.live("are refused for a secret at their end, in a key, in a list or after many other values", () =>
    Effect.gen(function* () {
      const long = filled("All is well here. ", 3 * SECRET_WINDOW_CHARS)
      const spelled = Array.from({ length: 30_000 }, () => 65).concat([...Buffer.from(THEIRS)])
      const cases: ReadonlyArray<readonly [args: unknown, path: string]> = [
        [{ a: { text: long + THEIRS } }, "a.text"],
        [{ a: { text: long + encodeURIComponent(THEIRS) } }, "a.text"],
        [{ a: { [long + THEIRS]: 1 } }, "a"],
        [{ bytes: spelled }, "bytes"],
        [{ many: [...Array.from({ length: 100_000 }, (_, index) => index), THEIRS] }, "many[100000]"],
        [long + THEIRS, ""]
      ]
      for (const [args, path] of cases) {
        assert.deepStrictEqual(yield* refusalOf(guard(serverConfig("fs"), "write", args)), { path, what: "secret" })
      }
      const masked = { token: `${long}\nTOKEN=[REDACTED]\n` }
      assert.deepStrictEqual(yield* refusalOf(guard(serverConfig("fs"), "write", masked)), {
        path: "token",
        what: "mask"
      })
    })
  )

  it.effect("are refused when the check fails or takes too long", () =>
    Effect.gen(function* () {
      const redactor = redactorThatKnows(THEIRS)
      const fails = makeGuard({
        ...redactor,
        holdsForeign: () => {
          throw new RangeError("Maximum call stack size exceeded")
        },
        *holdsForeignInTurns() {
          yield
          throw new RangeError("Maximum call stack size exceeded")
        }
      })
      const unread = { path: "", what: "unread" }
      assert.deepStrictEqual(yield* refusalOf(fails(serverConfig("fs"), "write", { a: "b" })), unread)
      const long = { a: filled("a ", 2 * SECRET_WINDOW_CHARS) }
      assert.deepStrictEqual(yield* refusalOf(fails(serverConfig("fs"), "write", long)), unread)

      const endless = makeGuard(
        {
          ...redactor,
          *holdsForeignInTurns(): Generator<undefined, boolean> {
            for (;;) yield
          }
        },
        () => {},
        2 * TURN_MS
      )
      assert.deepStrictEqual(yield* refusalOf(endless(serverConfig("fs"), "write", long)), unread)
    })
  )
})

describe("McpRuntime: refused arguments", () => {
  let called = 0
  const fs: TestServer = {
    tools: [
      {
        name: "write",
        inputSchema: { type: "object" },
        handle: () => (called++, { content: [{ type: "text", text: "ok" }] })
      }
    ]
  }
  let isBroken = false
  const breaking = Layer.effect(
    Redactor,
    Effect.map(Redactor, (redactor) =>
      Redactor.of({
        ...redactor,
        isEmpty: () => false,
        holdsForeign: (text, owner) => {
          if (isBroken && text === "b") throw new RangeError("Maximum call stack size exceeded")
          return redactor.holdsForeign(text, owner)
        }
      })
    )
  ).pipe(Layer.provide(RedactorLayer.layer))

  it.effect("are not sent and open no circuit when the check fails", () =>
    Effect.gen(function* () {
      const { call } = yield* McpRuntime
      isBroken = true
      for (let round = 0; round < CIRCUIT_FAILURES + 2; round++) {
        const { content, details, isError } = yield* call("mcp_fs_write", { a: "b" })
        assert.isTrue(isError)
        assert.nestedPropertyVal(details, "error.tag", "SecretInArguments")
        assert.nestedPropertyVal(details, "error.maybeExecuted", false)
        assert.match(JSON.stringify(content), /nothing was sent/)
      }
      isBroken = false
      assert.strictEqual(called, 0)
      assert.isFalse((yield* call("mcp_fs_write", { a: "b" })).isError)
      assert.strictEqual(called, 1)
    }).pipe(
      Effect.provide(
        McpLiveTest({ fs }, { replace: { redactor: breaking } }).pipe(Layer.provideMerge(Logger.layer([])))
      )
    )
  )

  it.effect("name the limit when they are too long", () =>
    Effect.gen(function* () {
      const { call } = yield* McpRuntime
      const half = "x".repeat(ARGUMENTS_MAX_CHARS / 2)
      const { content, details } = yield* call("mcp_fs_write", { a: half, b: [{ c: half }] })
      assert.nestedPropertyVal(details, "error.tag", "InvalidArguments")
      assert.include(JSON.stringify(content), String(ARGUMENTS_MAX_CHARS))
    }).pipe(Effect.provide(McpLiveTest({ fs }).pipe(Layer.provideMerge(Logger.layer([])))))
  )
})
