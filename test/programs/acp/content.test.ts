/** Content between ACP and our own types. */
import { assert, describe, it } from "@effect/vitest"
import { fromPrompt } from "../../../src/programs/acp/content.ts"

describe("what a person sends", () => {
  it("has whole characters alone, wherever it stands", () => {
    const half = "a\ud83d"
    const parts = fromPrompt([
      { type: "text", text: half },
      { type: "resource_link", name: half, uri: half },
      { type: "resource", resource: { uri: half, text: half } },
      { type: "image", mimeType: "image/png", data: half },
      { type: "resource", resource: { uri: half, blob: "AAAA" } }
    ])
    const text = JSON.stringify(parts)
    assert.notInclude(text, "ud83d")
    assert.lengthOf(text.match(/\ufffd/gu) ?? [], 10)
  })
})
