import { assert, describe, it } from "@effect/vitest"
import { decode, entryWarnings, warningsOf } from "./decoding.ts"

const envWarnings = (name: string, value: string) =>
  entryWarnings(`{ command: "a", env: { ${JSON.stringify(name)}: ${value} } }`, { V: "from-the-environment", T: "set" })

const plaintext = (name: string) =>
  `x.env.${name}: MCP server 'x' has plaintext credentials in config (env.${name}): consider secret:// references`
const withModel = (apiKey: string) =>
  `{ mcpServers: { x: { command: "a" } }, agents: { defaults: { model: { id: "m", apiKey: "${apiKey}" } } } }`

describe("plaintext credentials", () => {
  it("in env are reported by key, never by value", () => {
    const names =
      "API_KEY apiKey TOKEN GITHUB_TOKEN DB_PASSWORD PGPASSWD CLIENT_SECRET AUTHORIZATION SESSION_COOKIE CREDENTIAL " +
      "BASIC_AUTH KEY PASSPHRASE OAUTH"
    for (const name of names.split(" ")) {
      assert.deepStrictEqual(envWarnings(name, `"hunter2"`), [plaintext(name)], name)
    }
  })

  it("in headers, the query of a URL and a model are reported", () => {
    const entry = `{ url: "https://a.example/mcp?q=1&api_key=abc&token=\${V}", headers: { Authorization: "Bearer abc" } }`
    assert.deepStrictEqual(
      entryWarnings(entry, { V: "v" }).map((line) => line.replace(/^.*has /, "")),
      ["headers.Authorization", "url ?api_key"].map(
        (place) => `plaintext credentials in config (${place}): consider secret:// references`
      )
    )
    assert.deepStrictEqual(warningsOf(withModel("sk-abc")), [
      "openclaw.json:1: agents.defaults.model.apiKey: the model has a plaintext apiKey in config: consider a secret:// reference"
    ])
    assert.deepStrictEqual(warningsOf(withModel("${V}"), { V: "v" }), [])
  })

  it("are reported with their line", () => {
    const text = '{ mcpServers: { x: {\n command: "a", env: {\n A_KEY: "1a",\n B: "b",\n C_KEY: "1c" } } } }'
    assert.deepStrictEqual(
      decode(text).warnings.map(({ line, path }) => `${line} ${path}`),
      ["3 mcpServers.x.env.A_KEY", "5 mcpServers.x.env.C_KEY"]
    )
  })

  it("are reported once for all agents, also of a disabled server", () => {
    const text = `{
      mcp: { servers: { x: { enabled: false, command: "a", env: { API_KEY: "abc" } } } },
      agents: { list: [{ id: "a" }, { id: "b" }] }
    }`
    assert.lengthOf(warningsOf(text), 1)
  })

  it("do not include references and variables, also after a scheme such as Bearer", () => {
    for (const value of [
      "secret://vault/kv/mcp/k",
      "Bearer secret://env/T",
      "${V}",
      "Bearer ${V}",
      "${V}:${V}",
      "${V:-}",
      ""
    ]) {
      assert.deepStrictEqual(envWarnings("API_KEY", JSON.stringify(value)), [], value)
    }
  })

  it("include literal text beside a variable, and a variable's default", () => {
    for (const value of ["${NOT_SET:-hunter2}", "${V:-hunter2}", "prefix${V}", "Bearer hunter2", "!!!"]) {
      assert.deepStrictEqual(envWarnings("API_KEY", JSON.stringify(value)), [plaintext("API_KEY")], value)
    }
  })

  it("do not include names that only look similar, nor paths of credential files", () => {
    const harmless = [
      ["HOME", `"abc"`],
      ["AUTHOR", `"Ada"`],
      ["KEYBOARD", `"us"`],
      ["AUTH_ENABLED", `"true"`],
      ["USE_TOKEN", "false"],
      ["MAX_TOKENS", "4096"],
      ["GOOGLE_APPLICATION_CREDENTIALS", `"/etc/key.json"`],
      ["SSL_KEY_FILE", `"~/k.pem"`]
    ] as const
    for (const [name, value] of harmless) assert.deepStrictEqual(envWarnings(name, value), [], name)
    const inline = "GOOGLE_APPLICATION_CREDENTIALS"
    assert.deepStrictEqual(envWarnings(inline, `"{...}"`), [plaintext(inline)])
    assert.deepStrictEqual(envWarnings("API_KEY", `"/looks/like/a/path"`), [plaintext("API_KEY")])
  })

  it("include a secret among the arguments, which process lists show", () => {
    assert.deepStrictEqual(entryWarnings(`{ command: "a", args: ["-k", "secret://env/K"] }`, { K: "set" }), [
      "x.args[1]: MCP server 'x' gets a secret as an argument, which every process list shows: prefer env"
    ])
  })
})
