import { assert, describe, it } from "@effect/vitest"
import { readSessionMeta, sessionIdOf } from "../../../src/programs/acp/sessionMeta.ts"

const NOTHING = { resetSession: false, dynamicTools: false }

describe("_meta of a session", () => {
  it("names a session by key or label, and may ask for a reset", () => {
    const meta = {
      sessionKey: " agent:main:x ",
      sessionLabel: "support",
      resetSession: true,
      "mcp-live": { dynamicTools: true }
    }
    const read = { sessionKey: "agent:main:x", sessionLabel: "support", resetSession: true, dynamicTools: true }
    assert.deepStrictEqual(readSessionMeta(meta), read)
  })

  it("is ignored when it is malformed", () => {
    for (const meta of [undefined, null, "x", [], {}, { sessionKey: "", sessionLabel: 5, resetSession: "true" }]) {
      assert.deepStrictEqual(readSessionMeta(meta), NOTHING)
    }
    assert.deepStrictEqual(readSessionMeta({ sessionKey: "x".repeat(1025) }), NOTHING)
  })

  it("gives a different session id for each agent and key", () => {
    const ids = ["x", "X", "y", "../../etc"].flatMap((key) => ["main", "coder"].map((agent) => sessionIdOf(agent, key)))
    assert.strictEqual(new Set(ids).size, ids.length)
    for (const id of ids) assert.match(id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    assert.strictEqual(sessionIdOf("main", "x"), sessionIdOf("main", "x"))
  })
})
