import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { linesOf } from "../../../../src/layers/call/AuditLog/auditLines.ts"
import type { QueuedRecord } from "../../../../src/services/call/AuditFeed.ts"
import * as ContentSanitizerLayer from "../../../../src/layers/content/ContentSanitizer.ts"
import * as RedactorLayer from "../../../../src/layers/content/Redactor.ts"
import { personIdOf } from "../../../../src/schemas/login/Identity.ts"
import { parseAuditLine } from "../../../../src/schemas/call/AuditRecord.ts"
import { ContentSanitizer } from "../../../../src/services/content/ContentSanitizer.ts"
import { Redactor } from "../../../../src/services/content/Redactor.ts"

const AT = Date.UTC(2026, 0, 2, 3, 4, 5, 6)
const TIME = "2026-01-02T03:04:05.006Z"
const HASH = "0123456789abcdef".repeat(4)

type Call = Extract<QueuedRecord, { kind: "call" }>

const CALL: Call = {
  at: AT,
  kind: "call",
  agent: "main",
  server: "fs",
  tool: "read_file",
  shape: "{path: string(12)}",
  durationMs: 12.3456,
  outcome: "ok",
  resultChars: 64,
  findings: []
}

const asIs = (text: string, max: number) => text.slice(0, max)
const written = (waiting: QueuedRecord): unknown => JSON.parse(linesOf([waiting], asIs)[0]!)

const border = Layer.provideMerge(ContentSanitizerLayer.layer, RedactorLayer.layer)

