import { assert, describe, it } from "@effect/vitest"
import { callerAtTerminal, callerOf, callerWith } from "../../../src/schemas/call/Caller.ts"
import { personIdOf } from "../../../src/schemas/login/Identity.ts"

const person = { issuer: "https://login.example.com", subject: "1", name: "Ada" }

describe("a caller", () => {
  it("of a token is the client with what its issuer says; a token of the configuration names nobody", () => {
    const identity = { client: "cli", person, groups: ["staff"], roles: ["admin"], scopes: ["mcp"] }
    assert.deepStrictEqual(callerWith("Ada by cli 01", identity), {
      client: "Ada by cli 01",
      person,
      groups: ["staff"],
      roles: ["admin"],
      scopes: ["mcp"],
      identity
    })
    assert.deepStrictEqual(callerWith("client ada", undefined), callerOf("client ada"))
    assert.isUndefined(callerOf("client ada").person)
  })

  it("at a terminal is the user of the operating system, also where users have no number", () => {
    const ada = callerAtTerminal({ username: "ada", uid: 501 })
    assert.deepInclude(ada.person, { subject: "501", name: "ada" })
    assert.isUndefined(ada.client)
    assert.deepInclude(callerAtTerminal({ username: "ada", uid: undefined }, "operator"), { client: "operator" })
    assert.deepInclude(callerAtTerminal({ username: "ada", uid: undefined }).person, { subject: "ada" })
    assert.isNull(URL.parse(ada.person!.issuer), "no issuer of tokens can have this name")
  })
})

describe("the id of a person", () => {
  it("stays with issuer and subject, whatever the name; two people of one name have two", () => {
    const id = personIdOf(person)
    assert.match(id, /^[0-9a-f]{32}$/)
    assert.strictEqual(personIdOf({ issuer: person.issuer, subject: "1" }), id)
    for (const other of [{ subject: "2" }, { issuer: "https://other.example.com" }]) {
      assert.notStrictEqual(personIdOf({ ...person, ...other }), id)
    }
    assert.notStrictEqual(personIdOf({ issuer: "a", subject: "b" }), personIdOf({ issuer: "ab", subject: "" }))
  })
})
