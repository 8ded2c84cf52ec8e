import { assert, describe, it } from "@effect/vitest"
import { entryErrors, errorsOf } from "./decoding.ts"

const MASK = "is a mask, not a value: it was written back from a display"

describe("a mask in place of a value", () => {
  it("is an error with its line, in env, headers, args, url and a model's key", () => {
    const text = `{ mcpServers: {
      fs: { command: "a", env: {
          TOKEN: "[REDACTED]" },
        args: ["-v",
          "--key=***"] },
      web: { headers: {
          Authorization: "Bearer ***" },
        url: "https://a.example/mcp?token=***" } },
      agents: { defaults: { model: { id: "m",
        apiKey: "__OPENCLAW_REDACTED__" } } } }`
    assert.deepStrictEqual(errorsOf(text), [
      `openclaw.json:3: mcpServers.fs.env.TOKEN: ${MASK}`,
      `openclaw.json:5: mcpServers.fs.args[1]: ${MASK}`,
      `openclaw.json:7: mcpServers.web.headers.Authorization: ${MASK}`,
      `openclaw.json:8: mcpServers.web.url: ${MASK}`,
      `openclaw.json:10: agents.defaults.model.apiKey: ${MASK}`
    ])
  })

  it("is found after variables are put in", () => {
    assert.deepStrictEqual(entryErrors(`{ command: "a", env: { TOKEN: "Bearer \${T}" } }`, { T: "***" }), [
      `x.env.TOKEN: ${MASK}`
    ])
    assert.deepStrictEqual(entryErrors(`{ command: "a", env: { TOKEN: "\${T:-***}" } }`), [`x.env.TOKEN: ${MASK}`])
  })

  it("may be a plain word where the name says that a credential belongs", () => {
    assert.deepStrictEqual(entryErrors(`{ command: "a", env: { API_KEY: "REDACTED", MODE: "REDACTED" } }`), [
      `x.env.API_KEY: ${MASK}`
    ])
    assert.deepStrictEqual(
      entryErrors(`{ url: "https://a.example", headers: { "X-Token": "REDACTED", "X-Mode": "REDACTED" } }`),
      [`x.headers.X-Token: ${MASK}`]
    )
  })

  it("is ignored in a disabled server, and ordinary values are not masks", () => {
    assert.deepStrictEqual(entryErrors(`{ enabled: false, command: "a", env: { TOKEN: "***" } }`), [])
    assert.deepStrictEqual(
      entryErrors(
        `{ command: "a", args: ["**/*.ts", "*", "{secret://file/a b}"], env: { A: "", B: "a*b", C: "{secret://aws/a:b}" } }`
      ),
      []
    )
  })
})
