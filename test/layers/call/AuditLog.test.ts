import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import * as References from "effect/References"
import * as TestClock from "effect/testing/TestClock"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as AuditLogLayer from "../../../src/layers/call/AuditLog.ts"
import * as ContentSanitizerLayer from "../../../src/layers/content/ContentSanitizer.ts"
import * as RedactorLayer from "../../../src/layers/content/Redactor.ts"
import { AUDIT_CURRENT, auditDirectory } from "../../../src/schemas/call/AuditFiles.ts"
import { parseAuditLine } from "../../../src/schemas/call/AuditRecord.ts"
import { METRIC_SERIES_MAX } from "../../../src/schemas/defaults/Audit.ts"
import type { FindingKind } from "../../../src/schemas/content/Finding.ts"
import { AuditLog, type CallRecord } from "../../../src/services/call/AuditLog.ts"
import { Redactor } from "../../../src/services/content/Redactor.ts"
import { HASH } from "../../support/auditRecords.ts"
import { inFolder } from "../../support/folder.ts"

const RECORD: CallRecord = {
  agent: "main",
  server: "fs",
  tool: "read_file",
  shape: () => "{path: string(12)}",
  durationMs: 12.4,
  outcome: "ok",
  resultChars: 64,
  findings: []
}

const countOf = (state: object) => ("count" in state ? state.count : undefined)

interface Line {
  readonly level: string
  readonly text: string
  readonly annotations: Readonly<Record<string, unknown>>
}

/** Runs with a registry and a log of its own. */
const observed = <A, E>(level: "Debug" | "Info", program: (lines: Array<Line>) => Effect.Effect<A, E, AuditLog>) =>
  Effect.suspend(() => {
    const lines: Array<Line> = []
    const capture = Logger.make<unknown, void>(({ fiber, logLevel, message }) => {
      const text = Array.isArray(message) ? message.join(" ") : String(message)
      lines.push({ level: logLevel, text, annotations: fiber.getRef(References.CurrentLogAnnotations) })
    })
    return program(lines).pipe(
      Effect.provide(
        Layer.mergeAll(AuditLogLayer.layer, Logger.layer([capture]), Layer.succeed(References.MinimumLogLevel, level))
      ),
      Effect.provideService(Metric.MetricRegistry, new Map())
    )
  })

const record = Effect.fnUntraced(function* (change: Partial<CallRecord> = {}) {
  yield* (yield* AuditLog).record({ ...RECORD, ...change })
})

