import { assert, describe, it } from "@effect/vitest"
import { helpAt, keysAt } from "../../../../../../src/programs/ui/page/views/Configuration/schemaHelp.ts"
import { CONFIG_SCHEMA } from "../../../../../../src/schemas/config/ConfigSchema.ts"

const SERVER = ["agents", "defaults", "mcp", "servers", "files"]

describe("the help for a place in the configuration", () => {
  it("says what a key is for, of which type, and what counts without it", () => {
    const help = helpAt(CONFIG_SCHEMA, [...SERVER, "enabled"])
    assert.isTrue(help.isKnown)
    assert.match(help.about, /false disables the server/)
    assert.deepStrictEqual([help.type, help.fallback], ["boolean", "true"])
  })

  it("lists the values of a key that has only some", () => {
    assert.includeMembers([...helpAt(CONFIG_SCHEMA, [...SERVER, "transport"]).allowed], ['"stdio"', '"http"'])
  })

  it("follows names of any kind, lists, references and alternatives", () => {
    assert.strictEqual(helpAt(CONFIG_SCHEMA, ["agents", "list", 0, "id"]).type, "string")
    assert.strictEqual(helpAt(CONFIG_SCHEMA, ["mcpServers", "any name", "args"]).type, "list of string or number")
    assert.isTrue(helpAt(CONFIG_SCHEMA, [...SERVER, "sandbox", "filesystem", "read"]).isKnown)
    assert.isTrue(helpAt(CONFIG_SCHEMA, [...SERVER, "auth", "clientId"]).isKnown)
  })

  it("does not know what is not there, and takes no word of JavaScript for a key", () => {
    assert.isFalse(helpAt(CONFIG_SCHEMA, [...SERVER, "comand"]).isKnown)
    assert.isFalse(helpAt(CONFIG_SCHEMA, ["agents", "defaults", "mcp", "constructor"]).isKnown)
    assert.isFalse(helpAt(undefined, ["agents"]).isKnown)
  })

  it("ends at a schema that refers to itself", () => {
    const circle = { definitions: { a: { $ref: "#/definitions/a" } }, properties: { a: { $ref: "#/definitions/a" } } }
    assert.isTrue(helpAt(circle, ["a"]).isKnown)
  })
})

describe("the keys that can be added", () => {
  const names = (present: ReadonlyArray<string>) => keysAt(CONFIG_SCHEMA, SERVER, present).map(({ name }) => name)

  it("are those that the object does not have yet", () => {
    assert.includeMembers(names([]), ["command", "args", "url"])
    assert.notInclude(names(["command"]), "command")
  })

  it("are neither other names for a key nor keys that are refused there", () => {
    assert.notInclude(names([]), "disabled")
    assert.notInclude(
      keysAt(CONFIG_SCHEMA, ["agents", "defaults"], []).map(({ name }) => name),
      "mcpServers"
    )
  })

  it("are none where names are free", () => {
    assert.isEmpty(keysAt(CONFIG_SCHEMA, SERVER.slice(0, -1), []))
  })
})
