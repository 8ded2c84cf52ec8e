import { assert, describe, it } from "@effect/vitest"
import { randomBytes } from "node:crypto"
import { makeLargeMedia } from "../../../../src/layers/agent/ModelSource/largeMedia.ts"

/** What is sent, read a piece at a time. */
const sending = () => {
  const sent: Array<{ readonly body: string; readonly length: string | null; readonly longest: number }> = []
  const send: typeof fetch = async (_, init) => {
    let [body, longest] = ["", 0]
    if (typeof init?.body === "string") body = init.body
    else {
      for await (const piece of init!.body as ReadableStream<Uint8Array>) {
        body += Buffer.from(piece).toString("latin1")
        longest = Math.max(longest, piece.length)
      }
    }
    sent.push({ body, longest, length: new Headers(init?.headers).get("content-length") })
    return new Response()
  }
  return { ...makeLargeMedia(send), sent }
}

const URL = "http://127.0.0.1/"
const post = (body: string) => ({ method: "POST", headers: { "content-type": "application/json" }, body })

describe("large media in a request to a model", () => {
  it("are streamed as base64 in chunks, with a correct Content-Length", async () => {
    const { fetch, nameOf, sent } = sending()
    const media = [1, 2, 3, 300_000, 300_001, 300_002].map((size) => randomBytes(size))
    const text = (names: ReadonlyArray<string>) =>
      JSON.stringify({ first: "é", names, last: `data:x;base64,${names[0]}` })
    await fetch(URL, post(text(media.map((bytes) => nameOf(bytes)))))
    const expected = text(media.map((bytes) => bytes.toString("base64")))
    assert.strictEqual(Buffer.from(sent[0]!.body, "latin1").toString(), expected)
    assert.strictEqual(sent[0]!.length, String(Buffer.byteLength(expected)))
    assert.isAtMost(sent[0]!.longest, 128 * 1024)
  })

  it("are sent again for the same name, until they are forgotten", async () => {
    const { fetch, forget, nameOf, sent } = sending()
    const name = nameOf(Buffer.from([1, 2, 3]))
    await fetch(URL, post(`{"a":"${name}"}`))
    await fetch(URL, post(`{"a":"${name}"}`))
    forget(name)
    await fetch(URL, post(`{"a":"${name}"}`))
    assert.deepStrictEqual(
      sent.map(({ body }) => body),
      ['{"a":"AQID"}', '{"a":"AQID"}', `{"a":"${name}"}`]
    )
  })

  it("have random names that are valid base64", () => {
    const { nameOf } = sending()
    const [one, other] = [nameOf(new Uint8Array(1)), nameOf(new Uint8Array(1))]
    assert.match(one, /^[0-9a-f]{48}$/)
    assert.notStrictEqual(one, other)
  })

  it("do not change a request without media", async () => {
    const { fetch, nameOf, sent } = sending()
    nameOf(new Uint8Array(1))
    await fetch(URL, post("{}"))
    assert.deepStrictEqual(sent, [{ body: "{}", longest: 0, length: null }])
  })
})
