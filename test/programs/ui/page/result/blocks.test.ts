import { assert, describe, it } from "@effect/vitest"
import { opensInBrowser, shownResult, type Received } from "../../../../../src/programs/ui/page/result/blocks.ts"
import type { Original, ResultDetails } from "../../../../../src/schemas/call/Tool.ts"

const details = (more: Partial<ResultDetails> = {}): ResultDetails => ({
  externalContent: { untrusted: true, source: "mcp_server", server: "s", tool: "t", mode: "delimit", wrapped: false },
  findings: [],
  notes: [],
  ...more
})
const result = (more: Partial<Received>): Received => ({ content: [], isError: false, details: details(), ...more })
const kinds = (received: Received) => shownResult(received).blocks.map(({ kind }) => kind)
const original = (more: Partial<Original>): Received =>
  result({
    details: details({ originals: [{ type: "blob", mimeType: undefined, uri: undefined, bytes: 3, ...more }] })
  })

describe("a result on the page", () => {
  it.each([
    ["image/png", "image"],
    ["image/PNG; charset=x", "image"],
    ["image/svg+xml", "other"],
    ["text/html", "other"],
    ["image/x-icon", "other"]
  ])("shows an image of the type %s as %s", (mimeType, kind) => {
    assert.deepStrictEqual(kinds(result({ content: [{ type: "image", data: "AAAA", mimeType }] })), [kind])
  })

  it.each([
    ["audio/mpeg", "AAAA", "audio"],
    ["audio/wav", undefined, "other"],
    ["video/mp4", "AAAA", "other"],
    ["application/pdf", "AAAA", "other"]
  ])("shows data of the type %s", (mimeType, data, kind) => {
    assert.deepStrictEqual(kinds(original({ type: "audio", mimeType, ...(data !== undefined && { data }) })), [kind])
  })

  it.each([
    ["https://example.org/a", true],
    ["http://example.org/a", false],
    ["javascript:alert(1)", false],
    ["https://google.com@evil.example/", false],
    ["https://evil.example\\@google.com", false],
    ["file:///etc/passwd", false],
    ["https://", false]
  ])("opens the link %s: %s", (address, opens) => {
    assert.strictEqual(opensInBrowser(address), opens)
  })

  it("says what a server says about a link, next to its address", () => {
    const { blocks } = shownResult(
      original({ type: "resource_link", uri: "file:///a", mimeType: "text/plain", link: { name: "a", size: 2048 } })
    )
    assert.deepStrictEqual(blocks, [
      { kind: "link", address: "file:///a", opens: false, words: ["a", "text/plain", "2 KB"] }
    ])
  })

  it("shows structured content once, though it is sent as text, too", () => {
    const received = result({ content: [{ type: "text", text: '{ "a": 1 }' }], structuredContent: { a: 1 } })
    assert.deepStrictEqual(kinds(received), ["value"])
    assert.deepStrictEqual(kinds({ ...received, content: [{ type: "text", text: "a is 1" }] }), ["value", "text"])
  })

  it("marks each place where the gateway replaced something", () => {
    const text = "key [REDACTED], again [REDACTED]"
    const findings = [{ kind: "secretEcho", detail: "known secret values", count: 2 }] as const
    const { blocks } = shownResult(result({ content: [{ type: "text", text }], details: details({ findings }) }))
    const marks = blocks[0]?.kind === "text" ? blocks[0].marks : []
    assert.deepStrictEqual(
      marks.map(({ from, to }) => text.slice(from, to)),
      ["[REDACTED]", "[REDACTED]"]
    )
  })

  it("does not mark a server's own [REDACTED]", () => {
    const { blocks } = shownResult(result({ content: [{ type: "text", text: "[REDACTED]" }] }))
    assert.deepStrictEqual(blocks, [{ kind: "text", text: "[REDACTED]", marks: [] }])
  })
})
