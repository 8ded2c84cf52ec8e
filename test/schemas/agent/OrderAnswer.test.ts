import { assert, describe, it } from "@effect/vitest"
import { makeAnswer, wordsOf, type OrderPart } from "../../../src/schemas/agent/OrderAnswer.ts"
import { base64, FILES, PDF, PNG, sized, wav } from "../../support/media.ts"

const png = { mediaType: "image/png", data: base64(PNG), name: "a.png" }
const small = { itemBytes: 100, answerBytes: 250, parts: 6 }
const MEBIBYTE = 1024 * 1024

/** Names of media, and words. */
const brief = (parts: ReadonlyArray<OrderPart>) => parts.map((part) => (part.type === "text" ? part.text : part.name))

describe("the answer to an agent request", () => {
  it("has text and media in the order in which they came", () => {
    const answer = makeAnswer()
    answer.text("Let me ")
    answer.text("look.")
    answer.media(png)
    answer.media({ mediaType: "audio/wav", data: base64(wav()), name: undefined })
    answer.text("There.")
    assert.deepStrictEqual(answer.end("stop"), [
      { type: "text", text: "Let me look." },
      { type: "media", mediaType: "image/png", data: base64(PNG), name: "a.png", bytes: PNG.length },
      { type: "media", mediaType: "audio/wav", data: base64(wav()), name: "audio.wav", bytes: wav().length },
      { type: "text", text: "There." }
    ])
  })

  it("leaves out repeated text and media", () => {
    const answer = makeAnswer()
    answer.text("Same.")
    answer.media(png)
    answer.text(" Same.\n")
    answer.media({ ...png, name: "b.png", data: png.data.replace(/=+$/, "") })
    answer.close()
    answer.text("Other.")
    assert.deepStrictEqual(brief(answer.end("stop")), ["Same.", "a.png", "Other."])
  })

  it("has no empty parts", () => {
    const answer = makeAnswer()
    answer.text(" \n")
    answer.close()
    assert.deepStrictEqual(answer.end("stop"), [])
  })

  it("includes media of the type that their bytes have, or says why not", () => {
    const answer = makeAnswer()
    answer.media({ ...png, mediaType: "image/jpeg" })
    answer.media({ ...png, data: "not base64", name: "b" })
    answer.media({ ...png, mediaType: "text/html; x", data: base64(PDF), name: "c" })
    answer.media({ mediaType: undefined, data: base64(Buffer.from("%PDF-")), name: "file:///x/%C3%BC.pdf?y#z" })
    answer.media({ mediaType: "application/json", data: base64(Buffer.from("{")), name: "d" })
    answer.missing("x/e.png", "it is no longer kept")
    assert.deepStrictEqual(
      answer.end("stop").map((part) => (part.type === "text" ? part.text : [part.name, part.mediaType])),
      [
        '["a.png" (image/jpeg) was left out: its bytes are not of that type]',
        '["b" (image/png) was left out: its data is not base64]',
        ["c", "application/octet-stream"],
        ["ü.pdf", "application/octet-stream"],
        '["d" (application/json) was left out: its bytes are not of that type]',
        '["e.png" was left out: it is no longer kept]'
      ]
    )
  })

  it("gives media safe names that are all different", () => {
    const answer = makeAnswer()
    for (const [index, name] of ["x://../a.txt", "A.TXT", "\u202egnp.exe", "%2e%2e%2fb", "%zz"].entries()) {
      answer.media({ mediaType: "text/plain", data: base64(Buffer.from(`${index}`)), name })
    }
    assert.deepStrictEqual(brief(answer.end("stop")), ["a.txt", "A (2).TXT", "gnp.exe", "b", "%zz"])
  })

  it("limits media to 20 MB each and 50 MB together", () => {
    const item = (size: number, name: string) => ({ ...png, data: base64(sized(PNG, size)), name })
    const answer = makeAnswer()
    answer.media(item(20 * MEBIBYTE + 1, "over.png"))
    answer.media(item(20 * MEBIBYTE, "a.png"))
    answer.media(item(20 * MEBIBYTE - 1, "b.png"))
    answer.media(item(10 * MEBIBYTE + 2, "c.png"))
    answer.media(item(10 * MEBIBYTE + 1, "d.png"))
    answer.media(item(100, "e.png"))
    assert.deepStrictEqual(brief(answer.end("stop")), [
      '["over.png" (image/png) was left out: it has 20,971,521 bytes, and one item may have 20 MB]',
      "a.png",
      "b.png",
      '["c.png" (image/png) was left out: it has 10,485,762 bytes, and the whole answer may have 50 MB]',
      "d.png",
      '["e.png" (image/png) was left out: it has 100 bytes, and the whole answer may have 50 MB]'
    ])
  })

  it("keeps text when media have used up the space", () => {
    const answer = makeAnswer({ limits: { ...small, answerBytes: 200 } })
    answer.media({ ...png, data: base64(sized(PNG, 90)), name: "a.png" })
    answer.media({ ...png, data: base64(sized(PNG, 91)), name: "b.png" })
    answer.text("x".repeat(60))
    assert.deepStrictEqual(
      brief(answer.end("stop")).map((text) => text.slice(0, 20)),
      ["a.png", '["b.png" (image/png)', "x".repeat(20)]
    )
  })

  it("cuts long text between characters, and says so", () => {
    const one = makeAnswer({ limits: small })
    one.text("🦞".repeat(30))
    one.text("more")
    assert.deepStrictEqual(brief(one.end("stop")), [
      "🦞".repeat(25),
      "[14 more characters were left out: the answer has become too long]"
    ])
    const all = makeAnswer({ limits: small })
    for (const letter of ["a", "b", "c"]) {
      all.text(letter.repeat(100))
      all.close()
    }
    assert.deepStrictEqual(
      brief(all.end("stop")).map((text) => text.length),
      [100, 100, 50, 66]
    )
  })

  it("limits the number of parts, and says how many were left out", () => {
    const answer = makeAnswer({ limits: small })
    for (let index = 0; index < 9; index++) {
      answer.text(`${index}`)
      answer.close()
    }
    assert.deepStrictEqual(brief(answer.end("stop")).slice(5), [
      "5",
      "[3 more parts were left out: there are too many]"
    ])
  })

  it("says why it ended when the agent was stopped", () => {
    const ended = (end: "stop" | "steps" | "length" | "refusal" | "other") => brief(makeAnswer().end(end)).join("")
    assert.strictEqual(ended("stop"), "")
    assert.strictEqual(ended("other"), "")
    assert.include(ended("length"), "reached its length limit")
    assert.include(ended("steps"), "maximum number of steps")
    assert.include(ended("refusal"), "refused")
  })

  it("keeps the boundaries around a server's text", () => {
    const wrapped =
      '<<<EXTERNAL_UNTRUSTED_CONTENT id="ab">>>\nSource: x\n---\nwords\n<<<END_EXTERNAL_UNTRUSTED_CONTENT id="ab">>>'
    const answer = makeAnswer()
    answer.text(wrapped)
    assert.deepStrictEqual(brief(answer.end("stop")), [wrapped])
  })

  it("gives its text without media", () => {
    const answer = makeAnswer()
    answer.text("One.\n")
    answer.media({ mediaType: "application/zip", data: base64(FILES["application/zip"]!), name: "a.zip" })
    answer.text("Two.")
    assert.strictEqual(wordsOf(answer.end("stop")), "One.\n\nTwo.")
  })
})
