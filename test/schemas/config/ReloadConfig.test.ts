import { assert, describe, it } from "@effect/vitest"
import { DEFAULT_RELOAD } from "../../../src/schemas/config/ReloadConfig.ts"
import { decode, errorsOf, warningsOf } from "./decoding.ts"

const X = `servers: { x: { command: "a" } }`
const inMcp = (reload: string) => `{ mcp: { reload: ${reload}, ${X} } }`

describe('the section "reload" of the configuration', () => {
  it("may be left out or empty: a gateway then follows its file", () => {
    assert.deepStrictEqual(decode(`{ mcp: { ${X} } }`).reload, DEFAULT_RELOAD)
    assert.deepStrictEqual(decode(inMcp("{}")).reload, { watch: true })
  })

  it("accepts every key, under mcp and beside servers", () => {
    assert.deepStrictEqual(decode(inMcp("{ watch: false }")).reload, { watch: false })
    assert.deepStrictEqual(decode(`{ reload: { watch: false }, ${X} }`).reload, { watch: false })
  })

  it("refuses unknown keys and invalid values", () => {
    assert.deepStrictEqual(errorsOf(inMcp(`{ watchs: true, watch: "no" }`)), [
      'openclaw.json:1: mcp.reload.watchs: unknown key, did you mean "watch"?',
      'openclaw.json:1: mcp.reload.watch: must be true or false, is "no"'
    ])
  })

  it("in the wrong place has a warning", () => {
    assert.deepStrictEqual(warningsOf(`{ reload: { watch: false }, mcp: { ${X} } }`), [
      'openclaw.json:1: reload: has no effect here: it belongs under "mcp.reload"'
    ])
  })
})
