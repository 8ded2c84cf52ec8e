import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import JSON5 from "json5"
import { scanKeyLines } from "../../../src/schemas/config/KeyLines.ts"
import { formatKeyPath, type KeyPath } from "../../../src/schemas/config/KeyPath.ts"

type Tree = string | number | ReadonlyArray<Tree> | { readonly [key: string]: Tree }

/** Prints a tree as JSON5 with distracting punctuation everywhere, and notes on which line it put each key. */
const print = (tree: Tree, filler: ReadonlyArray<string>) => {
  const lines: Array<readonly [KeyPath, number]> = []
  let text = ""
  let turn = 0
  const fill = () => {
    text += filler.length === 0 ? " " : filler[turn++ % filler.length]!
  }
  const line = () => text.split("\n").length
  const write = (node: Tree, path: KeyPath): void => {
    if (typeof node !== "object") text += JSON.stringify(node)
    else {
      const isList = Array.isArray(node)
      text += isList ? "[" : "{"
      for (const [key, child] of Object.entries(node)) {
        const place = [...path, isList ? Number(key) : key]
        fill()
        lines.push([place, line()])
        if (!isList) {
          text += /^[a-z]+$/.test(key) && turn % 2 === 0 ? key : JSON.stringify(key)
          fill()
          text += ":"
          fill()
        }
        write(child, place)
        fill()
        text += ","
      }
      fill()
      text += isList ? "]" : "}"
    }
  }
  write(tree, [])
  return { text, lines }
}

const word = Arbitrary.schema(
  Schema.Literals(["a", "env", "__proto__", "", "a.b", 'say "hi"', "{", "// no", "/* no", "'", "\n", "ü", "\\"])
)
const leaf: Arbitrary.Arbitrary<Tree> = Arbitrary.schema(
  Schema.Literals(["x", "}", "],[", "//", "\n\n", "'\"", 1, -2.5])
)
const grow = (child: Arbitrary.Arbitrary<Tree>): Arbitrary.Arbitrary<Tree> =>
  Arbitrary.map(
    Arbitrary.all({
      keys: Arbitrary.array(word, { maxLength: 5 }),
      children: Arbitrary.array(child, { minLength: 5, maxLength: 5 }),
      isList: Arbitrary.schema(Schema.Boolean)
    }),
    ({ children, isList, keys }): Tree =>
      isList ? children.slice(0, keys.length) : Object.fromEntries(keys.map((key, i) => [key, children[i]!]))
  )
const tree = grow(grow(grow(leaf)))
const filler = Arbitrary.array(
  Arbitrary.schema(Schema.Literals(["\n", " ", "\r\n", "// {]:\n", "/* \n ', [ */", "\t\n\u00a0", "\ufeff", "/**/"])),
  { maxLength: 6 }
)

describe("scanKeyLines", () => {
  it.prop("gives the line of every key, whatever is around it", [tree, filler], ([value, spaces]) => {
    const { lines, text } = print(value, spaces)
    assert.deepEqual(JSON5.parse<Tree>(text), value)
    const { lineOf } = scanKeyLines(text)
    for (const [path, line] of lines) assert.strictEqual(lineOf(path), line, `${formatKeyPath(path)} in ${text}`)
  })

  it("gives a missing key the line of its parent", () => {
    const { lineOf } = scanKeyLines("{\n  a: {\n    b: 1\n  },\n  list: [\n    { id: 2 }\n  ]\n}")
    assert.strictEqual(lineOf(["a", "missing", "deeper"]), 2)
    assert.strictEqual(lineOf(["list", 0, "name"]), 6)
    assert.strictEqual(lineOf(["list", 7]), 5)
    assert.strictEqual(lineOf(["nothing"]), 1)
  })

  it("reads keys as the parser does: quotes, escapes, line continuations", () => {
    const text = "{\n'it\\'s': 1,\n\"\\u0061b\": 2,\n\\u0063d: 3,\n$x_1: 4,\nlong: 'a\\\nb\\\nc',\nafter: 5}"
    const { lineOf } = scanKeyLines(text)
    assert.deepStrictEqual(
      Object.keys(JSON5.parse<object>(text)).map((key) => lineOf([key])),
      [2, 3, 4, 5, 6, 9]
    )
  })

  it("lists keys given twice in one object, with the line of the one that does not count", () => {
    const { lineOf, repeated } = scanKeyLines('{\n a: { b: 1,\n "b": 2 },\n c: [{ b: 1 }, { b: 2 }],\n a: 3 }')
    assert.deepStrictEqual(repeated, [
      { path: ["a", "b"], line: 2 },
      { path: ["a"], line: 2 }
    ])
    assert.strictEqual(lineOf(["a"]), 5)
  })

  it("reads a million brackets without recursion", () => {
    const depth = 1_000_000
    const { lineOf } = scanKeyLines(`${"[".repeat(depth)}\n1${"]".repeat(depth)}`)
    assert.strictEqual(lineOf(Array.from({ length: depth }, () => 0)), 2)
  })
})

describe("formatKeyPath", () => {
  it("dots plain keys, brackets the others, so that distinct paths have distinct text", () => {
    assert.strictEqual(formatKeyPath([]), "")
    assert.strictEqual(formatKeyPath(["agents", "list", 0, "mcp"]), "agents.list[0].mcp")
    assert.strictEqual(formatKeyPath(["servers", "my-server", "headers", "X-Key"]), "servers.my-server.headers.X-Key")
    assert.strictEqual(formatKeyPath(["servers", "a.b"]), 'servers["a.b"]')
    assert.strictEqual(formatKeyPath(["servers", "a\nb", "0"]), 'servers["a\\nb"]["0"]')
  })
})
