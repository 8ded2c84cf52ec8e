import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import JSON5 from "json5"
import {
  addServer,
  type Edit,
  removeServer,
  switchServer,
  type Target
} from "../../../src/schemas/config/EditServers.ts"

const target: Target = { path: "/home/me/openclaw.json", env: {}, home: "/home/me" }
const forAgent = (agent: string): Target => ({ ...target, agent })

const textOf = (edit: Result.Result<Edit, string>): string =>
  Result.isSuccess(edit) ? edit.success.text : assert.fail(edit.failure)
const problem = (edit: Result.Result<Edit, string>): string =>
  Result.isFailure(edit) ? edit.failure : assert.fail(edit.success.text)

const FILE = `// mine
{
  agents: {
    defaults: {
      mcp: {
        servers: {
          files: { command: 'npx' }, // the first
          /* the second */
          notes: {
            url: 'https://notes.example.com/mcp',
            disabled: true,
          }
        },
      },
    },
    list: [
      { id: 'main' },
      { id: 'research', mcp: { servers: { files: { enabled: false }, own: { command: 'own' } } } },
    ], // two agents
  },
}
`

describe("adding a server", () => {
  it("puts it where the others are, and changes nothing else", () => {
    const text = textOf(addServer(FILE, target, "new", { command: "new" }))
    assert.strictEqual(
      text,
      FILE.replace(
        "disabled: true,\n          }",
        `disabled: true,
          },
          "new": {
            "command": "new"
          }`
      )
    )
    assert.deepStrictEqual(JSON5.parse(textOf(addServer("", target, "new", { command: "new" }))), {
      mcp: { servers: { new: { command: "new" } } }
    })
  })

  it("for one agent goes into its own part, which is made where it is missing", () => {
    const text = textOf(addServer(FILE, forAgent("main"), "new", { command: "new" }))
    const { agents } = JSON5.parse<{ agents: { list: ReadonlyArray<unknown> } }>(text)
    assert.deepStrictEqual(agents.list[0], { id: "main", mcp: { servers: { new: { command: "new" } } } })
    assert.include(text, "// two agents")
    assert.include(
      problem(addServer(FILE, forAgent("other"), "new", { command: "new" })),
      "no agent 'other'; it has main, research"
    )
  })

  it("refuses a name that is taken for any agent, and what would not be valid", () => {
    for (const name of ["files", "notes", "own"]) {
      assert.include(problem(addServer(FILE, target, name, { command: "x" })), `there is a server '${name}' already`)
    }
    assert.include(
      problem(addServer(FILE, target, "bad", { comand: "x" })),
      "would not be valid, so nothing was changed"
    )
    assert.include(problem(addServer("{ mcp: ", target, "x", { command: "x" })), "cannot be changed safely")
  })

  it("tells what the file means afterwards", () => {
    const edit = Result.getOrThrow(addServer(FILE, target, "new", { command: "new" }))
    assert.deepStrictEqual(
      edit.config.agents.map(({ id, servers }) => [id, servers.map(({ name }) => name)]),
      [
        ["main", ["files", "new", "notes"]],
        ["research", ["files", "new", "notes", "own"]]
      ]
    )
    assert.strictEqual(edit.config.file, target.path)
  })
})

describe("removing a server", () => {
  it("takes its lines, and what single agents say of it", () => {
    const text = textOf(removeServer(FILE, target, "files"))
    assert.strictEqual(
      text,
      FILE.replace("          files: { command: 'npx' }, // the first\n", "").replace(
        "files: { enabled: false }, ",
        " "
      )
    )
  })

  it("takes the comma before the last one", () => {
    const json =
      '{\n  "mcp": {\n    "servers": {\n      "a": { "command": "a" },\n      "b": { "command": "b" }\n    }\n  }\n}\n'
    assert.deepStrictEqual(JSON.parse(textOf(removeServer(json, target, "b"))), {
      mcp: { servers: { a: { command: "a" } } }
    })
    assert.deepStrictEqual(JSON.parse(textOf(removeServer(json, target, "a"))), {
      mcp: { servers: { b: { command: "b" } } }
    })
    const line = '{"mcp":{"servers":{"a":{"command":"a"},"b":{"command":"b"}}}}'
    assert.strictEqual(textOf(removeServer(line, target, "b")), '{"mcp":{"servers":{"a":{"command":"a"}}}}')
    assert.strictEqual(textOf(removeServer(line, target, "a")), '{"mcp":{"servers":{"b":{"command":"b"}}}}')
    const only = '{ "mcp": { "servers": { "a": { "command": "a" } } } }'
    assert.deepStrictEqual(JSON.parse(textOf(removeServer(only, target, "a"))), { mcp: { servers: {} } })
  })

  it("for one agent takes only what it says", () => {
    const text = textOf(removeServer(FILE, forAgent("research"), "files"))
    assert.include(text, "files: { command: 'npx' }, // the first")
    assert.notInclude(text, "enabled: false")
  })

  it("says what there is, and which agent alone has it", () => {
    assert.include(problem(removeServer(FILE, target, "fils")), "did you mean 'files'?")
    assert.include(problem(removeServer(FILE, target, "zzzzzzz")), "there are: ")
    assert.include(problem(removeServer(FILE, target, "own")), "add --agent research")
  })
})

describe("switching a server", () => {
  it("uses the key that is there", () => {
    assert.strictEqual(
      textOf(switchServer(FILE, target, "notes", true)),
      FILE.replace("disabled: true", "disabled: false")
    )
    assert.strictEqual(textOf(switchServer(FILE, target, "notes", false)), FILE)
    assert.include(
      textOf(switchServer(FILE, target, "files", false)).replace(/\s+/g, " "),
      `files: { command: 'npx', "enabled": false }`
    )
  })

  it("for one agent leaves the others alone", () => {
    const text = textOf(switchServer(FILE, forAgent("main"), "files", false))
    const { agents } = JSON5.parse<{ agents: { list: ReadonlyArray<unknown> } }>(text)
    assert.deepStrictEqual(agents.list[0], { id: "main", mcp: { servers: { files: { enabled: false } } } })
    assert.strictEqual(
      textOf(switchServer(FILE, forAgent("research"), "files", true)),
      FILE.replace("enabled: false", "enabled: true")
    )
    assert.include(problem(switchServer(FILE, forAgent("main"), "zzz", false)), "there is no server 'zzz'")
    assert.include(problem(switchServer(FILE, target, "own", false)), "add --agent research")
  })
})
