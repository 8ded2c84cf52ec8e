import { assert, describe, it } from "@effect/vitest"
import { fingerprint } from "../../../src/schemas/connection/ServerConfig.ts"
import { decode, entryErrors, entryWarnings, errorsOf, serverOf, stdioOf, withServer } from "./decoding.ts"

const refused = (name: string, danger: string) => `can ${danger}: if you mean it, allow it with "allowEnv": ["${name}"]`
const CODE = "make an interpreter or a build tool run other code"

describe("names of variables in env", () => {
  it("that make a program run other code are an error with the line and the remedy", () => {
    const text = `{ mcpServers: {
      x: { command: "a", env: {
        SAFE: "1",
        NODE_OPTIONS: "--max-old-space-size=512",
        LD_PRELOAD: "secret://env/X" } },
      y: { command: "a" } } }`
    assert.deepStrictEqual(errorsOf(text), [
      `openclaw.json:4: mcpServers.x.env.NODE_OPTIONS: ${refused("NODE_OPTIONS", CODE)}`,
      `openclaw.json:5: mcpServers.x.env.LD_PRELOAD: ${refused("LD_PRELOAD", "load other libraries into a program")}`
    ])
  })

  it("are allowed by their exact name, which is part of the fingerprint", () => {
    const entry = (allow: string) => `{ command: "a", env: { NODE_OPTIONS: "-x", PYTHONPATH: "/p" }, ${allow} }`
    const both = `allowEnv: ["PYTHONPATH", "\${N}", "PYTHONPATH"]`
    const server = serverOf(decode(withServer(entry(both)), { N: "NODE_OPTIONS" }))
    assert.deepStrictEqual(stdioOf(server).allowEnv, ["NODE_OPTIONS", "PYTHONPATH"])
    assert.deepStrictEqual(stdioOf(server).env, { NODE_OPTIONS: "-x", PYTHONPATH: "/p" })
    const { allowEnv: _, ...launch } = stdioOf(server)
    assert.notStrictEqual(fingerprint(server), fingerprint({ ...server, launch }))
    assert.lengthOf(entryErrors(entry(`allowEnv: ["PYTHONPATH"]`)), 1)
    assert.lengthOf(entryErrors(entry(`allowEnv: []`)), 2)
  })

  it("are allowed without patterns, and one that env does not set has a warning", () => {
    assert.deepStrictEqual(entryErrors(`{ command: "a", env: { NODE_OPTIONS: "-x" }, allowEnv: ["NODE_*", "*"] }`), [
      "x.allowEnv[0]: takes exact names, not patterns",
      "x.allowEnv[1]: takes exact names, not patterns",
      `x.env.NODE_OPTIONS: ${refused("NODE_OPTIONS", CODE)}`
    ])
    assert.deepStrictEqual(entryWarnings(`{ command: "a", env: { A: "1" }, allowEnv: ["NODE_OPTIONS"] }`), [
      'x.allowEnv[0]: allows a variable that "env" does not set'
    ])
    assert.deepStrictEqual(entryErrors(`{ command: "a", allowEnv: "NODE_OPTIONS" }`), [
      "x.allowEnv: must be a list of names, is a string"
    ])
  })

  it("merge by name, and allowEnv as a whole", () => {
    const text = (allow: string) => `{
      mcp: { servers: { x: { command: "a", env: { NODE_OPTIONS: "-x" }, allowEnv: ["NODE_OPTIONS"] } } },
      agents: { list: [{ id: "a", mcp: { servers: { x: { env: { PYTHONPATH: "/p" } ${allow} } } } }] }
    }`
    assert.lengthOf(errorsOf(text("")), 1)
    assert.lengthOf(errorsOf(text(`, allowEnv: ["PYTHONPATH"]`)), 1)
    assert.lengthOf(errorsOf(text(`, allowEnv: ["PYTHONPATH", "NODE_OPTIONS"]`)), 0)
  })

  it("of a disabled server or one over HTTP are not checked", () => {
    assert.deepStrictEqual(entryErrors(`{ enabled: false, command: "a", env: { NODE_OPTIONS: "-x" } }`), [])
    assert.deepStrictEqual(
      entryWarnings(`{ url: "https://a.example", env: { NODE_OPTIONS: "-x" }, allowEnv: ["A"] }`),
      ['x.env: "env" has no effect with transport "http"', 'x.allowEnv: "allowEnv" has no effect with transport "http"']
    )
  })

  it("that are invalid are an error, also for a disabled server", () => {
    assert.deepStrictEqual(entryErrors(`{ enabled: false, command: "a", env: { "A=B": "1", "": "2" } }`), [
      'x.env["A=B"]: is not a valid name of an environment variable',
      'x.env[""]: is not a valid name of an environment variable'
    ])
  })
})
