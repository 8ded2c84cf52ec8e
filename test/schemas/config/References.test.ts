import { assert, describe, it } from "@effect/vitest"
import { decodeValue, entryErrors, entryWarnings, errorsOf, warningsOf } from "./decoding.ts"

const missing = (key: string, name: string) =>
  `x.${key}: environment variable ${name} is not set: MCP server 'x' cannot start without secret://env/${name}`

describe("secret://env references", () => {
  it("to an unset variable have a warning, in any key and with any text around them", () => {
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

  it("are checked after variables are put in", () => {
    assert.deepStrictEqual(entryWarnings(`{ command: "a", env: { A: "secret://env/\${WHICH}" } }`, { WHICH: "T" }), [
      missing("env.A", "T")
    ])
  })

  it("to an unset variable are not an error", () => {
    assert.deepStrictEqual(entryErrors(`{ command: "a", env: { A: "secret://env/T" } }`), [])
  })

  it("to a variable that is set or empty have no warning", () => {
    const entry = `{ command: "a", env: { A: "secret://env/T", B: "secret://env/EMPTY" } }`
    assert.deepStrictEqual(entryWarnings(entry, { T: "value", EMPTY: "" }), [])
    assert.deepStrictEqual(entryWarnings(`{ command: "a", env: { A: "secret://env/toString" } }`), [
      missing("env.A", "toString")
    ])
  })

  it("of a disabled server or the other transport are ignored", () => {
    assert.deepStrictEqual(entryWarnings(`{ enabled: false, command: "a", env: { A: "secret://env/T" } }`), [])
    const other = entryWarnings(`{ command: "a", headers: { H: "secret://env/T" } }`)
    assert.deepStrictEqual(other, ['x.headers: "headers" has no effect with transport "stdio"'])
  })

  it("of a model to an unset variable have a warning", () => {
    const text = `{ mcpServers: { a: { command: "a" } }, agents: { defaults: { model: { id: "m", baseUrl: "http://127.0.0.1:1", apiKey: "secret://env/KEY" } } } }`
    assert.deepStrictEqual(warningsOf(text), [
      "openclaw.json:1: agents.defaults.model.apiKey: environment variable KEY is not set: the model cannot be used without secret://env/KEY"
    ])
    assert.deepStrictEqual(warningsOf(text, { KEY: "k" }), [])
  })
})

const withModel = (apiKey: string) =>
  `{ mcpServers: { a: { command: "a" } },\n agents: { defaults: { model: { id: "m", apiKey: "${apiKey}" } } } }`
const PROVIDERS = "env, file, exec, gcp, aws, vault, op, keychain"

describe("secret:// references", () => {
  it("to every built-in provider are accepted", () => {
    const references = [
      "secret://file/run/secrets/x",
      "secret://exec/token",
      "secret://gcp/NAME#7",
      "{secret://aws/NAME:jsonKey}",
      "secret://vault/kv/app/db/password#3",
      "{secret://op/Private vault/GitHub/token}",
      "secret://keychain/github/ada"
    ]
    const env = references.map((reference, i) => `V${i}: "Bearer ${reference}"`).join()
    const text = `{ mcp: { secrets: { exec: { token: { command: "t" } } }, servers: { x: { command: "a", env: { ${env} } } } } }`
    assert.deepStrictEqual(warningsOf(text), [])
  })

  it("to an unknown provider are an error with its line and a suggestion", () => {
    const text = `{ mcp: { servers: {
      a: { command: "a", env: { A: "Bearer secret://vualt/kv/x/y" },
           args: ["--key=secret://keychian/a/b"] },
      b: { url: "https://a.example/?k=secret://evn/K",
           headers: { H: "secret://azure/x" } } } } }`
    assert.deepStrictEqual(errorsOf(text), [
      "openclaw.json:2: mcp.servers.a.env.A: there is no secret provider 'vualt', did you mean 'vault'?",
      "openclaw.json:3: mcp.servers.a.args[0]: there is no secret provider 'keychian', did you mean 'keychain'?",
      "openclaw.json:4: mcp.servers.b.url: there is no secret provider 'evn', did you mean 'env'?",
      `openclaw.json:5: mcp.servers.b.headers.H: there is no secret provider 'azure': there are ${PROVIDERS}`
    ])
    assert.deepStrictEqual(errorsOf(withModel("secret://vualt/x/y")), [
      "openclaw.json:2: agents.defaults.model.apiKey: there is no secret provider 'vualt', did you mean 'vault'?"
    ])
  })

  it("to an unknown provider are a warning when the program may bring providers", () => {
    const value = { mcpServers: { a: { command: "a", env: { A: "secret://azure/x" } } } }
    assert.deepStrictEqual(decodeValue(value, { foreignProviders: true }).warnings, [
      `mcpServers.a.env.A: there is no secret provider 'azure': there are ${PROVIDERS} (unless the program brings it)`
    ])
    assert.lengthOf(decodeValue(value, { foreignProviders: true }).errors, 0)
    assert.lengthOf(decodeValue(value, {}).errors, 1)
    const inSection = { ...value, secrets: { vault: { token: "secret://azure/x" } } }
    assert.lengthOf(decodeValue(inSection, { foreignProviders: true }).errors, 1)
  })

  it("to an unknown command are an error that names the nearest one, or all", () => {
    const withCommands = (names: string, name: string) =>
      errorsOf(
        `{ mcp: { secrets: { exec: { ${names} } }, servers: { x: { command: "a", env: { A: "secret://exec/${name}" } } } } }`
      ).map((line) => line.replace(/^.*?: there/, "there"))
    const both = `github: { command: "g" }, db: { command: "d" }`
    assert.deepStrictEqual(withCommands(both, "db"), [])
    assert.deepStrictEqual(withCommands(both, "gihtub"), [
      "there is no command 'gihtub' for secret://exec/gihtub, did you mean 'github'?"
    ])
    assert.deepStrictEqual(withCommands(both, "mail"), [
      "there is no command 'mail' for secret://exec/mail: there are github, db"
    ])
    assert.deepStrictEqual(withCommands("", "mail"), [
      `there is no command 'mail' for secret://exec/mail: "secrets.exec" has none`
    ])
    assert.deepStrictEqual(withCommands("", "constructor").length, 1)
  })

  it("that their provider refuses are an error without the values of variables", () => {
    assert.deepStrictEqual(
      entryErrors(`{ command: "a", env: { A: "secret://vault/kv/\${V}", B: "secret://env/HOME#3" } }`, {
        V: "hunter2"
      }),
      [
        "x.env.A: holds a reference that can never work: it is not of the form secret://vault/MOUNT/PATH/FIELD",
        "x.env.B: holds a reference that can never work: environment variables have no versions"
      ]
    )
  })

  it("that are malformed are an error without the values of variables", () => {
    for (const [reference, why] of [
      ["secret://env", /it names no provider and path/],
      ["secret://ENV/TOKEN", /a provider is written in lower case/],
      ["secret://vault/kv//x", /an empty part/],
      ["SECRET://env/TOKEN", /lower case/],
      ["secret://env/${V}?", /of the form/]
    ] as const) {
      const [error, ...more] = entryErrors(`{ command: "a", env: { A: "${reference}" } }`, { V: "hunter2" })
      assert.match(error!, why)
      assert.match(error!, /^x\.env\.A: holds a secret:\/\/ reference that cannot be read: /)
      assert.notInclude(error!, "hunter2")
      assert.deepStrictEqual(more, [])
    }
  })

  it("with an unset variable are reported once, and those of a disabled server are ignored", () => {
    assert.deepStrictEqual(entryErrors(`{ command: "a", env: { A: "secret://\${P}/x" } }`), [
      "x.env.A: environment variable P is not set: set it, or give a default with ${P:-value}"
    ])
    assert.deepStrictEqual(entryErrors(`{ enabled: false, command: "a", env: { A: "secret://azure/x" } }`), [])
  })

  it("to a key of an AWS secret have a warning unless they are in braces", () => {
    assert.deepStrictEqual(entryWarnings(`{ command: "a", env: { A: "secret://aws/prod/db:password" } }`), [
      "x.env.A: the colon ends secret://aws/prod/db: if more belongs to it, write it in braces, {secret://aws/…}"
    ])
    assert.deepStrictEqual(
      entryWarnings(`{ command: "a", env: { A: "{secret://aws/prod/db:password}", B: "secret://aws/u: x" } }`),
      []
    )
  })

  it("are refused in the address of a model", () => {
    const text = `{ mcpServers: { a: { command: "a" } }, agents: { defaults: { model: { id: "m", baseUrl: "secret://env/URL" } } } }`
    assert.deepStrictEqual(errorsOf(text), [
      "openclaw.json:1: agents.defaults.model.baseUrl: cannot contain a secret:// reference"
    ])
  })
})
