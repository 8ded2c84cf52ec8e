import { assert, describe, it } from "@effect/vitest"
import type { IncomingMessage } from "node:http"
import { LISTENER_MESSAGE_MAX_BYTES, LISTENER_RECEIVING_MAX_BYTES } from "../../../src/schemas/defaults/Listener.ts"
import { Holder } from "../../../src/layers/McpListener/Holder.ts"
import { readBody } from "../../../src/layers/McpListener/httpMessages.ts"

const PART = Buffer.alloc(1024 * 1024, " ")

/** A body of so many parts, without a word of how long it will be; `last` comes at its end. */
const arriving = (parts: number, last = "{}") =>
  ({
    headers: {},
    iterator: async function* () {
      for (let part = 0; part < parts; part++) yield PART
      yield Buffer.from(last)
    }
  }) as unknown as IncomingMessage

const holding = (receivedBytes: number): Holder => Object.assign(new Holder(), { receivedBytes })

const statusOf = async (request: IncomingMessage, holder = new Holder()) => {
  const done = Promise.resolve()
  const body = await readBody(request, holder, done)
  await done
  return { status: "refused" in body ? body.refused.status : 200, left: holder.receivedBytes }
}

describe("bodies", () => {
  it("that do not say how long they are end at the bound all the same", async () => {
    assert.deepStrictEqual(await statusOf(arriving(3)), { status: 200, left: 0 })
    const parts = LISTENER_MESSAGE_MAX_BYTES / PART.length
    assert.deepStrictEqual(await statusOf(arriving(parts)), { status: 413, left: 0 })
  })

  it("are received so many bytes at the same time of one holder of a token", async () => {
    const { left, status } = await statusOf(arriving(2), holding(LISTENER_RECEIVING_MAX_BYTES - PART.length))
    assert.strictEqual(status, 503)
    assert.strictEqual(left, LISTENER_RECEIVING_MAX_BYTES - PART.length)
  })

  it("count until they are answered", async () => {
    const holder = new Holder()
    const done = Promise.withResolvers<void>()
    assert.property(await readBody(arriving(1), holder, done.promise), "value")
    assert.strictEqual(holder.receivedBytes, PART.length + 2)
    done.resolve()
    await done.promise
    assert.strictEqual(holder.receivedBytes, 0)
  })

  it("that break off are no message", async () => {
    const broken = {
      headers: {},
      iterator: async function* () {
        yield PART
        throw new Error("aborted")
      }
    } as unknown as IncomingMessage
    assert.deepStrictEqual(await statusOf(broken), { status: 400, left: 0 })
  })
})
