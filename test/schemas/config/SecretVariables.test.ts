import { assert, describe, it } from "@effect/vitest"
import { entryErrors, entryWarnings, warningsOf } from "./decoding.ts"

const missing = (key: string, name: string) =>
  `x.${key}: environment variable ${name} is not set: MCP server 'x' cannot start without secret://env/${name}`

describe("secret://env references", () => {
  it("to a variable that is not set are warned of, wherever they stand and whatever is around them", () => {
    assert.deepStrictEqual(
      entryWarnings(
        `{ command: "a", env: { A: "Bearer secret://env/T1", B: "{secret://env/T2}x", C: "\${NO:-secret://env/T3}" } }`
      ),
      [missing("env.A", "T1"), missing("env.B", "T2"), missing("env.C", "T3")]
    )
    assert.deepStrictEqual(
      entryWarnings(
        `{ url: "https://a.example/?t=secret://env/T1&x=1", headers: { H: "secret://env/T2:secret://env/T3" } }`
      ),
      [missing("headers.H", "T2"), missing("headers.H", "T3"), missing("url", "T1")]
    )
  })

  it("are seen as they are meant, with their variables put in", () => {
    assert.deepStrictEqual(entryWarnings(`{ command: "a", env: { A: "secret://env/\${WHICH}" } }`, { WHICH: "T" }), [
      missing("env.A", "T")
    ])
  })

  it("are not an error: the variable may be there when the server starts", () => {
    assert.deepStrictEqual(entryErrors(`{ command: "a", env: { A: "secret://env/T" } }`), [])
  })

  it("to a variable that is set, even to nothing, are fine", () => {
    const entry = `{ command: "a", env: { A: "secret://env/T", B: "secret://env/EMPTY" } }`
    assert.deepStrictEqual(entryWarnings(entry, { T: "value", EMPTY: "" }), [])
    assert.deepStrictEqual(entryWarnings(`{ command: "a", env: { A: "secret://env/toString" } }`), [
      missing("env.A", "toString")
    ])
  })

  it("of a server that is switched off, or of the other transport, are left alone", () => {
    assert.deepStrictEqual(entryWarnings(`{ enabled: false, command: "a", env: { A: "secret://env/T" } }`), [])
    const other = entryWarnings(`{ command: "a", headers: { H: "secret://env/T" } }`)
    assert.deepStrictEqual(other, ['x.headers: "headers" has no effect with transport "stdio"'])
  })

  it("of a model are warned of, too", () => {
    const text = `{ mcpServers: { a: { command: "a" } }, agents: { defaults: { model: { id: "m", baseUrl: "http://127.0.0.1:1", apiKey: "secret://env/KEY" } } } }`
    assert.deepStrictEqual(warningsOf(text), [
      "openclaw.json:1: agents.defaults.model.apiKey: environment variable KEY is not set: the model cannot be used without secret://env/KEY"
    ])
    assert.deepStrictEqual(warningsOf(text, { KEY: "k" }), [])
  })
})
