import { assert, describe, it } from "@effect/vitest"
import type { IncomingMessage } from "node:http"
import { Readable } from "node:stream"
import { Holder } from "../../../src/layers/McpListener/Holder.ts"
import { readBody } from "../../../src/layers/McpListener/httpMessages.ts"
import { LISTENER_RECEIVING_MAX_BYTES } from "../../../src/schemas/Defaults.ts"

const BODY = '{"a":1}'

const bodyOf = (text: string) =>
  Object.assign(Readable.from([Buffer.from(text)], { objectMode: false }), {
    headers: {}
  }) as unknown as IncomingMessage

describe("bodies over HTTP", () => {
  it("count as long as they are worked on, for the holder of a token alone", async () => {
    const [mine, theirs] = [new Holder(), new Holder()]
    const done = Promise.withResolvers<void>()
    assert.deepStrictEqual(await readBody(bodyOf(BODY), mine, done.promise), { value: { a: 1 } })
    assert.strictEqual(mine.receivedBytes, BODY.length)
    assert.strictEqual(theirs.receivedBytes, 0)
    done.resolve()
    await done.promise
    assert.strictEqual(mine.receivedBytes, 0)
  })

  it("are not taken where the holder of the token has sent too much that is not answered", async () => {
    const holder = new Holder()
    holder.receivedBytes = LISTENER_RECEIVING_MAX_BYTES - BODY.length
    assert.property(await readBody(bodyOf(BODY), holder, new Promise(() => {})), "value")
    const body = await readBody(bodyOf(BODY), holder, new Promise(() => {}))
    assert.strictEqual("refused" in body ? body.refused.status : 0, 503)
  })
})
