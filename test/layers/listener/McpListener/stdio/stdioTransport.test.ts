import { assert, describe, it } from "@effect/vitest"
import { PassThrough } from "node:stream"
import { afterAll, vi } from "vitest"
import {
  LISTENER_PROBE_MS,
  LISTENER_UNREAD_MAX_BYTES,
  LISTENER_UNREAD_MS,
  LISTENER_WAITING_MAX_BYTES
} from "../../../../../src/schemas/defaults/Listener.ts"
import { STREAM_TURN_LINES } from "../../../../../src/schemas/defaults/Wire.ts"
import { CALLS } from "../../../../../src/layers/listener/McpListener/requests/intake.ts"
import { makeStdioTransport } from "../../../../../src/layers/listener/McpListener/stdio/stdioTransport.ts"

// What is shared by a whole process has seen a clock here that ran ahead: no other test gets that.
afterAll(() => void vi.resetModules())

const isMessage = (message: unknown) => !(message as { readonly isOdd?: boolean }).isOdd

const tick = () => new Promise((resolve) => setImmediate(resolve))

/** A client that reads only when it is told to, and a server that answers each message with so many bytes. */
const opened = async (answerBytes: number, isBusy = () => false, receivingMaxBytes = CALLS.receivingMaxBytes) => {
  const input = new PassThrough()
  const sent: Array<{ readonly chunk: string; readonly read: () => void }> = []
  const output = {
    send: (chunk: Uint8Array | string) =>
      new Promise<void>((resolve) => {
        sent.push({ chunk: String(chunk), read: resolve })
      })
  }
  const handed: Array<unknown> = []
  const transport = makeStdioTransport({
    input,
    output,
    makeReader: CALLS.makeReader,
    receivingMaxBytes,
    isBusy,
    isMessage,
    onArrival: () => {}
  })
  transport.onmessage = (message) => {
    handed.push((message as { readonly id: unknown }).id)
    if (answerBytes > 0) {
      const result = { text: "x".repeat(answerBytes) }
      void transport.send({ jsonrpc: "2.0", id: 0, result }).catch(() => {})
    }
  }
  await transport.start()
  const ask = async (count: number, padding = "") => {
    for (let id = 0; id < count; id++) {
      input.write(`${JSON.stringify({ jsonrpc: "2.0", id, method: "ping", params: { padding } })}\n`)
    }
    for (let i = 0; i < 20; i++) await tick()
  }
  return { ask, handed, input, sent, transport }
}

