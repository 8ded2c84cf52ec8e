import { assert, describe, it } from "@effect/vitest"
import { NO_FIELDS, serverOf, splitWords } from "../../../../../../src/programs/ui/page/views/Configuration/proposed.ts"

it("splits a command into its words, as one would type it", () => {
  assert.deepStrictEqual(splitWords("  npx -y  @scope/server "), ["npx", "-y", "@scope/server"])
  assert.deepStrictEqual(splitWords(`node "my server.js" --name='a b' x\\ y`), [
    "node",
    "my server.js",
    "--name=a b",
    "x y"
  ])
  assert.deepStrictEqual(splitWords(`say "a \\"b\\" c:\\\\d" ''`), ["say", `a "b" c:\\d`, ""])
  assert.deepStrictEqual(splitWords(`echo $HOME; "open`), ["echo", "$HOME;", "open"])
  assert.isEmpty(splitWords("  "))
})

describe("the form for one more server", () => {
  it("describes a program with its variables, one on each line", () => {
    assert.deepStrictEqual(
      serverOf({ ...NO_FIELDS, name: " notes ", command: "npx notes", env: "A=1\n\n B=secret://env/B \n" }),
      {
        _tag: "Command",
        name: "notes",
        words: ["npx", "notes"],
        env: ["A=1", "B=secret://env/B"]
      }
    )
  })

  it("describes an address, and a server of the registry with the answers that were given", () => {
    assert.deepStrictEqual(serverOf({ ...NO_FIELDS, kind: "Address", name: "n", url: "https://e.example/mcp" }), {
      _tag: "Address",
      name: "n",
      url: "https://e.example/mcp",
      headers: [],
      allowPrivate: false
    })
    assert.deepStrictEqual(
      serverOf({ ...NO_FIELDS, kind: "Listed", listed: "io.github.u/s", values: { A: "1", B: "" } }),
      {
        _tag: "Listed",
        what: "io.github.u/s",
        values: { A: "1" }
      }
    )
  })

  it("describes nothing while something is missing", () => {
    assert.isUndefined(serverOf({ ...NO_FIELDS, command: "npx" }))
    assert.isUndefined(serverOf({ ...NO_FIELDS, name: "n" }))
    assert.isUndefined(serverOf({ ...NO_FIELDS, kind: "Address", name: "n" }))
    assert.isUndefined(serverOf({ ...NO_FIELDS, kind: "Listed" }))
  })
})
