import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as AuditLogLayer from "../../../../src/layers/call/AuditLog.ts"
import * as ContentSanitizerLayer from "../../../../src/layers/content/ContentSanitizer.ts"
import * as RedactorLayer from "../../../../src/layers/content/Redactor.ts"
import { makePast } from "../../../../src/layers/control/ControlHandlers/past.ts"
import { makeRemembered } from "../../../../src/layers/control/ControlHandlers/remembered.ts"
import type { ServerLogLine } from "../../../../src/schemas/connection/ServerLogLine.ts"
import type { PastCallsRequest, PastLogsRequest } from "../../../../src/schemas/control/Past.ts"
import type { PastAsked } from "../../../../src/schemas/data/PastPage.ts"
import { AuditLog } from "../../../../src/services/call/AuditLog.ts"
import { ServerLogs } from "../../../../src/services/connection/ServerLogs.ts"

const quiet = Layer.succeed(ServerLogs, { write: () => {}, lines: Stream.never, onLine: () => Effect.void })
const layer = AuditLogLayer.layerUnwritten.pipe(
  Layer.provide(ContentSanitizerLayer.layer),
  Layer.provide(RedactorLayer.layer),
  Layer.merge(quiet)
)

const made = (isWritten: boolean) =>
  Effect.gen(function* () {
    const audit = yield* AuditLog
    const remembered = yield* makeRemembered
    const empty = { past: () => Effect.succeed({ lines: [] }) }
    const past = makePast({
      remembered,
      audit: empty,
      logs: empty,
      isWritten: () => isWritten,
      masked: (value) => value
    })
    const record = (tool: string, outcome: string, agent = "main") =>
      audit.record({
        agent,
        server: "fs",
        tool,
        shape: () => "{}",
        durationMs: 1,
        outcome,
        resultChars: 0,
        findings: outcome === "isError" ? [{ kind: "pattern", detail: "x", count: 1 }] : []
      })
    yield* record("read", "ok")
    yield* record("write", "isError")
    yield* record("read", "PolicyDenied", "other")
    const asked = (given: Partial<PastCallsRequest>) =>
      Effect.map(past.calls({ limit: 10, ...given }), ({ records, ...rest }) => ({
        ...rest,
        found: records.map(({ record: one }) => (one.kind === "call" ? `${one.tool} ${one.outcome}` : one.kind))
      }))
    return asked
  })

describe("records of the past", () => {
  it.effect("are chosen by agent, server, tool, outcome, findings, kind, time and words", () =>
    Effect.gen(function* () {
      const asked = yield* made(false)
      const [first, second, third] = ["read ok", "write isError", "read PolicyDenied"]
      for (const [given, expected] of [
        [{}, [first, second, third]],
        [{ tool: "read" }, [first, third]],
        [{ agent: "other" }, [third]],
        [{ server: "git" }, []],
        [{ outcome: "failed" }, [second, third]],
        [{ outcome: "ok" }, [first]],
        [{ findings: true }, [second]],
        [{ kind: "approval" }, []],
        [{ until: -1 }, []],
        [{ text: "policydenied" }, [third]]
      ] as const) {
        assert.deepStrictEqual((yield* asked(given)).found, [...expected], JSON.stringify(given))
      }
    }).pipe(Effect.provide(layer), Effect.scoped)
  )

  it.effect("come page by page from memory if no file is written", () =>
    Effect.gen(function* () {
      const asked = yield* made(false)
      const newest = yield* asked({ limit: 2 })
      assert.deepStrictEqual(newest.found, ["write isError", "read PolicyDenied"])
      assert.deepStrictEqual(yield* asked({ limit: 2, before: newest.cursor! }), { found: ["read ok"] })
      assert.deepStrictEqual(yield* asked({ before: "nonsense" }), { found: [] })
    }).pipe(Effect.provide(layer), Effect.scoped)
  )

  it.effect("have what has just happened, also while its file is still being written", () =>
    Effect.gen(function* () {
      const asked = yield* made(true)
      assert.strictEqual((yield* asked({})).found.length, 3)
    }).pipe(Effect.provide(layer), Effect.scoped)
  )
})

/** A log of which the files have `written`, and this process has heard `heard`. */
const logged = (written: ReadonlyArray<ServerLogLine>, heard: ReadonlyArray<ServerLogLine>, cursor?: string) =>
  Effect.gen(function* () {
    const remembered = yield* makeRemembered.pipe(
      Effect.provideService(ServerLogs, {
        write: () => {},
        lines: Stream.never,
        onLine: (each) => Effect.sync(() => heard.forEach((line) => each(line)))
      })
    )
    const kept = written.map((record) => ({ text: JSON.stringify(record), record }))
    const files = ({ accepts }: PastAsked<ServerLogLine>) => {
      const lines = kept.filter(({ record }) => accepts(record))
      return Effect.succeed(cursor === undefined ? { lines } : { lines, cursor })
    }
    const past = makePast({
      remembered,
      audit: { past: () => Effect.succeed({ lines: [] }) },
      logs: { past: files },
      isWritten: () => true,
      masked: (value) => value
    })
    return (given: Partial<PastLogsRequest> = {}) =>
      Effect.map(past.logs({ limit: 10, ...given }), ({ lines: found }) => found.map(({ text }) => text))
  })

const line = (second: number, text: string, server = "fs"): ServerLogLine => ({
  v: 1,
  time: new Date(second * 1_000).toISOString(),
  server,
  source: "stderr",
  level: "info",
  text,
  gateway: 1
})

describe("lines of the past", () => {
  const [one, two, twice, other] = [line(1, "one"), line(2, "two"), line(3, "twice"), line(4, "other", "git")]

  it.effect("have what was just written, once, also while its file is still being written", () =>
    Effect.gen(function* () {
      const asked = yield* logged([one, twice], [one, two, twice, twice, other])
      assert.deepStrictEqual(yield* asked({ server: "fs" }), ["one", "two", "twice", "twice"])
      assert.deepStrictEqual(yield* asked({ text: "OTHER" }), ["other"])
      assert.deepStrictEqual(yield* asked({ before: "cursor" }), ["one", "twice"])
    }).pipe(Effect.provide(layer), Effect.scoped)
  )

  it.effect("have nothing that comes with an older page", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 hour")
      const recent = line(3_599, "recent")
      const asked = yield* logged([two], [one, two, recent], "cursor")
      assert.deepStrictEqual(yield* asked(), ["two", "recent"])
    }).pipe(Effect.provide(layer), Effect.scoped)
  )
})
