import { assert, describe, it } from "@effect/vitest"
import { isList, madeShallow } from "../../../../../src/layers/connection/ServerConnector/rpc/lists.ts"
import { JSON_MAX_DEPTH, JSON_MAX_NODES } from "../../../../../src/schemas/defaults/Wire.ts"
import { withinBounds } from "../../../../../src/schemas/data/Json.ts"

const parse = (text: string) => JSON.parse(text) as Record<string, unknown>
const nested = (open: string, close: string, depth: number) => `${open.repeat(depth)}${close.repeat(depth)}`

describe("a list with a definition that is nested too deep", () => {
  for (const depth of [JSON_MAX_DEPTH, 10_000, 100_000, 1_000_000]) {
    for (const [what, value] of [
      ["lists", nested("[", "]", depth)],
      ["objects", `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`],
      ["both", nested('{"a":[', "]}", depth / 2)]
    ] as const) {
      it(`is cut to the maximum depth, and keeps the other entries: ${depth} ${what}`, () => {
        const answer = parse(`{"result":{"tools":[{"name":"a"},{"name":"deep","inputSchema":${value}},{"name":"b"}]}}`)
        assert.isFalse(withinBounds(answer))
        assert.isTrue(madeShallow(answer))
        assert.isTrue(withinBounds(answer))
        const { tools } = answer["result"] as { tools: ReadonlyArray<{ name: string }> }
        assert.deepStrictEqual(
          tools.map(({ name }) => name),
          ["a", "deep", "b"]
        )
      })
    }
  }

  it("is cut exactly at the maximum depth", () => {
    const levels = (depth: number) => parse(`{"a":${nested("[", "]", depth - 1)}}`)
    const whole = levels(JSON_MAX_DEPTH)
    madeShallow(whole)
    assert.deepStrictEqual(whole, levels(JSON_MAX_DEPTH))
    const cut = levels(JSON_MAX_DEPTH + 1)
    madeShallow(cut)
    assert.strictEqual(
      JSON.stringify(cut),
      `{"a":${"[".repeat(JSON_MAX_DEPTH - 1)}null${"]".repeat(JSON_MAX_DEPTH - 1)}}`
    )
  })

  it("is cut at properties of any name", () => {
    const deep = (inner: string) =>
      parse(`${'{"__proto__":'.repeat(JSON_MAX_DEPTH)}${inner}${"}".repeat(JSON_MAX_DEPTH)}`)
    const answer = deep('{"x":1}')
    madeShallow(answer)
    assert.deepStrictEqual(JSON.stringify(answer), JSON.stringify(deep("null")))
    assert.isUndefined(({} as Record<string, unknown>)["x"])
  })

  it("is refused when it has too many nodes", () => {
    assert.isFalse(madeShallow({ result: Array.from({ length: JSON_MAX_NODES + 1 }, () => 1) }))
  })
})

describe("lists", () => {
  it("are the four list methods for definitions", () => {
    for (const method of ["tools/list", "resources/list", "resources/templates/list", "prompts/list"]) {
      assert.isTrue(isList(method), method)
    }
    for (const method of ["tools/call", "roots/list", "initialize", undefined]) assert.isFalse(isList(method), method)
  })
})
