import { assert, describe, it } from "@effect/vitest"
import { callerOf } from "../../../src/schemas/call/Caller.ts"
import { personIdOf } from "../../../src/schemas/login/Identity.ts"
import { granted, quotasFor, quotasOf, type Counted } from "../../../src/schemas/call/Quota.ts"

const AT = Date.UTC(2026, 11, 31, 23, 59, 59, 999)
const person = { issuer: "https://login.example.com", subject: "1", name: "Ada" }
const ofAda: Counted = {
  agent: "main",
  caller: { ...callerOf("Ada by cli"), person },
  server: "git",
  tool: "Push",
  limits: {}
}
const namesOf = (counted: Counted, ...more: [Parameters<typeof quotasFor>[1], number?]) =>
  quotasFor(counted, more[0], more[1] ?? AT).map(({ name }) => name)

describe("the quotas of a call", () => {
  it("count a person by id, whatever client and agent it is, and never by name", () => {
    const limits = { perDay: 5 }
    const names = namesOf({ ...ofAda, limits }, { perDay: 9 })
    assert.deepStrictEqual(names, [
      `${quotasOf(personIdOf(person))}server "git" 2026-12-31`,
      `${quotasOf(personIdOf(person))}all 2026-12-31`
    ])
    const elsewhere = { ...ofAda, agent: "other", caller: { ...callerOf("Ada by web"), person } }
    assert.deepStrictEqual(namesOf({ ...elsewhere, limits }, { perDay: 9 }), names)
    assert.notInclude(names.join(), "Ada")
  })

  it("count a client, or the agent, where there is no person", () => {
    const limits = { perMonth: 5 }
    const [ofBob, ofAgent] = [callerOf("client bob"), undefined].map((caller) =>
      namesOf({ ...ofAda, caller, limits }, undefined)
    )
    assert.deepStrictEqual(ofBob, ['client ["main","client bob"] server "git" 2026-12'])
    assert.deepStrictEqual(ofAgent, ['client ["main",null] server "git" 2026-12'])
  })

  it("are those of the patterns that the tool has, with the narrowest first; other requests have none of them", () => {
    const own = { perMonth: 9, tools: { "git/*": { perDay: 2 }, "*/push": { perDay: 1 }, "mail/*": { perDay: 1 } } }
    assert.deepStrictEqual(
      quotasFor(ofAda, own, AT).map(({ counts, limit }) => [counts, limit]),
      [
        ["calls of tools 'git/*'", 2],
        ["calls of tools '*/push'", 1],
        ["calls", 9]
      ]
    )
    assert.lengthOf(quotasFor({ ...ofAda, tool: undefined }, own, AT), 1)
  })

  it("start again with the next minute, day and month of UTC", () => {
    const own = { perMinute: 1, perDay: 1, perMonth: 1 }
    const next = Date.UTC(2027, 0, 1)
    assert.deepStrictEqual(
      quotasFor(ofAda, own, AT).map(({ endsAt }) => endsAt),
      [next, next, next]
    )
    assert.deepStrictEqual(
      quotasFor(ofAda, own, next).map(({ endsAt, name }) => [name.split(" ").at(-1), new Date(endsAt).toISOString()]),
      [
        ["2027-01-01T00:00", "2027-01-01T00:01:00.000Z"],
        ["2027-01-01", "2027-01-02T00:00:00.000Z"],
        ["2027-01", "2027-02-01T00:00:00.000Z"]
      ]
    )
  })
})

describe("what a store grants", () => {
  const ask = { name: "n", limit: 100, endsAt: 0, need: 1, ahead: 0, back: 0, used: 0 }

  it("is never more than is left, and ahead only a share of that", () => {
    assert.deepStrictEqual(granted(ask, 0), { granted: 1, count: 1 })
    assert.deepStrictEqual(granted({ ...ask, ahead: 1_000 }, 0), { granted: 25, count: 25 })
    assert.deepStrictEqual(granted({ ...ask, need: 5, ahead: 1_000 }, 98), { granted: 2, count: 100 })
    assert.deepStrictEqual(granted(ask, 100), { granted: 0, count: 100 })
    assert.deepStrictEqual(granted({ ...ask, limit: 50 }, 100), { granted: 0, count: 100 })
  })

  it("takes back what was not used, and counts what was used without asking", () => {
    assert.deepStrictEqual(granted({ ...ask, need: 0, back: 10 }, 30), { granted: 0, count: 20 })
    assert.deepStrictEqual(granted({ ...ask, need: 0, used: 80 }, 30), { granted: 0, count: 110 })
  })
})
