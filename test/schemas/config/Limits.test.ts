import { assert, describe, it } from "@effect/vitest"
import { DEFAULT_CALL_LIMITS } from "../../../src/schemas/call/CallLimits.ts"
import { fingerprint } from "../../../src/schemas/connection/ServerConfig.ts"
import { decode, entryErrors, errorsOf, serverOf, withServer } from "./decoding.ts"

const limitsOf = (keys: string) => serverOf(decode(withServer(`{ command: "a", ${keys} }`))).limits
const errorsIn = (limits: string) => entryErrors(`{ command: "a", limits: ${limits} }`)

describe("call limits of a server", () => {
  it("are the defaults except for the given keys", () => {
    assert.deepStrictEqual(limitsOf(""), DEFAULT_CALL_LIMITS)
    assert.deepStrictEqual(limitsOf("limits: {}"), DEFAULT_CALL_LIMITS)
    assert.deepStrictEqual(limitsOf("limits: { perMinute: 0, failures: 0 }"), {
      ...DEFAULT_CALL_LIMITS,
      perMinute: 0,
      failures: 0
    })
    // A minute's calls may come at once, unless something else is said.
    assert.deepInclude(limitsOf("limits: { perMinute: 7 }"), { perMinute: 7, burst: 7 })
    assert.deepInclude(limitsOf("limits: { perMinute: 60000 }"), { burst: 10_000 })
    const all = { perMinute: 6, burst: 1, inFlight: 2, failures: 3, coolDownMs: 4 }
    assert.deepStrictEqual(limitsOf(`limits: ${JSON.stringify(all)}`), all)
  })

  it("merge key by key, so that an agent may change one", () => {
    const text = `{ mcp: { servers: { x: { command: "a", limits: { perMinute: 6, burst: 5 } } } },
      agents: { list: [{ id: "busy", mcp: { servers: { x: { limits: { burst: 50 } } } } }] } }`
    assert.deepInclude(serverOf(decode(text)).limits, { perMinute: 6, burst: 50 })
  })

  it("do not keep agents with other limits from sharing a process", () => {
    const one = serverOf(decode(withServer(`{ command: "a" }`)))
    const other = serverOf(decode(withServer(`{ command: "a", limits: { perMinute: 1 } }`)))
    assert.strictEqual(fingerprint(one), fingerprint(other))
  })

  it("are whole numbers within bounds", () => {
    assert.deepStrictEqual(errorsIn("{ perMinute: -1, burst: 0, inFlight: 0, failures: -1, coolDownMs: 0 }"), [
      "x.limits.perMinute: must be a number of calls, or 0 for no limit, is -1",
      "x.limits.burst: must be a positive number of calls, is 0",
      "x.limits.inFlight: must be a positive number of calls, is 0",
      "x.limits.failures: must be a number of failures, or 0 for never, is -1",
      "x.limits.coolDownMs: must be a positive number of milliseconds, is 0"
    ])
    assert.deepStrictEqual(
      errorsIn("{ perMinute: 60001, burst: 10001, inFlight: 10001, failures: 1001, coolDownMs: 3600001 }"),
      [
        "x.limits.perMinute: must be at most 60000, is 60001",
        "x.limits.burst: must be at most 10000, is 10001",
        "x.limits.inFlight: must be at most 10000, is 10001",
        "x.limits.failures: must be at most 1000, is 1001",
        "x.limits.coolDownMs: must be at most 3600000, is 3600001"
      ]
    )
    for (const value of ["1.5", "NaN", "Infinity", '"100"', "null", "true", "[1]"]) {
      assert.lengthOf(errorsIn(`{ perMinute: ${value} }`), 1, value)
    }
  })

  it("refuse unknown keys and other types, with the line", () => {
    assert.deepStrictEqual(errorsIn("{ perMinut: 1 }"), ['x.limits.perMinut: unknown key, did you mean "perMinute"?'])
    assert.deepStrictEqual(errorsIn("100"), ["x.limits: must be an object, is a number"])
    assert.deepStrictEqual(errorsOf(withServer(`{ command: "a",\n limits: {\n burst: 0 } }`)), [
      "openclaw.json:3: mcp.servers.x.limits.burst: must be a positive number of calls, is 0"
    ])
  })
})
