import { assert, describe, it } from "@effect/vitest"
import { auditSubject, parseAuditLine } from "../../../src/schemas/call/AuditRecord.ts"
import { auditCall, auditDefinition, oneOfEach, timeOf } from "../../support/auditRecords.ts"

const parse = (value: unknown) => parseAuditLine(JSON.stringify(value))

describe("a line of the audit log", () => {
  it("of every kind is read back as it was written", () => {
    for (const record of oneOfEach(0)) assert.deepStrictEqual(parse(record), record)
  })

  it("may have keys and words of a newer version", () => {
    const record = { ...auditCall(0), outcome: "BrandNew", findings: [{ kind: "brandNew", detail: "x", count: 1 }] }
    assert.deepStrictEqual(parse({ ...record, planet: "Mars" }), record)
    assert.deepInclude(parse({ ...auditDefinition(0), change: "brandNew" }), { change: "brandNew" })
  })

  it("is undefined when it is damaged, of another version or not a record", () => {
    const call = auditCall(0)
    const broken: ReadonlyArray<unknown> = [
      null,
      [],
      "x",
      {},
      { ...call, v: 2 },
      { ...call, kind: "other" },
      { ...call, time: "yesterday" },
      { ...call, time: 5 },
      { ...call, durationMs: "5" },
      { ...call, findings: [null] },
      { ...call, server: undefined }
    ]
    for (const value of broken) assert.isUndefined(parse(value), JSON.stringify(value))
    for (const text of ["", "{", '{"v":1', "\u0000", JSON.stringify(call).slice(1)]) {
      assert.isUndefined(parseAuditLine(text))
    }
  })

  it("names its agent, client, person, server and tool", () => {
    const nobody = { agent: null, client: null, person: null, personId: null, server: null, tool: null }
    assert.deepStrictEqual(oneOfEach(0).map(auditSubject), [
      { ...nobody, agent: "main", server: "fs", tool: "read_file" },
      { ...nobody, server: "web", tool: "fetch" },
      { ...nobody, server: "web", tool: "fetch" },
      { ...nobody, agent: "main", server: "fs", tool: "write_file" },
      nobody
    ])
    const ofAda = auditSubject(auditCall(0, { client: "client ada", person: "Ada", personId: "0a" }))
    assert.deepInclude(ofAda, { client: "client ada", person: "Ada", personId: "0a" })
    assert.strictEqual(timeOf(1), "2026-01-01T00:00:01.000Z")
  })
})
