import { assert, describe, it } from "@effect/vitest"
import { CONDITION_MAX_CHARS } from "../../../src/schemas/defaults/Clients.ts"
import { decode, decodeValue, errorsOf, warningsOf } from "./decoding.ts"

const written = (rules: string, issuers = '[{ issuer: "https://login.example.com" }]'): string => `{
  agents: { list: [{ id: "main" }, { id: "coder" }] },
  mcp: {
    servers: { git: { command: "git-server" }, mail: { command: "mail-server" } },
    serve: { clients: [{ name: "laptop", token: "secret://env/LAPTOP_TOKEN" }] },
    clients: { issuers: ${issuers}, rules: ${rules} }
  }
}`

const ENV = { LAPTOP_TOKEN: "x" }
const errors = (rules: string, issuers?: string) => errorsOf(written(rules, issuers), ENV)
const warnings = (rules: string, issuers?: string) =>
  warningsOf(written(rules, issuers), ENV).filter((line) => line.includes("rules"))

describe("clients.rules", () => {
  it("are read as they are written", () => {
    const rules = `[{ who: ["group:ops", "ada@example.com"], if: "'mfa' in claims.amr", agent: "coder",
      servers: ["git*"], tools: { allow: ["git/*"], deny: ["git/push"], ask: ["git/commit"] } }]`
    assert.deepStrictEqual(decode(written(rules), ENV).clients?.rules, [
      {
        who: ["group:ops", "ada@example.com"],
        if: "'mfa' in claims.amr",
        agent: "coder",
        servers: ["git*"],
        tools: { allow: ["git/*"], deny: ["git/push"], ask: ["git/commit"] }
      }
    ])
    assert.isEmpty(warnings(rules))
  })

  it("with a wrong condition are an error with file, line and path", () => {
    assert.deepStrictEqual(errors(`[{ who: ["*"] },\n{ if: "groups.exists(" }]`), [
      "openclaw.json:7: mcp.clients.rules[1].if: Unexpected token: EOF, at character 15"
    ])
    const [typed] = errors(`[{ if: "groups == 'ops'" }]`)
    assert.match(typed!, /rules\[0\]\.if: no such overload/)
    assert.match(errors(`[{ if: "client.matches('a')" }]`)[0]!, /must not use matches\(\)/)
    assert.match(errors(`[{ if: "client == '${"x".repeat(CONDITION_MAX_CHARS)}'" }]`)[0]!, /characters/)
  })

  it("name an agent that is there", () => {
    assert.deepStrictEqual(errors(`[{ agent: "codr" }]`), [
      "openclaw.json:6: mcp.clients.rules[0].agent: is not an agent of this configuration; there are: main, coder"
    ])
  })

  it("do not know other keys and words that are nearly right", () => {
    assert.match(errors(`[{ whom: ["*"] }]`)[0]!, /unknown key, did you mean "who"/)
    assert.match(errors(`[{ tools: { alow: ["*"] } }]`)[0]!, /unknown key, did you mean "allow"/)
    for (const [written, meant] of [
      ["groups:ops", "group:ops"],
      ["Group:ops", "group:ops"],
      ["grp:ops", "group:ops"],
      ["gruop:ops", "group:ops"],
      ["team:ops", "group:ops"],
      ["group: ops", "group:ops"],
      ["ROLES:ops", "role:ops"]
    ]) {
      const said = `rules[0].who[0]: must be "${meant}", is "${written}"`
      assert.include(errors(`[{ who: ["${written}"] }]`)[0]!, said)
    }
    for (const word of ["person", "user", "email"]) {
      assert.include(
        errors(`[{ who: ["${word}:ada"] }]`)[0]!,
        `must be a name without a word before it (write "ada"), is "${word}:ada"`
      )
    }
    for (const key of ["when", "condition"])
      assert.match(errors(`[{ ${key}: "true" }]`)[0]!, /unknown key, did you mean "if"\?/)
    assert.isEmpty(
      errors(`[{ who: ["auth0|ada", "urn:acme:ada", "https://id.example.com/ada", "ada:x", "group1:ada"] }]`)
    )
    assert.match(errors(`[{ who: ["group:"] }]`)[0]!, /a name after the colon/)
    assert.match(errors(`[{ who: [" ada"] }]`)[0]!, /blanks/)
  })

  it("that can never match are warned of", () => {
    const lines = (rules: string, issuers?: string) =>
      warnings(rules, issuers).map((line) => line.split(": ").slice(1).join(": "))
    assert.match(lines(`[{ who: [] }]`)[0]!, /rules\[0\]\.who: is empty/)
    assert.match(lines(`[{ servers: ["gti"] }]`)[0]!, /servers\[0\]: matches no server/)
    assert.match(lines(`[{ tools: { allow: ["gti/*"] } }]`)[0]!, /matches no tool of any server/)
    assert.match(lines(`[{ servers: ["git"], tools: { deny: ["mail/send"] } }]`)[0]!, /matches no tool/)
    assert.match(lines(`[{ who: ["group:ops"] }]`, "[]")[0]!, /without an issuer/)
    assert.match(lines(`[{ who: ["client:lap"] }]`, "[]")[0]!, /none of the clients/)
    assert.isEmpty(lines(`[{ who: ["client:lap*", "*"] }]`, "[]"))
    assert.match(lines(`[{ tools: { deny: ["git/push"] } }]`)[0]!, /lets nobody in/)
  })

  it("that mean somebody or something else are warned of", () => {
    const line = (rules: string, issuers?: string) => warnings(rules, issuers).join("; ")
    for (const issuers of [undefined, "[]"]) {
      assert.match(
        line(`[{ who: ["laptop"] }]`, issuers),
        /who\[0\]: is the name of a person here: .* write "client:laptop"$/
      )
      assert.match(line(`[{ who: ["operator"] }]`, issuers), /who\[0\]: is the name of a person here: leave it out/)
    }
    const { warnings: beside } = decodeValue(
      {
        mcp: {
          serve: { clients: [{ name: "laptop", token: "secret://env/T" }] },
          clients: { rules: [{ who: ["laptop", " ada"] }] }
        }
      },
      {}
    )
    assert.match(beside.join("; "), /who\[0\]: is the name of a person here/)
    assert.match(
      line(`[{ tools: { deny: ["push", "git/push"], ask: ["send_*"] }, servers: ["*"] }]`),
      /deny\[0\]: matches no tool .*: write "git\/push", or "\*\/push" for all servers; .*ask\[0\]: matches no tool/
    )
    assert.isEmpty(line(`[{ tools: { allow: ["*", "*push", "git*", "mcp_git_push", "mcp_read_more"] } }]`))
  })

  it("with an empty list, or approvers of nothing, are warned of", () => {
    const line = (rules: string) => warnings(rules).join("; ")
    assert.match(line(`[{ servers: [] }]`), /servers: is empty, so that the rule concerns no server/)
    assert.match(line(`[{ tools: { allow: [] } }]`), /tools\.allow: is empty, so that the rule allows no tool/)
    assert.match(line(`[{ tools: { approvers: ["ada"] } }]`), /tools\.approvers: has no effect without "ask"/)
    assert.isEmpty(line(`[{ servers: ["git"], tools: { ask: ["git/push"], approvers: ["ada"] } }]`))
  })

  it("are told of all together, whatever else is wrong", () => {
    const wrong = Array.from({ length: 9 }, () => `{ if: "groups ==" }`).join(", ")
    const said = errors(
      `[{ if: "" }, ${wrong}, { who: [" ada", "group:ops"], tools: { approvers: [], alow: [] }, agent: "codr" }]`,
      `[{ issuer: "x", agent: "codr" }, { issuer: "https://login.example.com", algorithms: [], nme: 1 }]`
    ).join("\n")
    assert.match(said, /rules\[0\]\.if: must be a string that is not empty/)
    for (let i = 1; i < 10; i++) assert.include(said, `rules[${i}].if: Unexpected token`)
    for (const place of ["who[0]: must not", "tools.approvers: is empty", "tools.alow: unknown key", "agent: is not"])
      assert.include(said, `rules[10].${place}`)
    for (const place of [
      "[0].issuer: must be",
      "[0].agent: is not",
      "[1].algorithms: is empty",
      "[1].nme: unknown key"
    ])
      assert.include(said, `clients.issuers${place}`)
  })
})

