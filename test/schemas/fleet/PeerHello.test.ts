import { assert, describe, it } from "@effect/vitest"
import { hintOf, identityOf, readHint, readIdentity, speaksWith } from "../../../src/schemas/fleet/PeerHello.ts"

const from = { name: "node-1", incarnation: "abc1" }
const to = { name: "node-2", incarnation: "xyz2" }

describe("PeerHello", () => {
  it("says who calls, with which contract, and who is meant", () => {
    const hello = { contract: 3, oldest: 2, from, to }
    assert.deepStrictEqual(readIdentity(identityOf(hello)), hello)
  })

  it("may mean whoever is there", () => {
    const hello = { contract: 3, oldest: 2, from, to: undefined }
    assert.deepStrictEqual(readIdentity(identityOf(hello)), hello)
  })

  it("fits into what TLS has room for, with the longest names", () => {
    const long = { name: "n".repeat(63), incarnation: "i".repeat(36) }
    const identity = identityOf({ contract: 999_999_999, oldest: 999_999_999, from: long, to: long })
    assert.isBelow(identity.length, 256)
    assert.deepStrictEqual(readIdentity(identity)?.to, long)
  })

  it("is not read from anything else", () => {
    const texts = ["", "mcp-live/1/1", "other/1/1/a/b/-/-", "mcp-live/x/1/a/b/-/-", "mcp-live/1/1/a b/b/-/-"]
    for (const text of [...texts, "mcp-live/1/1/a/B/-/-", "mcp-live/1/1/a/b/-/c", "mcp-live/1/1/a/b/-/-/more"])
      assert.isUndefined(readIdentity(text), text)
  })

  it("reads the hint of a server", () => {
    assert.deepStrictEqual(readHint(hintOf({ contract: 2, oldest: 1 })), { contract: 2, oldest: 1 })
    for (const text of [null, "", "mcp-live/1", "mcp-live/1/1/1", "nginx/1/1"]) assert.isUndefined(readHint(text))
  })

  it("lets two nodes work together that have a contract in common", () => {
    assert.isTrue(speaksWith({ contract: 2, oldest: 1 }, { contract: 1, oldest: 1 }))
    assert.isTrue(speaksWith({ contract: 1, oldest: 1 }, { contract: 2, oldest: 1 }))
    assert.isFalse(speaksWith({ contract: 3, oldest: 2 }, { contract: 1, oldest: 1 }))
    assert.isFalse(speaksWith({ contract: 1, oldest: 1 }, { contract: 3, oldest: 2 }))
  })
})
