import { assert, describe, it } from "@effect/vitest"
import { parseAuditLine } from "../../../src/schemas/call/AuditRecord.ts"
import { withoutPerson } from "../../../src/schemas/call/Forgotten.ts"
import { auditApproval, auditCall } from "../../support/auditRecords.ts"

const ids = new Set(["a1"])
const ada = { person: "Ada", personId: "a1" }
const without = (record: object) => {
  const line = withoutPerson(JSON.stringify(record), ids)
  return line === undefined ? undefined : (parseAuditLine(line) as object)
}

describe("a line of somebody who is forgotten", () => {
  it("stays as it was, without name, id and client, and can be read", () => {
    const call = auditCall(0, { ...ada, client: "Ada by cli 01" })
    assert.deepStrictEqual(without(call), { ...call, person: "forgotten", personId: "forgotten", client: "forgotten" })
    const approval = { ...auditApproval(0), ...ada }
    assert.deepInclude(without(approval), { kind: "approval", person: "forgotten", personId: "forgotten" })
    const self = { ...approval, answeredBy: "Ada", answeredById: "a1" }
    assert.deepInclude(without(self), { answeredBy: "forgotten", answeredById: "forgotten" })
    assert.deepInclude(without({ ...approval, answeredBy: "operator" }), { answeredBy: "operator" })
    assert.deepInclude(without(auditCall(0, { ...ada, client: "operator" })), { client: "operator" })
  })

  it("for which they answered stays that of the other person, without who answered; others who answered for them stay", () => {
    const grace = { person: "Grace", personId: "g1" }
    const byAda = { ...auditApproval(0), ...grace, answeredBy: "Ada", answeredById: "a1" }
    assert.deepStrictEqual(without(byAda), { ...byAda, answeredBy: "forgotten", answeredById: "forgotten" })
    const byGrace = { ...auditApproval(0), ...ada, answeredBy: "Grace", answeredById: "g1" }
    assert.deepInclude(without(byGrace), { personId: "forgotten", answeredBy: "Grace", answeredById: "g1" })
  })

  it("is none of anybody else, and none that cannot be read", () => {
    for (const record of [auditCall(0), auditCall(0, { person: "Ada", personId: "a2" }), { personId: 1 }]) {
      assert.isUndefined(without(record))
    }
    assert.isUndefined(withoutPerson('{"personId":"a1"', ids))
  })
})