describe("clients", () => {
  const clients = (keys: string) => `{ mcp: { servers: { files: { command: "a" } }, clients: { ${keys} } } }`
  const ISSUER = `issuers: [{ issuer: "https://login.example.com" }]`

  it("with an issuer that accepts nothing are an error", () => {
    for (const key of ["algorithms", "audience"]) {
      const text = clients(`issuers: [{ issuer: "https://login.example.com", ${key}: [] }]`)
      assert.deepStrictEqual(errorsOf(text), [
        `openclaw.json:1: mcp.clients.issuers[0].${key}: is empty, so that every token would be refused: leave it out`
      ])
    }
  })

  it("with addresses over plain http are warned of, except on this machine", () => {
    const warned = (issuer: string, resource: string) =>
      warningsOf(clients(`issuers: [{ issuer: "${issuer}" }], resource: "${resource}"`)).map(
        (line) => line.split(": ")[1]
      )
    assert.deepStrictEqual(warned("http://login.example.com", "http://mcp.example.com/mcp"), [
      "mcp.clients.issuers[0].issuer",
      "mcp.clients.resource"
    ])
    assert.isEmpty(warned("http://127.0.0.1:8080", "http://localhost:3000/mcp"))
    assert.isEmpty(warned("https://login.example.com", "https://mcp.example.com/mcp"))
  })

  it("have an example of their own for each address", () => {
    const [issuer, resource] = errorsOf(clients(`issuers: [{ issuer: "x" }], resource: "x"`))
    assert.include(issuer, "https://login.example.com")
    assert.include(resource, "https://mcp.example.com/mcp")
  })

  it("whose limits count no tool are warned of", () => {
    const limits = `limits: { tools: { "fils/*": { perDay: 1 }, "files/*": { perDay: 1 }, read: { perDay: 1 }, "*": { perDay: 1 } } }`
    assert.deepStrictEqual(
      warningsOf(clients(`${ISSUER}, ${limits}`)).map((line) =>
        line.replace("openclaw.json:1: mcp.clients.limits.tools", "")
      ),
      [
        '["fils/*"]: matches no tool of any server that is configured, did you mean "files/*"?',
        '.read: matches no tool of any server that is configured: write "files/read", or "*/read" for all servers'
      ]
    )
  })

  it("without an issuer are no persons, which is told where servers are one for each person", () => {
    const servers = `servers: { a: { command: "a", share: "person" }, b: { url: "https://a.example/", auth: { type: "oauth", per: "person" } } }`
    const told = warningsOf(`{ mcp: { ${servers} } }`)
    assert.lengthOf(told, 2)
    for (const [i, name] of ["a", "b"].entries())
      assert.include(told[i], `MCP server '${name}' is one for each person, and no client is a person`)
    assert.isEmpty(warningsOf(`{ mcp: { ${servers}, clients: { ${ISSUER} } } }`))
  })
})

