import { assert, describe, it } from "@effect/vitest"
import { changeLines } from "../../../src/schemas/config/ConfigChange.ts"
import { changeBetween } from "../../../src/schemas/config/ConfigDifference.ts"
import { decode } from "./decoding.ts"

const change = (before: object, after: object) =>
  changeBetween(decode(JSON.stringify(before)), decode(JSON.stringify(after)))
const mcp = (servers: object, more: object = {}) => ({ mcp: { servers, ...more } })
const entry = (more: object = {}) => ({ command: "a", ...more })
const NOTHING = { restarted: [], started: [], stopped: [], inPlace: [], needsRestart: [] }

describe("what another configuration changes", () => {
  it("is nothing where it says the same", () => {
    const one = mcp({ a: entry({ env: { A: "1", B: "2" } }), b: entry() })
    const same = mcp({ b: entry({ enabled: true }), a: entry({ env: { B: "2", A: "1" } }) })
    assert.deepStrictEqual(change(one, same), NOTHING)
  })

  it("is a restart where the process would be another one, and a change in place where not", () => {
    const before = mcp({ arg: entry(), env: entry(), filter: entry(), limit: entry(), same: entry() })
    const after = mcp({
      arg: entry({ args: ["x"] }),
      env: entry({ env: { A: "1" } }),
      filter: entry({ tools: { exclude: ["x"] } }),
      limit: entry({ limits: { perMinute: 7 } }),
      same: entry()
    })
    assert.deepStrictEqual(change(before, after), {
      ...NOTHING,
      restarted: ["arg", "env"],
      inPlace: ["tools of server filter", "limits of server limit"]
    })
  })

  it("names servers that come and go, also by enabled", () => {
    const before = mcp({ gone: entry(), off: entry(), on: entry({ enabled: false }), never: entry({ enabled: false }) })
    const after = mcp({ off: entry({ enabled: false }), on: entry(), fresh: entry() })
    assert.deepStrictEqual(change(before, after), { ...NOTHING, started: ["fresh", "on"], stopped: ["gone", "off"] })
  })

  it("says which agents a change concerns, if not all", () => {
    const agents = (own: object) => ({
      agents: { defaults: mcp({ a: entry(), b: entry() }), list: [{ id: "one" }, { id: "two", ...own }] }
    })
    const { inPlace, restarted } = change(
      agents({}),
      agents({ ...mcp({ a: entry({ args: ["x"] }) }), tools: { deny: ["z"] } })
    )
    assert.deepStrictEqual({ inPlace, restarted }, { inPlace: ["rules (two)"], restarted: ["a (two)"] })
    const all = {
      agents: { defaults: mcp({ a: entry({ args: ["x"] }), b: entry() }), list: [{ id: "one" }, { id: "two" }] }
    }
    assert.deepStrictEqual(change(agents({}), all).restarted, ["a"])
  })

  it("names the settings that only count at the next start, and those that count at once", () => {
    const before = mcp({ a: entry() })
    const after = mcp({ a: entry() }, { audit: { maxFiles: 9 }, serve: { isolate: "session" }, secrets: { ttlMs: 5 } })
    const { inPlace, needsRestart } = change(before, after)
    assert.deepStrictEqual([inPlace, needsRestart.toSorted()], [["secrets"], ["audit", "serve"]])
    assert.deepStrictEqual(changeLines(change(before, after)), [
      "change in place: secrets",
      "need a restart of the gateway: audit, serve"
    ])
  })

  it("counts rules and limits of clients at once, and their issuers at the next start", () => {
    const clients = (more: object) => mcp({ a: entry() }, { clients: { rules: [{ who: ["*"] }], ...more } })
    const limits = change(clients({ limits: { perDay: 5 } }), clients({ limits: { perDay: 6 } }))
    assert.deepStrictEqual(limits, { ...NOTHING, inPlace: ["clients.limits"] })
    assert.deepStrictEqual(change(clients({}), clients({ rules: [] })), { ...NOTHING, inPlace: ["clients.rules"] })
    const issuers = change(clients({}), clients({ issuers: [{ issuer: "https://login.example.com" }] }))
    assert.deepStrictEqual(issuers, { ...NOTHING, needsRestart: ["clients"] })
  })
})
