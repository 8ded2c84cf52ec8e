import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { entryIn, withEntry } from "../../../src/schemas/config/JsoncEdit.ts"

const entry = { command: "node", args: ["a", "b"] }
const edited = (text: string, ...section: ReadonlyArray<string>) =>
  Result.getOrThrow(withEntry(text, section.length === 0 ? ["mcpServers"] : section, "openclaw", entry))
const refused = (text: string) => {
  const result = withEntry(text, ["mcpServers"], "openclaw", entry)
  return Result.isFailure(result) ? result.failure : assert.fail(result.success)
}

describe("an entry in a JSONC settings file", () => {
  it("makes the file where there is none", () => {
    for (const text of ["", " \n"]) {
      assert.deepStrictEqual(JSON.parse(edited(text)), { mcpServers: { openclaw: entry } })
    }
  })

  it("is put behind the others in their indentation, and the rest stays", () => {
    const text = `{
    // what I like
    "theme": "dark", /* really */
    "mcpServers": {
        // my own
        "mine": { "command": "x", "args": ["}", "//", "\\"{"], }, // here
    },
    "last": [1, 2,],
}
`
    assert.strictEqual(
      edited(text),
      text.replace(
        `}, // here`,
        `}, // here
        "openclaw": {
            "command": "node",
            "args": [
                "a",
                "b"
            ]
        },`
      )
    )
  })

  it.each([
    ['{\n  "s": {\n    "a": 1\n  }\n}\n', '{\n  "s": {\n    "a": 1,\n    "new": 2\n  }\n}\n'],
    [
      "{\n  s: {\n    a: 1, // one\n    // b: 2\n  }\n}",
      '{\n  s: {\n    a: 1, // one\n    // b: 2\n    "new": 2,\n  }\n}'
    ],
    ["{\n  s: {\n    a: 1 // one\n  }\n}", '{\n  s: {\n    a: 1, // one\n    "new": 2\n  }\n}'],
    ['{ "s": { "a": 1 } }', '{ "s": { "a": 1, "new": 2 } }'],
    ['{ "s": {} }', '{ "s": {\n  "new": 2\n} }']
  ])("is the last one of %j, with a comma where the file has one", (before, after) => {
    assert.strictEqual(Result.getOrThrow(withEntry(before, ["s"], "new", 2)), after)
  })

  it.each([
    ["{}", "an empty file of settings"],
    ['{"a":1}', "one on a single line"],
    ['{ "mcpServers": {} }', "an empty section"],
    ['{"mcpServers":{"x":{"command":"y"}}}', "a section on a single line"],
    ['{\n\t"a": 1\n}', "tabs"],
    ['{\r\n  "mcpServers": {\r\n  }\r\n}\r\n', "line ends of Windows"],
    ["\ufeff{}", "a byte order mark"],
    ["{ // nothing yet\n}", "a comment alone"],
    ['{"mcpServers":{ /* none */ }}', "a section with a comment alone"]
  ])("goes into %j: %s", (text) => {
    const after = edited(text)
    assert.deepStrictEqual(entryIn(after.replace("\ufeff", ""), ["mcpServers"], "openclaw"), entry)
    assert.strictEqual(after.startsWith("\ufeff"), text.startsWith("\ufeff"))
    for (const kept of text.match(/\/\/.*|\/\*.*?\*\/|"x":\{.*?\}|"a": ?1/g) ?? []) assert.include(after, kept)
    assert.strictEqual(/[^\r]\n/.test(after), text.includes("\r\n") ? false : after.includes("\n"))
    assert.strictEqual(edited(after), after)
  })

  it("replaces the entry of the same name only", () => {
    const text = `{"servers": {"a": {"x": 1}, "openclaw": {"command": "old", "args": []}, "b": {"y": [2]}}, "inputs": []}`
    const after = edited(text, "servers")
    assert.deepStrictEqual(JSON.parse(after), {
      servers: { a: { x: 1 }, openclaw: entry, b: { y: [2] } },
      inputs: []
    })
    assert.deepStrictEqual(Object.keys((JSON.parse(after) as { servers: object }).servers), ["a", "openclaw", "b"])
  })

  it("stays as it is when it is there already", () => {
    const text = `{ "mcpServers": { "openclaw": { /* mine */ "command": "node", "args": ["a", "b",] } } }`
    assert.strictEqual(edited(text), text)
  })

  it.each([
    ["[]", "there is no object where one should be"],
    ['{"mcpServers": []}', "there is no object where one should be"],
    ['{"mcpServers": {', "it is not JSON"],
    ["{} {}", "it is not JSON"],
    ['{"mcpServers": {}, "mcpServers": {"x": {}}}', 'it has "mcpServers" twice'],
    ['{"mcpServers": {"openclaw": {"command": "a"}, "openclaw": {"command": "b"}}}', 'it has "openclaw" twice'],
    ['{"mcp\\u0053ervers": {}, "mcpServers": {}}', 'it has "mcpServers" twice'],
    ["not json", "it is not JSON"],
    ['{ "a": 1, // a line\u2028 "mcpServers": {},\n}', "programs do not agree on where one of its comments ends"],
    [`{"a": ${"[".repeat(1000)}`, "it is nested more than 128 levels deep"]
  ])("is not put into %j", (text, why) => {
    assert.strictEqual(refused(text), why)
  })

  it("is put into nested objects, which are made where they are missing", () => {
    const path = ["agents", "defaults", "mcp", "servers"]
    const made = edited("{}", ...path)
    assert.deepStrictEqual(JSON.parse(made), { agents: { defaults: { mcp: { servers: { openclaw: entry } } } } })
    const text = `{
  // all of them
  agents: {
    'defaults': { mcp: { /* none yet */ toolIndex: false } }, // so far
    list: [{ id: 'main' }],
  },
}
`
    const after = edited(text, ...path)
    assert.deepStrictEqual(entryIn(after, path, "openclaw"), entry)
    for (const kept of ["// all of them", "/* none yet */ toolIndex: false", "// so far", "list: [{ id: 'main' }],"]) {
      assert.include(after, kept)
    }
    assert.strictEqual(edited(after, ...path), after)
  })

  it("is written without undefined members", () => {
    const text = Result.getOrThrow(withEntry("{}", ["s"], "a", { command: "x", cwd: undefined }))
    assert.deepStrictEqual(JSON.parse(text), { s: { a: { command: "x" } } })
  })

  it("is not found under names that every object inherits", () => {
    for (const name of ["constructor", "__proto__", "toString"]) {
      assert.isUndefined(entryIn('{"mcpServers": {}}', ["mcpServers"], name))
    }
  })
})