describe("approvers", () => {
  const told = (approvers: string) =>
    errorsOf(`{ mcp: { servers: { a: { command: "a", tools: { ask: ["x"], approvers: ${approvers} } } } } }`)

  it("are the operator or somebody with a name", () => {
    for (const written of ["operators", "Operator", "opertor"])
      assert.match(told(`["${written}"]`)[0]!, /approvers\[0\]: must be "operator", is/)
    assert.match(told(`["group: leads"]`)[0]!, /blank after the colon/)
    assert.isEmpty(told(`["operator", "ada", "group:leads", "role:ops"]`))
  })

  it("without ask beside them are warned of, for whichever place counts", () => {
    const at = (text: string) =>
      warningsOf(text).map((line) =>
        line
          .split(": ")
          .slice(1, 3)
          .join(": ")
          .replace(/: name the.*/, "")
      )
    const X = `mcpServers: { a: { command: "a" } }`
    assert.deepStrictEqual(at(`{ gateway: { tools: { approvers: ["ada"] } }, ${X} }`), [
      'gateway.tools.approvers: has no effect without "ask"'
    ])
    const both = (defaults: string, own: string) =>
      at(`{ agents: { defaults: { tools: ${defaults} }, list: [{ id: "a", tools: ${own} }] }, ${X} }`)
    assert.isEmpty(both(`{ ask: ["a/x"] }`, `{ approvers: ["ada"] }`))
    assert.isEmpty(both(`{ approvers: ["ada"] }`, `{ ask: ["a/x"] }`))
    assert.isEmpty(both(`{ approvers: ["ada"] }`, `{ ask: ["a/x"] } }, { id: "b", tools: { deny: ["a/y"] }`))
    assert.deepStrictEqual(both(`{ approvers: ["ada"] }`, `{ deny: ["a/x"] }`), [
      'agents.defaults.tools.approvers: has no effect without "ask"'
    ])
    assert.deepStrictEqual(both(`{ deny: ["a/x"] }`, `{ approvers: ["ada"] }`), [
      'agents.list[0].tools.approvers: has no effect without "ask"'
    ])
    assert.deepStrictEqual(at(`{ mcpServers: { a: { command: "a", tools: { approvers: ["ada"] } } } }`), [
      'mcpServers.a.tools.approvers: has no effect without "ask"'
    ])
  })
})
