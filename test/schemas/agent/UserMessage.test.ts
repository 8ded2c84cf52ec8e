import { assert, describe, it } from "@effect/vitest"
import { inBase64, type UserPart } from "../../../src/schemas/agent/UserMessage.ts"

const file = (data: string | Uint8Array): UserPart => ({ type: "file", mediaType: "a/b", data })
const words: UserPart = { type: "text", text: "words" }

describe("files of a user message", () => {
  it("become base64 when all together fit the limit, and stay bytes otherwise", () => {
    const parts = [words, file(new Uint8Array(3)), file("AQID")]
    assert.deepStrictEqual(inBase64(parts, 9), [words, file("AAAA"), file("AQID")])
    assert.strictEqual(inBase64(parts, 8), parts)
  })
})
