import { assert, describe, it } from "@effect/vitest"
import { orderKey } from "../../../src/schemas/agent/OrderSession.ts"
import { renderSessions, rowsOf, type KeptSession } from "../../../src/schemas/agent/SessionListing.ts"

const kept = (sessionKey: string, updatedAt: number, more: object = {}): KeptSession => ({
  info: { sessionKey, cwd: undefined, title: "a title", createdAt: 0, updatedAt, ...more },
  messages: 3,
  bytes: 2048
})

const ORDER = orderKey({ principal: "ci" }, "k")
const AT = Date.UTC(2026, 10, 23, 4, 5, 6)

describe("the list of conversations", () => {
  it("has the latest first, each with its agent and client", () => {
    const rows = rowsOf({
      kept: [
        kept("session-of-an-editor", AT - 1_000, { agent: "main" }),
        kept(ORDER, AT, { agent: "coder", client: "ci" }),
        kept(orderKey({ principal: "old" }, "k"), AT - 2_000, { backend: "openclaw ws://x" })
      ],
      broken: []
    })
    assert.deepStrictEqual(
      rows.map(({ agent, client }) => [agent, client]),
      [
        ["coder", "ci"],
        ["main", "an editor"],
        ["openclaw", null]
      ]
    )
    assert.deepInclude(rows[0], { session: ORDER, lastUsed: "2026-11-23T04:05:06.000Z", messages: 3, bytes: 2048 })
  })

  it.each([40, 80, 120, 200])("fits %i columns, without control characters", (columns) => {
    const names = { agent: "main", client: "evil\u001b[2J\n\u202ename" }
    const text = renderSessions(rowsOf({ kept: [kept(ORDER, AT, names)], broken: [] }), columns)
    const widest = Math.max(...text.split("\n").map((line) => Array.from(line).length))
    if (columns >= 80) assert.isAtMost(widest, columns)
    assert.notMatch(text, /[\u001b\u202e]/)
    assert.include(text, "2026-11-23T04:05:06Z")
    assert.include(text, "2 KB")
    // Whole, or on a line of its own.
    if (columns >= 80) assert.include(text, ORDER)
  })

  it("says so when it is empty", () => {
    assert.strictEqual(renderSessions([], 80), "No conversations are stored.")
  })
})
