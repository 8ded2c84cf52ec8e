import { assert, describe, it } from "@effect/vitest"
import { fieldFormat, type FieldFormat, isOfFormat } from "../../../src/schemas/content/FieldFormat.ts"

describe("formats of a form field", () => {
  const fits: ReadonlyArray<readonly [FieldFormat, string]> = [
    ["email", "ada@example.org"],
    ["email", '"a@b"@example.org'],
    ["uri", "https://a.example"],
    ["date", "2024-02-29"],
    ["date-time", "2026-01-31T12:00:00Z"],
    ["date-time", "2026-01-31 12:00:00Z"],
    ["date-time", "2026-01-31t12:00:00.123+01:00"]
  ]
  for (const [format, text] of fits) {
    it(`${JSON.stringify(text)} is valid as ${format}`, () => assert.isTrue(isOfFormat(text, format)))
  }

  const unfit: ReadonlyArray<readonly [FieldFormat, string]> = [
    ["email", "ada"],
    ["email", "@example.org"],
    ["email", "ada@"],
    ["email", "a da@example.org"],
    ["email", "ada\u0001@example.org"],
    ["uri", "a.example"],
    ["date", "2026-02-31"],
    ["date", "2026-1-1"],
    ["date-time", "2026-02-31T12:00:00Z"],
    ["date-time", "2026-01-31T12:00"],
    ["date-time", "2026-01-31T12:00:00"],
    ["date-time", "2026-01-31T12:00:00+0100"],
    ["date-time", "2026-01-31T25:00:00Z"]
  ]
  for (const [format, text] of unfit) {
    it(`${JSON.stringify(text)} is not valid as ${format}`, () => assert.isFalse(isOfFormat(text, format)))
  }

  it("an unknown name of a format is undefined", () => {
    assert.strictEqual(fieldFormat("date"), "date")
    for (const name of ["hasOwnProperty", "__proto__", "binary", "", 7, null, undefined, {}]) {
      assert.isUndefined(fieldFormat(name))
    }
  })
})
