import { assert, describe, it } from "@effect/vitest"
import JSON5 from "json5"
import { brokenBound } from "../../../src/schemas/config/ConfigBounds.ts"
import { CONFIG_MAX_VALUES } from "../../../src/schemas/defaults/Configuration.ts"
import { JSON_MAX_DEPTH } from "../../../src/schemas/defaults/Wire.ts"

const DEEP = "[".repeat(JSON_MAX_DEPTH + 1)
const TOO_DEEP = `is nested more than ${JSON_MAX_DEPTH} levels deep`

describe("the bounds of a configuration text", () => {
  it("allow the last level and the last value within them", () => {
    const texts = [
      "[".repeat(JSON_MAX_DEPTH) + "]".repeat(JSON_MAX_DEPTH),
      `[${"[],".repeat(200)}]`,
      `[${"1,".repeat(CONFIG_MAX_VALUES - 1)}]`
    ]
    for (const text of texts) assert.isUndefined(brokenBound(text))
  })

  it("are broken at the first level or value too many", () => {
    assert.deepStrictEqual(brokenBound(` ${DEEP}`), { index: JSON_MAX_DEPTH + 1, message: TOO_DEEP })
    assert.strictEqual(brokenBound('{"a":'.repeat(JSON_MAX_DEPTH + 1))?.message, TOO_DEEP)
    for (const value of ["1,", "{},", "a:1,"]) {
      const message = `has more than ${CONFIG_MAX_VALUES} values`
      assert.strictEqual(brokenBound(`[${value.repeat(CONFIG_MAX_VALUES)}]`)?.message, message)
    }
  })

  const hidden = [
    `["${DEEP}"]`,
    `['${DEEP}']`,
    `["'${DEEP}"]`,
    `["\\"${DEEP}"]`,
    `["\\\\\\"${DEEP}"]`,
    `["\\\n${DEEP}"]`,
    `["\\\r\n${DEEP}"]`,
    `["\u2028${DEEP}"]`,
    `[/*${DEEP}*/]`,
    `[/*"*/"${DEEP}"]`,
    `[//${DEEP}\n]`,
    `{'a'://"\r"${DEEP}"}`
  ]
  for (const text of hidden) {
    it(`do not count brackets in strings and comments: ${JSON.stringify(text.replace(DEEP, "…"))}`, () => {
      assert.isOk(JSON5.parse(text))
      assert.isUndefined(brokenBound(text))
    })
  }

  for (const before of ['"a",', "'a\\'\"',", '"\\\\",', '"\\\r\n",', "/**/", "/*/*/", "//'\n", '//"\r', "//\u2028"]) {
    it(`count brackets after ${JSON.stringify(before)}`, () => {
      assert.isOk(JSON5.parse(`[${before}[]]`))
      assert.strictEqual(brokenBound(`[${before}${DEEP}`)?.message, TOO_DEEP)
    })
  }

  it("leave text that is not JSON5 to the parser", () => {
    for (const before of ['"a\n', "'a\r", '"a', "/*", "/", "/x", "//"]) {
      assert.isUndefined(brokenBound(`[${before}${DEEP}`))
      assert.throws(() => JSON5.parse(`[${before}`), /^JSON5/)
    }
  })
})
