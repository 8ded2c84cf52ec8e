import { assert, describe, it } from "@effect/vitest"
import { CONDITION_MAX_CHARS } from "../../../src/schemas/defaults/Clients.ts"
import { decode, errorsOf, warningsOf } from "./decoding.ts"

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
    assert.match(errors(`[{ who: ["groups:ops"] }]`)[0]!, /must begin with group:/)
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
})