describe("stdin and stdout as a transport", () => {
  it("a client that does not read is not read, and is read on when it does", async () => {
    const { ask, handed, sent } = await opened(64 * 1024)
    await ask(1_000)
    const taken = Math.ceil(LISTENER_UNREAD_MAX_BYTES / (64 * 1024))
    assert.isAtMost(handed.length, taken)
    assert.lengthOf(sent, handed.length)
    while (handed.length < 1_000) {
      for (const { read } of sent.splice(0)) read()
      await tick()
    }
    assert.deepStrictEqual(
      handed,
      Array.from({ length: 1_000 }, (_, id) => id)
    )
  })

  it("what waits for its turn is bounded: then the client waits", async () => {
    let isBusy = true
    const { ask, handed, input, transport } = await opened(0, () => isBusy)
    const padding = "x".repeat(64 * 1024)
    const count = (4 * LISTENER_WAITING_MAX_BYTES) / padding.length
    await ask(count, padding)
    assert.isEmpty(handed)
    assert.isTrue(input.isPaused())
    isBusy = false
    transport.wake()
    while (handed.length < count) await tick()
    assert.lengthOf(handed, count)
  })

  it("bytes that wait count with what a chunk takes, however short it is", async () => {
    const { input } = await opened(0, () => true)
    let taken = 0
    for (; !input.isPaused(); taken++) {
      input.write("a")
      await tick()
    }
    assert.isAtMost(taken, LISTENER_WAITING_MAX_BYTES / 1024)
  })

  it("hands on so many lines of a chunk in one turn of the event loop", async () => {
    const { handed, input, sent } = await opened(0)
    const count = 32 * 1024
    input.write(
      Buffer.concat([Buffer.from("1\n".repeat(count)), Buffer.from('{"jsonrpc":"2.0","id":7,"method":"ping"}\n')])
    )
    const turns: Array<number> = []
    while (handed.length === 0) {
      const before = sent.length
      for (const { read } of sent.slice(-STREAM_TURN_LINES)) read()
      await tick()
      turns.push(sent.length - before)
    }
    assert.lengthOf(sent, count)
    assert.isAtMost(Math.max(...turns), 2 * STREAM_TURN_LINES)
  })

  it("requests under way are bounded by what they weigh; what is over is refused, and answers make room", async () => {
    const most = 256 * 1024
    const { handed, input, sent, transport } = await opened(0, () => false, most)
    // Each message is either handed on or answered, in however many turns.
    const say = async (message: object) => {
      const before = handed.length + sent.length
      input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
      while (handed.length + sent.length === before) await tick()
    }
    const large = (id: number, chars: number) => say({ id, method: "ping", params: { padding: "x".repeat(chars) } })
    const refused = () => sent.splice(0).map(({ chunk }) => JSON.parse(chunk))
    // One that is larger than all may be is under way alone.
    await large(1, most + 1)
    await large(2, 1)
    assert.deepStrictEqual(handed, [1])
    assert.deepInclude(refused()[0], { id: 2 })
    // What is no request is never too much.
    await say({ method: "notifications/cancelled", params: { requestId: 9 } })
    await transport.send({ jsonrpc: "2.0", id: 1, result: {} })
    await large(3, most / 2)
    await large(4, most / 2)
    await say({ method: "notifications/cancelled", params: { requestId: 3 } })
    await large(5, most / 2)
    assert.deepStrictEqual(handed, [1, undefined, 3, undefined, 5])
    assert.deepStrictEqual(
      refused().map(({ error, id }) => [id, error?.code]),
      [
        [1, undefined],
        [4, -32_000]
      ]
    )
  })

  it("that a client has left is noticed, however much it has not read", async () => {
    const { ask, input, sent, transport } = await opened(64 * 1024)
    const closed = new Promise<void>((resolve) => {
      transport.onclose = resolve
    })
    const padding = "x".repeat(64 * 1024)
    await ask((3 * LISTENER_WAITING_MAX_BYTES) / padding.length, padding)
    assert.isTrue(input.isPaused())
    input.end()
    await closed
    assert.isNotEmpty(sent)
  })

  it("who says much and does not read is read so far, and given up after a while", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] })
    const padding = "x".repeat(64 * 1024)
    try {
      const { ask, input, sent, transport } = await opened(64 * 1024)
      let isClosed = false
      transport.onclose = () => {
        isClosed = true
      }
      await ask((2 * LISTENER_WAITING_MAX_BYTES) / padding.length, padding)
      const more = Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", method: "more", params: { padding } })}\n`)
      const flood = () => {
        while (input.writableLength < 4 * 1024 * 1024) input.write(more)
      }
      const pass = async (ms: number) => {
        for (let passed = 0; passed < ms; passed += LISTENER_PROBE_MS) {
          flood()
          vi.advanceTimersByTime(LISTENER_PROBE_MS)
          await tick()
        }
      }
      await pass(LISTENER_UNREAD_MS - 1_000)
      assert.isFalse(isClosed)
      const left = input.readableLength + input.writableLength
      await tick()
      assert.strictEqual(input.readableLength + input.writableLength, left)
      // A word of it that was taken is a sign of life.
      sent.shift()!.read()
      await pass(LISTENER_UNREAD_MS - 1_000)
      assert.isFalse(isClosed)
      await pass(2_000)
      assert.isTrue(isClosed)
    } finally {
      vi.useRealTimers()
    }
  })

  it("whoever answers does not wait until that is read; whoever tells something does", async () => {
    const { sent, transport } = await opened(0)
    await transport.send({ jsonrpc: "2.0", id: 1, result: {} })
    await transport.send({ jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged" })
    assert.lengthOf(sent, 2)
    let done = 0
    void transport.send({ jsonrpc: "2.0", method: "notifications/progress" }).then(() => done++)
    void transport.read().then(() => done++)
    for (let i = 0; i < 20; i++) await tick()
    assert.strictEqual(done, 0)
    for (const { read } of sent) read()
    for (let i = 0; i < 20; i++) await tick()
    assert.strictEqual(done, 2)
  })

  it("what is none of the protocol's kinds is answered, and not handed on", async () => {
    const { handed, input, sent } = await opened(0)
    input.write('{"jsonrpc":"2.0","id":7,"method":"ping","isOdd":true}\n{"jsonrpc":"2.0","id":8,"method":"ping"}\n')
    for (let i = 0; i < 20; i++) await tick()
    assert.deepStrictEqual(handed, [8])
    assert.deepInclude(JSON.parse(sent[0]!.chunk), { id: 7 })
    assert.strictEqual(JSON.parse(sent[0]!.chunk).error.code, -32_600)
  })

  it("an id is that of one request, until that is answered or taken back", async () => {
    const { handed, input, sent, transport } = await opened(0)
    const say = async (message: object) => {
      const before = handed.length + sent.length
      input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
      while (handed.length + sent.length === before) await tick()
    }
    await say({ id: 1, method: "ping" })
    await say({ id: 1, method: "ping" })
    assert.deepStrictEqual(handed, [1])
    // An answer with its id would be one to the first.
    assert.deepInclude(JSON.parse(sent[0]!.chunk), { id: null })
    await say({ id: "1", method: "ping" })
    await transport.send({ jsonrpc: "2.0", id: 1, result: {} })
    await say({ id: 1, method: "ping" })
    await say({ method: "notifications/cancelled", params: { requestId: 1 } })
    await say({ id: 1, method: "ping" })
    assert.deepStrictEqual(handed, [1, "1", 1, undefined, 1])
  })

  it("ends once, with its client, and then sends nothing", async () => {
    const { input, transport } = await opened(0)
    let closed = 0
    transport.onclose = () => closed++
    input.end()
    for (let i = 0; i < 20; i++) await tick()
    await transport.close()
    assert.strictEqual(closed, 1)
    const failed = await transport.send({ jsonrpc: "2.0", method: "ping" }).catch((error: Error) => error.message)
    assert.strictEqual(failed, "the client has left")
  })
})
