/** The sessions that are open, counted for each holder of a token. */
import { assert, describe, it } from "@effect/vitest"
import { OpenSessions } from "../../../../../src/layers/listener/McpListener/http/OpenSessions.ts"

const session = (id: string, principal = "me", isInUse = false) => ({ id, who: { principal }, isInUse })

describe("open sessions", () => {
  it("count those that are being opened, for each holder and in all", () => {
    const all = new OpenSessions()
    const opened = all.opening("me")
    all.add(session("one"))
    all.add(session("two", "other"))
    assert.deepStrictEqual([all.count, all.countOf("me"), all.countOf("other")], [3, 2, 1])
    opened()
    all.delete("two")
    assert.deepStrictEqual([all.count, all.countOf("me"), all.countOf("other")], [1, 1, 0])
  })

  it("give the one that its holder has not used for longest, never one in use or another holder's", () => {
    const all = new OpenSessions<ReturnType<typeof session>>()
    const [one, two] = [session("one"), session("two")]
    for (const each of [session("theirs", "other"), session("busy", "me", true), one, two]) all.add(each)
    assert.strictEqual(all.unused("me")?.id, "one")
    all.used(one)
    assert.strictEqual(all.unused("me")?.id, "two")
    all.delete("two")
    all.delete("one")
    assert.isUndefined(all.unused("me"))
  })
})
