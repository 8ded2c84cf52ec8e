import { assert, describe, it } from "@effect/vitest"
import { CONDITION_MAX_CHARS } from "../../../src/schemas/defaults/Clients.ts"
import { compileCondition } from "../../../src/schemas/login/Condition.ts"
import type { Identity } from "../../../src/schemas/login/Identity.ts"

const ADA: Identity = {
  client: "vscode",
  person: { issuer: "https://login.example.com", subject: "1", name: "ada@example.com" },
  groups: ["staff", "platform"],
  roles: ["admin"],
  scopes: ["mcp"],
  claims: {
    department: "research",
    level: 3,
    amr: ["pwd", "mfa"],
    address: { country: "DE" },
    "https://x.example/y": true
  }
}

const held = (text: string, identity: Identity = ADA) => {
  const condition = compileCondition(text)
  return "fault" in condition ? assert.fail(`${text}: ${condition.fault}`) : condition.holds(identity)
}

const faultOf = (text: string): string => {
  const condition = compileCondition(text)
  return "fault" in condition ? condition.fault : assert.fail(`it is a condition: ${text}`)
}

describe("a condition", () => {
  it("sees person, client, groups, roles, scopes and claims", () => {
    const all = [
      "person.name == 'ada@example.com' && person.subject == '1'",
      "person.issuer == 'https://login.example.com'",
      "client in ['vscode', 'claude']",
      "'staff' in groups && !('ops' in groups)",
      "roles.exists(r, r.startsWith('adm'))",
      "size(scopes) == 1",
      "claims.department == 'research' && claims.level >= 3",
      "'mfa' in claims.amr",
      "claims.address.country == 'DE'",
      "claims['https://x.example/y']",
      "has(claims.department) && !has(claims.suspended)",
      "groups.exists(g, g in ['platform'])",
      "claims.amr.exists_one(a, a == 'mfa') && groups.filter(g, g.contains('a')).size() == 2",
      "claims.level > 5 ? false : true"
    ]
    for (const text of all) assert.strictEqual(held(text), true, text)
  })

  it("has an empty person for a program that acts for itself", () => {
    assert.strictEqual(held("person.name == ''", { ...ADA, person: undefined }), true)
  })

  it("fails where a claim is missing, has another type, or there are no claims", () => {
    assert.deepStrictEqual(held("client == 'vscode' && claims.suspended == true"), {
      failed: "no_such_key: claims.suspended"
    })
    assert.deepStrictEqual(held("claims.address.city == 'Ulm'"), { failed: "no_such_key: claims.address.city" })
    assert.deepStrictEqual(held("claims['https://x.example/z'] == 1"), {
      failed: "no_such_key: claims['https://x.example/z']"
    })
    assert.property(held("claims.department > 3"), "failed")
    assert.deepStrictEqual(held("claims.department"), { failed: "no_boolean" })
    assert.property(held("claims.department == 'research'", { ...ADA, claims: undefined }), "failed")
  })

  it("finds nothing that objects inherit", () => {
    for (const text of ["has(claims.constructor)", "'toString' in claims", "has(claims.__proto__)"]) {
      assert.strictEqual(held(text), false, text)
    }
  })

  it("says nothing of a token when it fails", () => {
    const result = held("bool(claims.department)")
    assert.deepStrictEqual(result, { failed: "bool_conversion_error: bool(claims.department)" })
    assert.deepStrictEqual(held("claims[person.name]"), { failed: "no_such_key: claims[person.name]" })
  })

  it("must be CEL, know its names, and be true or false", () => {
    assert.match(faultOf("person.name =="), /at character \d+/)
    assert.match(faultOf("persn.name == 'a'"), /persn/)
    assert.match(faultOf("person.nam == 'a'"), /nam/)
    assert.match(faultOf("groups == 'a'"), /no such overload/)
    assert.match(faultOf("groups"), /true or false/)
  })
})

describe("no condition", () => {
  it("has a regular expression, which could take forever", () => {
    assert.match(faultOf("claims.department.matches('(a+)+$')"), /matches\(\).*startsWith/)
  })

  it("builds a longer value than it was given", () => {
    for (const text of [
      "groups + groups == groups",
      "size(client + client) > 1",
      "groups.map(g, g).size() > 1",
      "cel.bind(x, groups, size(x) > 1)",
      "groups.join(',') == ''",
      "{'a': 1}.size() == 1",
      "client.split('a').size() == 1"
    ]) {
      assert.isNotEmpty(faultOf(text))
    }
  })

  it("has one quantifier in another", () => {
    assert.match(faultOf("groups.exists(g, roles.exists(r, r == g))"), /within another/)
    assert.match(faultOf("groups.filter(g, roles.all(r, r == g)).size() == 1"), /within another/)
    assert.match(faultOf("groups.exists(g, has(claims.a) && (claims.a.exists(a, a == g)))"), /within another/)
  })

  it("is longer, deeper or wider than the bounds", () => {
    assert.match(faultOf(`client == '${"x".repeat(CONDITION_MAX_CHARS)}'`), /characters/)
    assert.isNotEmpty(faultOf(`${"!".repeat(400)}true`))
    assert.isNotEmpty(faultOf(`${"(".repeat(300)}true${")".repeat(300)}`))
    assert.isNotEmpty(faultOf(`client in [${Array(150).fill("''").join()}]`))
    assert.isNotEmpty(faultOf(Array(200).fill("true").join("&&")))
  })
})

describe("the largest condition over the largest claims", () => {
  it("is decided at once", () => {
    const long = Array.from({ length: 250 }, (_, i) => `group-${i}`)
    const one = { ...ADA, groups: long, roles: long, claims: { list: long } }
    const text = Array(12).fill("groups.all(g, g in claims.list && !(g in ['x']))").join(" && ")
    assert.strictEqual(held(text, one), true)
  })
})
