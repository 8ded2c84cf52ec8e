import { assert, describe, it } from "@effect/vitest"
import type { IncomingMessage } from "node:http"
import {
  LISTENER_BATCH_MAX,
  LISTENER_CALL_MAX_BYTES,
  LISTENER_CALL_MAX_PARTS,
  LISTENER_RECEIVING_IN_ALL_MAX_BYTES,
  LISTENER_RECEIVING_MAX_BYTES
} from "../../../../../src/schemas/defaults/Listener.ts"
import { ORDERS } from "../../../../../src/programs/mcpServer/intake.ts"
import { ORDER_RECEIVING_IN_ALL_MAX_BYTES } from "../../../../../src/schemas/defaults/Orders.ts"
import { CALLS } from "../../../../../src/layers/listener/McpListener/requests/intake.ts"
import { ClientQuota, makeClientQuotas } from "../../../../../src/layers/listener/McpListener/requests/ClientQuota.ts"
import { makeReadBody } from "../../../../../src/layers/listener/McpListener/http/httpMessages.ts"

const PART = Buffer.alloc(1024 * 1024, " ")

/** What somebody works on until it is over. */
const makeWork = () => {
  const overs: Array<() => void> = []
  return { whenOver: (over: () => void) => void overs.push(over), end: () => overs.forEach((over) => over()) }
}

const readBody = makeReadBody(CALLS)

/** A body of so many parts, without a word of how long it will be; `last` comes at its end. */
const arriving = (parts: number, last = "{}") =>
  ({
    headers: {},
    iterator: async function* () {
      for (let part = 0; part < parts; part++) yield PART
      yield Buffer.from(last)
    }
  }) as unknown as IncomingMessage

const holding = (bytes: number): ClientQuota => {
  const holder = new ClientQuota()
  holder.shares.received.take(bytes)
  return holder
}

const statusOf = async (request: IncomingMessage, holder = new ClientQuota()) => {
  const { end, whenOver } = makeWork()
  const body = await readBody(request, holder, whenOver)
  end()
  return { status: "refused" in body ? body.refused.status : 200, left: holder.shares.received.taken() }
}

describe("bodies", () => {
  it("that do not say how long they are end at the bound all the same", async () => {
    assert.deepStrictEqual(await statusOf(arriving(3)), { status: 200, left: 0 })
    const parts = LISTENER_CALL_MAX_BYTES / PART.length
    assert.deepStrictEqual(await statusOf(arriving(parts)), { status: 413, left: 0 })
  })

  it("are received so many bytes at the same time of one holder of a token", async () => {
    const { left, status } = await statusOf(arriving(2), holding(LISTENER_RECEIVING_MAX_BYTES - PART.length))
    assert.strictEqual(status, 503)
    assert.strictEqual(left, LISTENER_RECEIVING_MAX_BYTES - PART.length)
  })

  it("count until they are answered", async () => {
    const holder = new ClientQuota()
    const { end, whenOver } = makeWork()
    assert.property(await readBody(arriving(1), holder, whenOver), "value")
    // An object takes more than its two brackets.
    assert.isAbove(holder.shares.received.taken(), PART.length + 2)
    end()
    assert.strictEqual(holder.shares.received.taken(), 0)
  })

  it("are received so many bytes at the same time of all holders together", async () => {
    const { end, whenOver } = makeWork()
    const parts = LISTENER_CALL_MAX_BYTES / PART.length - 1
    const enough = Math.floor(LISTENER_RECEIVING_IN_ALL_MAX_BYTES / (parts * PART.length))
    // More holders than have room for such a body each.
    const names = Array.from({ length: enough * 2 }, (_, index) => `${index}`)
    const holders = names.map(makeClientQuotas(names, CALLS).of)
    for (let count = 0; count < enough; count++) {
      assert.property(await readBody(arriving(parts), holders[count]!, whenOver), "value")
    }
    const last = holders.at(-1)!
    const full = await readBody(arriving(parts), last, whenOver)
    assert.strictEqual("refused" in full ? full.refused.status : 200, 503)
    // What is its part it has all the same.
    assert.property(await readBody(arriving(1), last, whenOver), "value")
    end()
    assert.property(await readBody(arriving(parts), last, whenOver), "value")
  })

  it("of one holder keep nobody else's out, however much it sends and does not end", async () => {
    const [greedy, other] = ["greedy", "other"].map(makeClientQuotas(["greedy", "other"], ORDERS).of)
    greedy!.shares.received.take(ORDER_RECEIVING_IN_ALL_MAX_BYTES)
    const read = makeReadBody(ORDERS)
    const { whenOver } = makeWork()
    const full = await read(arriving(1), greedy!, whenOver)
    assert.strictEqual("refused" in full ? full.refused.status : 200, 503)
    assert.property(await read(arriving(7), other!, whenOver), "value")
  })

  it("weigh what they take when they are parsed, so that many small ones with many parts are bounded, too", async () => {
    const holder = new ClientQuota()
    const wide = `[${"{},".repeat(LISTENER_CALL_MAX_PARTS - 2)}{}]`
    let taken = 0
    while ("value" in (await readBody(arriving(0, wide), holder, () => {}))) taken++
    assert.isAtMost(taken, 8)
    assert.isBelow(taken * wide.length, LISTENER_CALL_MAX_BYTES)
  })

  it("are refused at the bytes that break a bound, which is told with its number, and not read on", async () => {
    let read = 0
    const endless = (piece: string) =>
      ({
        headers: {},
        iterator: async function* () {
          for (;;) yield Buffer.from(piece.repeat(Math.ceil(65_536 / (++read && piece.length))))
        }
      }) as unknown as IncomingMessage
    for (const [piece, said] of [
      ["{},", `${LISTENER_CALL_MAX_PARTS} strings`],
      ["[", "128 levels"],
      ["1,", "100000 values"],
      ["x", `${LISTENER_CALL_MAX_BYTES} bytes`]
    ] as const) {
      read = 0
      const body = await readBody(endless(piece), new ClientQuota(), () => {})
      const refused = "refused" in body ? body.refused : assert.fail(piece)
      assert.strictEqual(refused.status, piece === "x" ? 413 : 400)
      assert.include(refused.text, said)
      assert.isAtMost(read * 65_536, LISTENER_CALL_MAX_BYTES + 65_536)
      if (piece !== "x") assert.isAtMost(read, 5)
    }
  })

  it("of more messages than may be sent as one are refused", async () => {
    const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
    const of = (count: number) => statusOf(arriving(0, `[${Array.from({ length: count }, () => ping).join()}]`))
    assert.strictEqual((await of(LISTENER_BATCH_MAX)).status, 200)
    assert.strictEqual((await of(LISTENER_BATCH_MAX + 1)).status, 400)
  })

  it("whose length is over the limit are refused before a byte is read", async () => {
    const request = {
      headers: { "content-length": String(LISTENER_CALL_MAX_BYTES + 1) },
      iterator: () => assert.fail("it was read")
    } as unknown as IncomingMessage
    assert.deepStrictEqual(await statusOf(request), { status: 413, left: 0 })
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
