import { assert, describe, it } from "@effect/vitest"
import { CLAIM_VALUE_MAX_CHARS, CLAIM_VALUES_MAX } from "../../../src/schemas/defaults/Clients.ts"
import type { IssuerConfig } from "../../../src/schemas/login/ClientsConfig.ts"
import { identityOf, principalOf, type Claims, type Identity } from "../../../src/schemas/login/Identity.ts"

const ISSUER: IssuerConfig = { issuer: "https://login.example.com", scopes: [], allowPrivate: false }

const identity = (claims: Claims, more: Partial<IssuerConfig> = {}): Identity => {
  const found = identityOf({ sub: "ada", client_id: "editor", ...claims }, { ...ISSUER, ...more })
  return typeof found === "string" ? assert.fail(found) : found
}

const reading = (claims: Partial<NonNullable<IssuerConfig["claims"]>>) => ({
  claims: { person: "sub", groups: "groups", roles: "roles", client: "client_id", ...claims }
})

describe("the identity in a token", () => {
  it("is that of a program where subject and client are the same", () => {
    assert.isUndefined(identity({ sub: "editor" }).person)
  })

  it("has the client of azp where client_id is missing", () => {
    assert.strictEqual(identity({ client_id: undefined, azp: "other" }).client, "other")
  })

  it("takes groups and roles from lists, from one text, and from inside of objects", () => {
    const found = identity(
      { groups: "staff", realm_access: { roles: ["admin", 7, "", "ops"] } },
      reading({ roles: "realm_access.roles" })
    )
    assert.deepStrictEqual([found.groups, found.roles], [["staff"], ["admin", "ops"]])
  })

  it("takes a claim whose whole name has dots before one inside of an object", () => {
    const claims = { "https://example.com/roles": ["a"], https: { "//example": { "com/roles": ["b"] } } }
    assert.deepStrictEqual(identity(claims, reading({ roles: "https://example.com/roles" })).roles, ["a"])
  })

  it("has nothing of what objects inherit", () => {
    assert.deepStrictEqual(identity({}, reading({ groups: "constructor.name" })).groups, [])
  })

  it("is nobody's with a group, role or scope that cannot be read: it could be one that is denied something", () => {
    const bad = ["a\u0000b", "c\u2028d", "half \ud800", "x".repeat(CLAIM_VALUE_MAX_CHARS + 1)]
    for (const name of ["groups", "roles", "scope"]) {
      for (const one of bad) {
        const found = identityOf({ sub: "ada", [name]: ["g", one] }, ISSUER)
        assert.match(String(found), /one of its (groups|roles|scopes) is too long, or has a character/)
      }
    }
    assert.deepStrictEqual(identity({ groups: ["g", "", 1, null] }).groups, ["g"])
  })

  it("has no person and no client whose name has half a character: no database takes it", () => {
    assert.match(String(identityOf({ sub: "ada\ud800" }, ISSUER)), /no subject/)
    const named = { ...ISSUER, ...reading({ person: "name" }) }
    assert.match(String(identityOf({ sub: "ada", name: "Ada \ud800" }, named)), /names no person/)
  })

  it("is nobody's with more groups, roles or scopes than are looked at: the last one could be one that is denied something", () => {
    const many = Array.from({ length: CLAIM_VALUES_MAX }, (_, n) => `g${n}`)
    assert.lengthOf(identity({ groups: many, roles: many }).groups, CLAIM_VALUES_MAX)
    for (const name of ["groups", "roles", "scope"]) {
      assert.match(
        String(identityOf({ sub: "ada", [name]: [...many, "guests"] }, ISSUER)),
        /more than \d+ (groups|roles|scopes)/
      )
    }
  })

  it("does not take an address for a name that is not verified, also where the issuer says so with a text", () => {
    const by = (email_verified: unknown) =>
      identityOf(
        { sub: "ada", email: "boss@example.com", email_verified },
        { ...ISSUER, ...reading({ person: "email" }) }
      )
    for (const no of [false, "false"]) assert.match(String(by(no)), /not verified/)
    for (const yes of [true, "true"]) assert.notStrictEqual(typeof by(yes), "string")
  })

  it("needs the claim that names the person", () => {
    assert.match(String(identityOf({ sub: "ada" }, { ...ISSUER, ...reading({ person: "email" }) })), /'email'/)
  })
})

describe("a principal", () => {
  it("is the same for the same person, client and issuer only, whatever name they have", () => {
    const of = (claims: Claims, issuer = "https://login.example.com") => principalOf(identity(claims), issuer)
    const all = [
      of({}),
      of({ sub: "eve" }),
      of({ client_id: "other" }),
      of({}, "https://other.example.com"),
      of({ sub: "editor" })
    ]
    assert.strictEqual(new Set(all).size, all.length)
    assert.strictEqual(of({}), of({ groups: ["staff"] }))
  })

  it("differs for two people who call themselves the same", () => {
    const named = (sub: string) =>
      principalOf(identity({ sub, email: "a@b" }, reading({ person: "email" })), "https://i")
    assert.notStrictEqual(named("1"), named("2"))
    assert.match(named("1"), /^a@b by editor /)
  })
})
