import { assert, describe, it } from "@effect/vitest"
import type { ClientRule } from "../../../src/schemas/login/ClientRule.ts"
import { makeJudge, mayReach, mayUse, standingOf } from "../../../src/schemas/login/Standing.ts"
import { identityOfToken, type Identity } from "../../../src/schemas/login/Identity.ts"

const ADA: Identity = {
  client: "vscode",
  person: { issuer: "https://login.example.com", subject: "1", name: "ada@example.com" },
  groups: ["staff"],
  roles: ["admin"],
  scopes: ["mcp"],
  claims: { level: 3 }
}

const places = (rules: ReadonlyArray<ClientRule>, identity: Identity = ADA) =>
  standingOf(rules, identity).matched.map(({ place }) => place)

const concerns = (entry: string, identity: Identity = ADA) => places([{ who: [entry] }], identity).length === 1

describe("whom a rule concerns", () => {
  it("persons by name, and groups, roles, clients and scopes by their words; exactly, or by a pattern", () => {
    const yes = [
      "ada@example.com",
      "*@example.com",
      "group:staff",
      "group:st?ff",
      "role:*",
      "client:vscode",
      "scope:mcp",
      "*"
    ]
    const no = [
      "ada",
      "*@example.org",
      "Ada@example.com",
      "group:admin",
      "role:staff",
      "client:vs",
      "scope:admin",
      "group:"
    ]
    for (const entry of yes) assert.isTrue(concerns(entry), entry)
    for (const entry of no) assert.isFalse(concerns(entry), entry)
  })

  it("everybody without who, and nobody with an empty list", () => {
    assert.lengthOf(places([{}]), 1)
    assert.lengthOf(places([{ who: [] }]), 0)
  })

  it("no group by the name of a person, and no program by a pattern for persons", () => {
    assert.isFalse(concerns("group:staff", { ...ADA, groups: [], person: { ...ADA.person!, name: "group:staff" } }))
    assert.isFalse(concerns("*?", { ...ADA, person: undefined }))
  })

  it("the clients with tokens of the configuration, by their names", () => {
    assert.isTrue(concerns("client:laptop", identityOfToken("client laptop")))
    assert.isFalse(concerns("client:laptop", identityOfToken("client other")))
    assert.isTrue(concerns("client:token file", identityOfToken("token file")))
  })

  it("only those for whom the condition holds, too", () => {
    assert.deepStrictEqual(places([{ if: "claims.level > 5" }, { who: ["group:staff"], if: "claims.level > 2" }]), [
      "clients.rules[1]"
    ])
  })
})

describe("what rules grant", () => {
  const letsIn = (...rules: ReadonlyArray<ClientRule>) => standingOf(rules, ADA).isLetIn

  it("nothing without a rule that matches", () => {
    assert.isFalse(letsIn({ who: ["eve"] }))
  })

  it("nothing by a rule that only denies or asks; everything by one that says nothing", () => {
    assert.isFalse(letsIn({ tools: { deny: ["x"] } }))
    assert.isFalse(letsIn({ tools: { ask: ["x"] } }))
    assert.isTrue(letsIn({}))
    assert.isTrue(letsIn({ tools: { deny: ["x"] } }, { tools: { allow: ["y"] } }))
    assert.isTrue(letsIn({ servers: ["git"], tools: { deny: ["x"] } }))
    assert.isTrue(letsIn({ agent: "coder", tools: { deny: ["x"] } }))
  })

  it("nothing by a rule whose condition fails, although it takes away all the same", () => {
    const failing = { if: "claims.suspended", agent: "coder", tools: { deny: ["x"] } }
    const { agent, isLetIn, matched } = standingOf([failing, { servers: ["git"] }], ADA)
    assert.isUndefined(agent)
    assert.isTrue(isLetIn)
    assert.deepStrictEqual(
      matched.map(({ failed }) => failed),
      ["no_such_key: claims.suspended", undefined]
    )
    assert.isFalse(letsIn(failing))
  })

  it("the agent of the first rule that has one", () => {
    const rules = [{ who: ["eve"], agent: "a" }, {}, { agent: "b" }, { agent: "c" }]
    assert.strictEqual(standingOf(rules, ADA).agent, "b")
  })

  it("resources and prompts of its servers, but tools alone where it names only tools", () => {
    const reach = (rule: ClientRule) => mayReach(standingOf([rule], ADA), "Git-Hub")
    assert.isTrue(reach({}))
    assert.isTrue(reach({ servers: ["git*"] }))
    assert.isTrue(reach({ servers: ["git*"], tools: { allow: ["git-hub/x"] } }))
    assert.isFalse(reach({ tools: { allow: ["*"] } }))
    assert.isFalse(reach({ servers: ["mail"] }))
  })

  it("the names of those servers of which it may grant something", () => {
    const named = (rule: ClientRule) => mayUse(standingOf([rule], ADA), { name: "git", toolPrefix: "git" })
    for (const allow of [["git/status"], ["*"], ["mcp_git_*"]]) assert.isTrue(named({ tools: { allow } }), allow.join())
    for (const allow of [["mail/*"], ["mcp_mail_send"], []]) assert.isFalse(named({ tools: { allow } }), allow.join())
    assert.isFalse(named({ servers: ["mail"], tools: { allow: ["*"] } }))
    // Its resources and prompts.
    assert.isTrue(named({ servers: ["git"], tools: { allow: [] } }))
  })
})

describe("a judge", () => {
  it("gives the same standing until the rules change, and none without rules", () => {
    let rules: ReadonlyArray<ClientRule> = [{ who: ["*"] }]
    const judge = makeJudge(() => rules)
    const first = judge(ADA)
    assert.isTrue(first?.isLetIn)
    assert.strictEqual(judge(ADA), first)
    rules = [{ who: ["eve"] }]
    assert.isFalse(judge(ADA)?.isLetIn)
    rules = []
    assert.isUndefined(judge(ADA))
  })
})