describe("lines of the audit log", () => {
  it("a call line has the required fields, and the optional ones that are known", () => {
    assert.deepStrictEqual(written(CALL), {
      v: 1,
      time: TIME,
      kind: "call",
      agent: "main",
      server: "fs",
      tool: "read_file",
      shape: "{path: string(12)}",
      durationMs: 12.3,
      outcome: "ok",
      resultChars: 64,
      findings: []
    })
    const more = {
      client: "client ada",
      callId: "c-1",
      definition: HASH,
      decision: { allowed: false, rule: "gateway.tools.deny: fs/*" },
      findings: [{ kind: "ansi", detail: "ANSI sequences", count: 2 }] as const
    }
    assert.deepInclude(written({ ...CALL, ...more, server: undefined }), { ...more, server: null })
  })

  it("a line names the person and says apart two of one name, in calls and approvals", () => {
    const [ada, otherAda] = ["1", "2"].map((subject) => ({ issuer: "https://login.example.com", subject, name: "Ada" }))
    const lines = linesOf(
      [ada, otherAda, undefined, ada].map((person) => ({ ...CALL, person })),
      asIs
    ).map((line) => parseAuditLine(line)!)
    const people = lines.map((line) => (line.kind === "call" ? [line.person, line.personId] : []))
    assert.deepStrictEqual(people, [
      ["Ada", personIdOf(ada!)],
      ["Ada", personIdOf(otherAda!)],
      [undefined, undefined],
      ["Ada", personIdOf(ada!)]
    ])
    const approval = {
      agent: "main",
      person: ada,
      server: "fs",
      tool: "x",
      definition: HASH,
      answer: "given",
      rule: "r"
    }
    const written = linesOf([{ at: AT, kind: "approval", ...approval } as QueuedRecord], asIs)[0]!
    assert.deepInclude(parseAuditLine(written), { kind: "approval", person: "Ada", personId: personIdOf(ada!) })
    assert.notInclude(written, "answeredBy")
    const answered = ([ada, "operator"] as const).map(
      (answeredBy) => linesOf([{ at: AT, kind: "approval", ...approval, answeredBy } as QueuedRecord], asIs)[0]!
    )
    assert.deepInclude(parseAuditLine(answered[0]!), { answeredBy: "Ada", answeredById: personIdOf(ada!) })
    assert.deepInclude(parseAuditLine(answered[1]!), { answeredBy: "operator" })
    assert.notInclude(answered[1], "answeredById")
  })

  const base: Call = { ...CALL, callId: "c-1", definition: HASH, decision: { allowed: true, rule: "one" } }
  it.each<readonly [string, Partial<Call>]>([
    ["agent", { agent: "other" }],
    ["client", { client: "client ada" }],
    ["server", { server: "web" }],
    ["server that there is none of", { server: undefined }],
    ["tool", { tool: "write_file" }],
    ["name of the call", { callId: "c-2" }],
    ["shape", { shape: "{}" }],
    ["duration", { durationMs: 1 }],
    ["outcome", { outcome: "isError" }],
    ["size", { resultChars: 1 }],
    ["finding", { findings: [{ kind: "ansi", detail: "ANSI sequences", count: 2 }] }],
    ["definition", { definition: "f".repeat(64) }],
    ["decision", { decision: { allowed: false, rule: "one" } }],
    ["rule", { decision: { allowed: true, rule: "two" } }],
    ["time", { at: AT + 1 }]
  ])("a call with another %s than the one before says its own", (_, other) => {
    const calls = [base, { ...base, ...other }, base]
    assert.deepStrictEqual(
      linesOf(calls, asIs).map((line): unknown => JSON.parse(line)),
      calls.map(written)
    )
    assert.notDeepEqual(written(base), written(calls[1]!))
  })

  it("a definition line names the tool that it renames or shadows, sanitized", () => {
    const definition = { at: AT, kind: "definition", server: "web", tool: "get", hash: HASH, pin: "warn" } as const
    for (const [waiting, more] of [
      [{ ...definition, change: "renamed", from: "fetch" }, { from: "fetch" }],
      [{ ...definition, change: "shadowing", shadows: "mail/get" }, { shadows: "mail/get" }]
    ] as const) {
      assert.deepInclude(written(waiting), more)
      const [line] = linesOf([waiting], asIs)
      assert.deepInclude(parseAuditLine(line!), more)
      const [cleaned] = linesOf([waiting], () => "clean")
      assert.deepInclude(parseAuditLine(cleaned!), { [Object.keys(more)[0]!]: "clean" })
    }
  })

  it("a finding, a definition, an approval and a gap become one line each, with their fields", () => {
    const findings = [{ kind: "pattern", detail: "instruction override", count: 1 }] as const
    assert.deepStrictEqual(
      [
        { at: AT, kind: "finding", server: "fs", subject: "tool x", findings } as const,
        {
          at: AT,
          kind: "definition",
          server: "fs",
          tool: "x",
          change: "changed",
          hash: HASH,
          previous: HASH,
          pin: "warn"
        } as const,
        {
          at: AT,
          kind: "definition",
          server: "fs",
          tool: undefined,
          change: "removed",
          hash: undefined,
          pin: "off"
        } as const,
        {
          at: AT,
          kind: "approval",
          agent: "main",
          server: "fs",
          tool: "x",
          definition: HASH,
          answer: "given",
          rule: "ask: fs/*"
        } as const,
        { at: AT, kind: "dropped", count: 7, since: AT - 1 } as const
      ].map(written),
      [
        { v: 1, time: TIME, kind: "finding", server: "fs", subject: "tool x", findings },
        {
          v: 1,
          time: TIME,
          kind: "definition",
          server: "fs",
          tool: "x",
          change: "changed",
          hash: HASH,
          previous: HASH,
          pin: "warn"
        },
        { v: 1, time: TIME, kind: "definition", server: "fs", tool: null, change: "removed", hash: null, pin: "off" },
        {
          v: 1,
          time: TIME,
          kind: "approval",
          agent: "main",
          server: "fs",
          tool: "x",
          definition: HASH,
          answer: "given",
          rule: "ask: fs/*"
        },
        { v: 1, time: TIME, kind: "dropped", count: 7, since: "2026-01-02T03:04:05.005Z" }
      ]
    )
  })

  it.effect("a line made of hostile text is printable, masked, bounded and readable", () =>
    Effect.gen(function* () {
      const secret = "sk-7f3d9a1c55e0"
      ;(yield* Redactor).register(secret)
      const { label } = yield* ContentSanitizer
      const text = `x${secret}\n{"v":1}\u001b[2J\u202e\u{e0041}${"y".repeat(100_000)}`
      const findings = Array.from({ length: 500 }, () => ({ kind: "ansi", detail: text, count: 1 }) as const)
      const decision = { allowed: true, rule: text }
      const shape = `{"${secret}": ${text}}`
      const hostile: ReadonlyArray<QueuedRecord> = [
        {
          ...CALL,
          agent: text,
          server: text,
          tool: text,
          callId: text,
          shape,
          outcome: text,
          findings,
          definition: text,
          decision
        },
        { at: AT, kind: "finding", server: text, subject: text, findings },
        {
          at: AT,
          kind: "definition",
          server: text,
          tool: text,
          change: "changed",
          hash: text,
          previous: text,
          pin: text
        },
        {
          at: AT,
          kind: "approval",
          agent: text,
          server: text,
          tool: text,
          definition: text,
          answer: "asked",
          rule: text
        }
      ]
      for (const line of linesOf(hostile, label)) {
        assert.match(line, /^[\x20-\x7e…]+$/)
        assert.notInclude(line, secret)
        assert.isBelow(line.length, 20_000)
        assert.isDefined(parseAuditLine(line))
      }
    }).pipe(Effect.provide(border))
  )

  it("an invalid time is written as the epoch, and the records around it are written", () => {
    const FIRST = "1970-01-01T00:00:00.000Z"
    for (const at of [Number.NaN, Number.POSITIVE_INFINITY, 8.65e15, undefined] as ReadonlyArray<number>) {
      const gap = { at, kind: "dropped", count: 7, since: at } as const
      const unreadable = { ...CALL, at, findings: null } as unknown as QueuedRecord
      const records = linesOf([CALL, { ...CALL, at }, gap, unreadable, CALL], asIs).map(parseAuditLine)
      assert.deepStrictEqual(
        records.map((record) => [record?.kind, record?.time]),
        [
          ["call", TIME],
          ["call", FIRST],
          ["dropped", FIRST],
          ["dropped", FIRST],
          ["call", TIME]
        ]
      )
    }
  })

  it("an invalid field is written as a default value, and an unreadable record as a dropped one", () => {
    const broken = {
      ...CALL,
      tool: { toString: null },
      durationMs: Number.NaN,
      resultChars: Number.POSITIVE_INFINITY
    } as unknown as QueuedRecord
    const unreadable = { ...CALL, findings: null } as unknown as QueuedRecord
    const records = linesOf([broken, unreadable, CALL], asIs).map(parseAuditLine)
    assert.deepStrictEqual(
      records.map((record) => record?.kind),
      ["call", "dropped", "call"]
    )
    assert.deepInclude(records[0], { tool: "unknown", durationMs: 0, resultChars: 0 })
  })
})
