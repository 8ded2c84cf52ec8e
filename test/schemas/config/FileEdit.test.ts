/** One entry in a TOML or YAML file: what is around it stays. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { parse } from "smol-toml"
import { tomlEntryIn, withTomlEntry } from "../../../src/schemas/config/TomlEdit.ts"
import { parseTomlText } from "../../../src/schemas/config/TomlText.ts"
import { withYamlEntry, yamlEntryIn } from "../../../src/schemas/config/YamlEdit.ts"

const entry = { command: "npx", args: ["-y", 'a "b"'], env: { K: "v" } }
const TOML = `# mine
model = "x" # fast

[mcp_servers."a.b"]
command = "old"
note = """
[mcp_servers.fake]
"""
# about the next one

[mcp_servers."a.b".env]
K = "1"

# of the other
[mcp_servers.other]
command = "other"

[tui]
theme = "dark"
`

describe("an entry in a TOML file", () => {
  const edited = (text: string, name: string) => Result.getOrThrow(withTomlEntry(text, ["mcp_servers"], name, entry))

  it("is added at the end, and the text before it stays", () => {
    const after = edited(TOML, "new one")
    assert.isTrue(after.startsWith(TOML))
    assert.deepStrictEqual(tomlEntryIn(after, ["mcp_servers"], "new one"), entry)
    assert.strictEqual(edited(after, "new one"), after)
    assert.deepStrictEqual(tomlEntryIn(edited("", "x"), ["mcp_servers"], "x"), entry)
    assert.deepStrictEqual(tomlEntryIn(edited("a = 1", "x"), ["mcp_servers"], "x"), entry)
  })

  it("replaces an old entry with all its tables", () => {
    const after = edited(TOML, "a.b")
    assert.deepStrictEqual(tomlEntryIn(after, ["mcp_servers"], "a.b"), entry)
    for (const kept of [
      '# mine\nmodel = "x" # fast\n',
      "# of the other\n[mcp_servers.other]\n",
      '[tui]\ntheme = "dark"\n'
    ]) {
      assert.include(after, kept)
    }
    assert.notInclude(after, "fake")
    assert.deepStrictEqual(Object.keys(parse(after)["mcp_servers"] as object).toSorted(), ["a.b", "other"])
  })

  it("is refused where the servers are not tables", () => {
    for (const text of [
      'mcp_servers = { a = { command = "x" } }',
      "mcp_servers = 1",
      "a = ",
      "[[mcp_servers]]\nx = 1"
    ]) {
      assert.isTrue(Result.isFailure(withTomlEntry(text, ["mcp_servers"], "a", entry)), text)
    }
  })

  it("has the line of each key", () => {
    const { lines } = Result.getOrThrow(parseTomlText(TOML))
    assert.deepStrictEqual(
      [
        ["model"],
        ["mcp_servers", "a.b"],
        ["mcp_servers", "a.b", "env", "K"],
        ["mcp_servers", "other", "command"],
        ["tui", "no"]
      ].map((path) => lines.lineOf(path)),
      [2, 4, 12, 16, 18]
    )
  })
})

describe("an entry in a YAML file", () => {
  const YAML = `# mine
GOOSE_MODEL: x   # fast

extensions:
  # the first
  a: { type: stdio, cmd: old }
  b:
    type: builtin
other: [1, 2]
`
  const edited = (text: string, name: string) => Result.getOrThrow(withYamlEntry(text, ["extensions"], name, entry))

  it("is added or replaced with comments and order kept", () => {
    for (const name of ["new", "a"]) {
      const after = edited(YAML, name)
      for (const kept of ["# mine\n", "# fast", "  # the first\n", "type: builtin"]) assert.include(after, kept)
      assert.deepStrictEqual(yamlEntryIn(after, ["extensions"], name), entry)
      assert.strictEqual(edited(after, name), after)
    }
  })

  it("is added to an empty file and under a key without a value", () => {
    for (const text of ["", "# nothing\n", "extensions:\n", "extensions: {}\n"]) {
      assert.deepStrictEqual(yamlEntryIn(edited(text, "x"), ["extensions"], "x"), entry, text)
    }
  })

  it("is refused where the file cannot be read as expected", () => {
    for (const text of ["a: [1", "extensions: 7\n", "- 1\n", "extensions: [1]\n"]) {
      assert.isTrue(Result.isFailure(withYamlEntry(text, ["extensions"], "a", entry)), text)
    }
  })
})