describe("AuditLog", () => {
  it.effect("writes one debug line per call, with the record as annotations", () =>
    observed("Debug", (lines) =>
      Effect.gen(function* () {
        yield* record()
        assert.deepStrictEqual(lines, [
          {
            level: "Debug",
            text: "tools/call fs/read_file ok 12 ms",
            annotations: { ...RECORD, shape: RECORD.shape() }
          }
        ])
      })
    )
  )

  it.effect("logs findings in a result as a warning, also at level Info", () =>
    observed("Info", (lines) =>
      Effect.gen(function* () {
        yield* record({ findings: [{ kind: "pattern", detail: "instruction override (English)", count: 2 }] })
        assert.deepStrictEqual(
          lines.map(({ level, text }) => [level, text]),
          [["Warn", "tools/call fs/read_file: suspicious: pattern: instruction override (English) (2)"]]
        )
      })
    )
  )

  it.effect("logs a call without a server with ? in its place", () =>
    observed("Debug", (lines) =>
      Effect.gen(function* () {
        yield* record({ server: undefined, tool: "nope", outcome: "ToolNotFound" })
        assert.strictEqual(lines[0]?.text, "tools/call ?/nope ToolNotFound 12 ms")
        assert.isNull(lines[0]?.annotations["server"])
      })
    )
  )

  it.effect("writes no line for a call at level Info, and still counts it", () =>
    observed("Info", (lines) =>
      Effect.gen(function* () {
        yield* record()
        assert.deepStrictEqual(lines, [])
        assert.strictEqual((yield* Metric.snapshot).length, 1)
      })
    )
  )

  it.effect("replaces control characters in names, and cuts long names", () =>
    observed("Debug", (lines) =>
      Effect.gen(function* () {
        yield* record({ tool: `x\n[ERROR] forged\u001b[2J\u202e${"y".repeat(5000)}`, server: "a\u2028b" })
        const line = lines[0]!
        for (const text of [line.text, String(line.annotations["tool"]), String(line.annotations["server"])]) {
          assert.match(text, /^[\x20-\x7e]*$/)
          assert.isBelow(text.length, 300)
        }
      })
    )
  )

  it.effect("counts and times calls by server and outcome", () =>
    observed("Info", () =>
      Effect.gen(function* () {
        yield* record()
        yield* record({ durationMs: 100 })
        yield* record({ outcome: "CallTimeout" })
        yield* record({ server: "git" })
        const seen = (yield* Metric.snapshot).map(({ attributes, id, state }) => [
          id,
          attributes?.["mcp_live.server"],
          attributes?.["mcp_live.outcome"],
          countOf(state)
        ])
        assert.sameDeepMembers(seen, [
          ["mcp_live.call.duration", "fs", "ok", 2],
          ["mcp_live.call.duration", "fs", "CallTimeout", 1],
          ["mcp_live.call.duration", "git", "ok", 1]
        ])
      })
    )
  )

  const countersOf = Effect.map(Metric.snapshot, (series) =>
    series.flatMap(({ attributes, id, state }) =>
      id === "mcp_live.findings"
        ? [[attributes?.["mcp_live.server"], attributes?.["mcp_live.finding"], countOf(state)]]
        : []
    )
  )
  const found = (kind: FindingKind, count: number) => ({ kind, detail: `a ${kind}`, count })

  it.effect("logs findings in a definition as a warning with the name of its server", () =>
    observed("Info", (lines) =>
      Effect.gen(function* () {
        const { report } = yield* AuditLog
        yield* report("fs", "tool read_file", [found("ansi", 2), found("pattern", 1)])
        yield* report("fs", "tool write_file", [])
        assert.deepStrictEqual(
          lines.map(({ level, text }) => [level, text]),
          [["Warn", "[fs] tool read_file: suspicious: ansi: a ansi (2), pattern: a pattern (1)"]]
        )
        yield* report("a\nb", `tool x\n[ERROR] forged\u001b[2J\u202e${"y".repeat(5000)}`, [found("ansi", 1)])
        assert.match(lines[1]!.text, /^[\x20-\x7e]{1,400}$/)
      })
    )
  )

  it.effect("counts findings by server and kind, in results and in definitions", () =>
    observed("Info", () =>
      Effect.gen(function* () {
        const { report } = yield* AuditLog
        yield* record({ findings: [found("ansi", 2), found("pattern", 1)] })
        yield* record({ outcome: "ProtocolError", findings: [found("ansi", 1)] })
        yield* record({ server: undefined, findings: [found("ansi", 1)] })
        yield* report("fs", "tool read_file", [found("ansi", 4)])
        yield* report("git", "prompt review", [found("secretEcho", 1)])
        assert.sameDeepMembers(yield* countersOf, [
          ["fs", "ansi", 7],
          ["fs", "pattern", 1],
          ["", "ansi", 1],
          ["git", "secretEcho", 1]
        ])
      })
    )
  )

  it.effect("limits the number of finding counters, and counts further servers as (other)", () =>
    observed("Info", () =>
      Effect.gen(function* () {
        const { report } = yield* AuditLog
        for (let i = 0; i < METRIC_SERIES_MAX + 500; i++) yield* report(`session-${i}`, "tool x", [found("ansi", 2)])
        const counters = yield* countersOf
        assert.strictEqual(counters.length, METRIC_SERIES_MAX + 1)
        assert.deepStrictEqual(
          counters.find(([server]) => server === "(other)"),
          ["(other)", "(other)", 1_000]
        )
      })
    )
  )

  it.effect("limits the number of call metrics, and counts further servers as (other)", () =>
    observed("Info", () =>
      Effect.gen(function* () {
        for (let i = 0; i < METRIC_SERIES_MAX + 500; i++) yield* record({ server: `session-${i}` })
        const series = yield* Metric.snapshot
        assert.strictEqual(series.length, METRIC_SERIES_MAX + 1)
        const other = series.find(({ attributes }) => attributes?.["mcp_live.server"] === "(other)")!
        assert.strictEqual(countOf(other.state), 500)
      })
    )
  )

  it.effect("logs changed definitions and approvals at debug, with control characters in names replaced", () =>
    observed("Debug", (lines) =>
      Effect.gen(function* () {
        const { approval, definition } = yield* AuditLog
        yield* definition({ server: "fs", tool: "x\ny", change: "changed", hash: "abc", pin: "warn" })
        yield* approval({
          agent: "main",
          server: "fs",
          tool: "x",
          definition: "abc",
          answer: "denied",
          rule: "ask: fs/*"
        })
        assert.deepStrictEqual(lines, [
          { level: "Debug", text: "definition fs/x?y changed (pin: warn)", annotations: { hash: "abc" } },
          { level: "Debug", text: "approval fs/x denied", annotations: { agent: "main", rule: "ask: fs/*" } }
        ])
      })
    )
  )

  it.effect('records a call whose arguments cannot be read with the shape "unreadable"', () =>
    observed("Debug", (lines) =>
      Effect.gen(function* () {
        const shape = () => {
          throw new Error("a getter")
        }
        yield* record({ shape })
        assert.strictEqual(lines[0]?.annotations["shape"], "unreadable")
      })
    )
  )
})

