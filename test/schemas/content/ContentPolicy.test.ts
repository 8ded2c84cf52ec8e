import { assert, describe, it } from "@effect/vitest"
import { DEFAULT_CONTENT_POLICY, strictest, withheldFor } from "../../../src/schemas/content/ContentPolicy.ts"
import { type Finding, FINDING_KINDS } from "../../../src/schemas/content/Finding.ts"

const found = (...kinds: ReadonlyArray<Finding["kind"]>): ReadonlyArray<Finding> =>
  kinds.map((kind) => ({ kind, detail: `some ${kind}`, count: 1 }))

describe("withheldFor", () => {
  it("returns the findings for which a text is withheld, in order", () => {
    const policy = { mode: "delimit", withhold: ["pattern", "ansi"] } as const
    assert.deepStrictEqual(withheldFor(policy, found("ansi", "control", "pattern")), found("ansi", "pattern"))
  })

  it("is empty without findings of those kinds", () => {
    const policy = { mode: "delimit", withhold: ["pattern"] } as const
    assert.deepStrictEqual(withheldFor(policy, []), [])
    assert.deepStrictEqual(withheldFor(policy, found("ansi", "secretEcho")), [])
  })

  it("covers every kind in every mode", () => {
    for (const kind of FINDING_KINDS) {
      for (const mode of ["delimit", "datamark", "encode", "trusted"] as const) {
        assert.deepStrictEqual(withheldFor({ mode, withhold: [kind] }, found(...FINDING_KINDS)), found(kind))
      }
    }
  })

  it("is empty by default", () => {
    assert.deepStrictEqual(withheldFor(DEFAULT_CONTENT_POLICY, found(...FINDING_KINDS)), [])
    assert.strictEqual(DEFAULT_CONTENT_POLICY.mode, "delimit")
  })
})

describe("strictest", () => {
  it("is the strictest of the modes", () => {
    assert.strictEqual(strictest(["trusted", "datamark", "delimit"]), "datamark")
    assert.strictEqual(strictest(["encode", "datamark"]), "encode")
    assert.strictEqual(strictest(["trusted"]), "trusted")
  })

  it("is delimit without modes", () => {
    assert.strictEqual(strictest([]), "delimit")
  })
})
