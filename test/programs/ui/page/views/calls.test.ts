/** The list of the view Calls. */
import { assert, describe, it } from "@effect/vitest"
import type { HeardRecord } from "../../../../../src/schemas/control/Events.ts"
import { isAskedFor } from "../../../../../src/schemas/control/Past.ts"
import { filterOf } from "../../../../../src/programs/ui/page/views/Calls/filter.ts"
import { stepsOf } from "../../../../../src/programs/ui/page/views/Calls/steps.ts"
import { below, keyOf, onTop, SHOWN_MAX } from "../../../../../src/programs/ui/page/views/Calls/list.ts"
import { auditApproval, auditCall, auditFinding, oneOfEach } from "../../../../support/auditRecords.ts"

const heard = (second: number): HeardRecord => ({ id: `call-${second}`, record: auditCall(second) })
const ids = (rows: ReadonlyArray<HeardRecord>) => rows.map(({ id }) => id)

describe("the filters of an address", () => {
  it("mean calls without any, and every kind with `all`", () => {
    assert.deepStrictEqual(filterOf({}), { kind: "call" })
    assert.deepStrictEqual(filterOf({ kind: "all" }), {})
    assert.deepStrictEqual(filterOf({ kind: "nonsense" }), {})
    assert.deepStrictEqual(filterOf({ server: "fs", text: "", findings: "yes" }), {
      kind: "call",
      server: "fs",
      findings: true
    })
  })

  it("choose among what comes live as the gateway chooses among what was", () => {
    const record = auditCall(1, { outcome: "isError", tool: "read_file" })
    assert.isTrue(isAskedFor(filterOf({}), record))
    assert.isTrue(isAskedFor(filterOf({ server: "fs", tool: "read_file", agent: "main" }), record))
    assert.isFalse(isAskedFor(filterOf({ client: "client ada" }), record))
    assert.isTrue(isAskedFor(filterOf({ client: "client ada" }), { ...record, client: "client ada" }))
    const adas = { ...record, person: "ada@example.com", personId: "a1" }
    assert.isTrue(isAskedFor(filterOf({ person: "ada@example.com" }), adas))
    assert.isTrue(isAskedFor(filterOf({ person: "a1" }), adas))
    assert.isFalse(isAskedFor(filterOf({ person: "ada" }), adas))
    assert.isFalse(isAskedFor(filterOf({ person: "ada@example.com" }), record))
    const approved = { ...auditApproval(1), person: "ada@example.com", personId: "a1" }
    assert.isTrue(isAskedFor(filterOf({ kind: "all", person: "a1" }), approved))
    assert.isFalse(isAskedFor(filterOf({ server: "web" }), record))
    assert.isTrue(isAskedFor(filterOf({ outcome: "failed" }), record))
    assert.isFalse(isAskedFor(filterOf({ outcome: "failed" }), auditCall(1)))
    assert.isFalse(isAskedFor(filterOf({ outcome: "ok", kind: "all" }), auditApproval(1)))
    assert.isTrue(isAskedFor(filterOf({ text: "READ_f" }), record))
    assert.isFalse(isAskedFor(filterOf({ findings: "yes" }), record))
    assert.isTrue(isAskedFor(filterOf({ kind: "all", findings: "yes" }), auditFinding(1)))
    for (const each of oneOfEach(1)) assert.isTrue(isAskedFor(filterOf({ kind: "all" }), each), each.kind)
  })
})

describe("the picture of calls over time", () => {
  it("has as many minutes as were chosen, also when the gateway has run for less", () => {
    const minute = 60_000
    assert.deepStrictEqual(
      stepsOf([5 * minute, 6 * minute], 3).map((at) => at / minute),
      [3, 4, 5, 6]
    )
    const known = [1, 2, 3, 4].map((each) => each * minute)
    assert.deepStrictEqual(stepsOf(known, 3), known)
    assert.deepStrictEqual(stepsOf(known, 1), known)
  })
})

describe("the list", () => {
  it("has what comes on top, and older pages below, each record once", () => {
    const first = below([], [heard(3), heard(4)])
    assert.deepStrictEqual(ids(first), ["call-4", "call-3"])
    const second = onTop(first, [heard(4), heard(5), heard(6)])
    assert.deepStrictEqual(ids(second), ["call-6", "call-5", "call-4", "call-3"])
    assert.deepStrictEqual(ids(below(second, [heard(1), heard(2), heard(3)])), [
      "call-6",
      "call-5",
      "call-4",
      "call-3",
      "call-2",
      "call-1"
    ])
  })

  it("never grows beyond its limit: the oldest leave", () => {
    const many = Array.from({ length: SHOWN_MAX }, (_, second) => heard(second))
    const full = below([], many)
    const grown = onTop(full, [heard(SHOWN_MAX)])
    assert.strictEqual(grown.length, SHOWN_MAX)
    assert.strictEqual(grown[0]?.id, `call-${SHOWN_MAX}`)
    assert.strictEqual(grown.at(-1)?.id, "call-1")
  })

  it("tells records apart that have no identity of their own", () => {
    const keys = oneOfEach(1).map((record) => keyOf({ record }))
    assert.strictEqual(new Set(keys).size, keys.length)
  })
})