describe("AuditLog with files", () => {
  /** Runs with files, and gives what stands in them afterwards. */
  const written = (program: Effect.Effect<void, never, AuditLog | Redactor>) =>
    Effect.gen(function* () {
      const directory = yield* inFolder
      const files = AuditLogLayer.layerFiles({ directory }).pipe(
        Layer.provide(ContentSanitizerLayer.layer),
        Layer.provideMerge(RedactorLayer.layer)
      )
      yield* program.pipe(
        Effect.provide([files, Logger.layer([])]),
        Effect.provideService(Metric.MetricRegistry, new Map())
      )
      const file = join(auditDirectory(directory), AUDIT_CURRENT)
      return readFileSync(file, "utf8").trimEnd().split("\n").map(parseAuditLine)
    }).pipe(Effect.scoped)

  it.effect("writes records of every kind, each with its time, when it closes", () =>
    Effect.gen(function* () {
      const records = yield* written(
        Effect.gen(function* () {
          const audit = yield* AuditLog
          yield* TestClock.setTime(Date.UTC(2026, 0, 1))
          yield* record({ callId: "c-1", definition: HASH, decision: { allowed: true, rule: "*" } })
          yield* TestClock.adjust("1 minute")
          yield* audit.report("fs", "tool x", [{ kind: "ansi", detail: "ANSI sequences", count: 1 }])
          yield* audit.report("fs", "tool y", [])
          yield* audit.definition({ server: "fs", tool: "x", change: "new", hash: HASH, pin: "block" })
          const answered = { agent: "main", server: "fs", tool: "x", definition: HASH, rule: "ask: fs/*" }
          yield* audit.approval({ ...answered, answer: "asked" })
          yield* audit.approval({ ...answered, answer: "given" })
        })
      )
      assert.deepStrictEqual(
        records.map((one) => one?.kind),
        ["call", "finding", "definition", "approval", "approval"]
      )
      assert.deepInclude(records[0], {
        time: "2026-01-01T00:00:00.000Z",
        shape: "{path: string(12)}",
        callId: "c-1",
        definition: HASH,
        decision: { allowed: true, rule: "*" }
      })
      assert.deepInclude(records[1], { time: "2026-01-01T00:01:00.000Z", subject: "tool x" })
    })
  )

  it.effect(
    "masks secrets that become known before a record is written, and uses the time at which the call ended",
    () =>
      Effect.gen(function* () {
        const secret = "sk-7f3d9a1c55e0"
        const [call] = yield* written(
          Effect.gen(function* () {
            const redactor = yield* Redactor
            yield* record({ shape: (rough) => (rough === true ? `{${secret}: number}` : "{}"), endedAt: 1_000 })
            // Known only while it waits.
            redactor.register(secret)
          })
        )
        assert.deepInclude(call, { shape: "{[REDACTED]: number}", time: "1970-01-01T00:00:01.000Z" })
      })
  )

  it.effect("computes the shape of the arguments at once, and only once", () =>
    Effect.gen(function* () {
      let looked = 0
      yield* written(
        Effect.gen(function* () {
          yield* record({ shape: () => `{looked: ${++looked}}` })
          assert.strictEqual(looked, 1, "the shape is made at once")
        })
      )
      assert.strictEqual(looked, 1)
    })
  )
})
