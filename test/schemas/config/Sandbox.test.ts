import { assert, describe, it } from "@effect/vitest"
import { sandboxOf } from "../../../src/schemas/connection/Sandbox.ts"
import { decode, entryErrors, entryWarnings, serverOf, withServer } from "./decoding.ts"

const sandbox = (value: string, env: Readonly<Record<string, string>> = {}) =>
  serverOf(decode(withServer(`{ command: "a", sandbox: ${value} }`), env)).sandbox

const errors = (value: string) => entryErrors(`{ command: "a", sandbox: ${value} }`)

describe("the sandbox of a server entry", () => {
  it("is off by default", () => {
    assert.isFalse(serverOf(decode(withServer(`{ command: "a" }`), {})).sandbox)
    assert.isFalse(sandbox("false"))
    assert.isUndefined(sandboxOf(false))
  })

  it("opens only what is listed", () => {
    const narrow = { read: [], write: [], network: false }
    for (const value of ["true", "{}", "{ filesystem: {} }", "{ network: false }"]) {
      assert.deepStrictEqual(sandboxOf(sandbox(value)), narrow, value)
    }
  })

  it("lists paths with variables, the home directory, or relative to the file", () => {
    const value = `{ filesystem: { read: ["\${DATA}/in", "/abs", "~/notes"], write: ["out"] }, network: true }`
    const { network, read, write } = sandboxOf(sandbox(value, { DATA: "/data" }))!
    assert.isTrue(network)
    assert.includeMembers([...read], ["/data/in", "/abs"])
    assert.isTrue([...read, ...write].every((path) => path.startsWith("/") && !path.includes("~")))
    assert.lengthOf(read, 3)
    assert.match(write[0]!, /\/out$/)
  })

  it("reports each mistake at its place", () => {
    assert.deepStrictEqual(errors(`{ filesystem: { raed: ["/a"] } }`), [
      'x.sandbox.filesystem.raed: unknown key, did you mean "read"?'
    ])
    assert.deepStrictEqual(errors(`{ netwrok: true }`), ['x.sandbox.netwrok: unknown key, did you mean "network"?'])
    assert.deepStrictEqual(errors(`"yes"`), ["x.sandbox: must be true, false or an object, is a string"])
    assert.deepStrictEqual(errors(`{ network: "yes" }`), ['x.sandbox.network: must be true or false, is "yes"'])
    assert.deepStrictEqual(errors(`{ filesystem: { read: "/a" } }`), [
      "x.sandbox.filesystem.read: must be a list of paths, is a string"
    ])
    assert.deepStrictEqual(errors(`{ filesystem: { write: ["/a", ""] } }`), [
      "x.sandbox.filesystem.write[1]: must be a string that is not empty, is empty"
    ])
    assert.lengthOf(errors(`{ filesystem: { read: ["secret://env/DIR"] } }`), 1)
    assert.lengthOf(errors(`{ filesystem: { read: ["\${NEVER_SET}"] } }`), 1)
  })

  it("replaces the sandbox of another place as a whole", () => {
    const text = `{ mcp: { servers: { x: { command: "a", sandbox: { filesystem: { read: ["/a"] }, network: true } } } },
      agents: { defaults: { mcp: { servers: { x: { sandbox: { filesystem: { read: ["/b"] } } } } } } } }`
    assert.deepStrictEqual(sandboxOf(serverOf(decode(text)).sandbox), { read: ["/b"], write: [], network: false })
  })

  it("is refused for a server over HTTP", () => {
    const entry = (value: string) => entryErrors(`{ url: "https://a.example/mcp", sandbox: ${value} }`)
    assert.lengthOf(entry("true"), 1)
    assert.isEmpty(entry("false"))
  })
})

describe("npx or uvx in a sandbox without a network", () => {
  const warnings = (command: string, rest: string) => entryWarnings(`{ command: "${command}", args: ["a"], ${rest} }`)

  it("has a warning", () => {
    for (const command of ["npx", "uvx", "/usr/bin/npx", "bunx"]) {
      for (const sandbox of ["true", "{}", "{ network: false }"]) {
        const [warning, ...more] = warnings(command, `sandbox: ${sandbox}`)
        assert.match(
          warning ?? "",
          /^x\.sandbox: has no network, which "(?:npx|uvx|bunx)" needs to download what it runs/
        )
        assert.isEmpty(more)
      }
    }
  })

  it("has no warning with a network, without a sandbox, for another program or when disabled", () => {
    assert.isEmpty(warnings("npx", "sandbox: { network: true }"))
    assert.isEmpty(warnings("npx", "sandbox: false"))
    assert.isEmpty(warnings("node", "sandbox: true"))
    assert.isEmpty(warnings("npx", "sandbox: true, enabled: false"))
  })
})
