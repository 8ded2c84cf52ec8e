import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { callerAtTerminal, callerOf } from "../../../../src/schemas/call/Caller.ts"
import { personIdOf } from "../../../../src/schemas/login/Identity.ts"
import type { Attributes } from "../../../../src/schemas/telemetry/Operation.ts"
import type { CallRecord } from "../../../../src/services/call/AuditLog.ts"
import { McpRuntime } from "../../../../src/services/call/McpRuntime.ts"
import { Telemetry, type Recorder } from "../../../../src/services/telemetry/Telemetry.ts"
import { McpLiveTest } from "../../../../src/testing.ts"
import { auditInto } from "../../../support/audit.ts"

const USER = callerAtTerminal({ username: "root", uid: 0 })
const ADA = { ...callerOf("cli"), person: { issuer: "https://login.example.com", subject: "1", name: "Ada" } }

/** Calls for the user of the program, for Ada, and for a client without a person. */
const calls = Effect.gen(function* () {
  const { call } = yield* McpRuntime
  yield* call("mcp_a_echo", { text: "x" })
  yield* call("mcp_a_echo", { text: "x" }, { caller: ADA })
  yield* call("mcp_a_echo", { text: "x" }, { caller: callerOf("client bob"), timeoutMs: 1_000 })
})

/** Somebody who is told of spans. */
const recorderOf = (spans: Array<Attributes>, people: boolean): Recorder => ({
  people,
  begin: () => {
    throw new Error("no requests here")
  },
  during: ({ attributes, name }, effect) => {
    if (name.startsWith("execute_tool")) spans.push(attributes ?? {})
    return effect
  },
  sessionEnded: () => {},
  moved: () => {},
  restarted: () => {},
  called: () => {}
})

describe("the person of a call", () => {
  it.effect("is the user of the program, where the call names nobody", () => {
    const records: Array<CallRecord> = []
    const live = McpLiveTest({ a: {} }, { caller: USER, replace: { audit: auditInto(records) } })
    return Effect.gen(function* () {
      yield* calls
      assert.deepStrictEqual(
        records.map(({ client, person }) => [client, person?.name]),
        [
          [undefined, "root"],
          ["cli", "Ada"],
          ["client bob", undefined]
        ]
      )
    }).pipe(Effect.provide(Layer.provideMerge(live, Logger.layer([]))))
  })

  for (const people of [true, false]) {
    it.effect(`is ${people ? "" : "not "}in its span, as the configuration says`, () => {
      const spans: Array<Attributes> = []
      const told = Layer.succeed(Telemetry, { current: recorderOf(spans, people) })
      const live = McpLiveTest({ a: {} }, { caller: USER }).pipe(Layer.provide(told))
      return Effect.gen(function* () {
        yield* calls
        assert.deepStrictEqual(
          spans.map((span) => [span["enduser.id"], span["enduser.pseudo.id"]]),
          people
            ? [
                ["root", personIdOf(USER.person!)],
                ["Ada", personIdOf(ADA.person)],
                [undefined, undefined]
              ]
            : [1, 2, 3].map(() => [undefined, undefined])
        )
      }).pipe(Effect.provide(Layer.provideMerge(live, Logger.layer([]))))
    })
  }
})
