import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { EventEmitter } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import { Exchange } from "../../../../../src/layers/listener/McpListener/http/Exchange.ts"
import { EventStreams } from "../../../../../src/layers/listener/McpListener/http/responses.ts"
import { SessionStreams } from "../../../../../src/layers/listener/McpListener/http/SessionStreams.ts"
import { LISTENER_EVENTS_MAX } from "../../../../../src/schemas/defaults/Listener.ts"
import { ClientQuota } from "../../../../../src/layers/listener/McpListener/requests/ClientQuota.ts"

/** A response that notes what is written to it. */
const noting = (texts: Array<string>) =>
  Object.assign(new EventEmitter(), {
    closed: false,
    destroyed: false,
    writableLength: 0,
    writeHead: () => {},
    flushHeaders: () => {},
    setTimeout: () => {},
    end: (text = "") => void texts.push(text),
    write: (text: string) => void texts.push(text)
  }) as unknown as ServerResponse

const REVISION = "2025-11-25"

/** The streams of a session, and requests for it. */
const session = Effect.fnUntraced(function* (holder = new ClientQuota()) {
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const streams = new SessionStreams({ id: "session", run, holder, open: new EventStreams(run), revisions: [REVISION] })
  const exchange = (texts: Array<string> = []) =>
    new Exchange({
      who: { principal: "me", agent: undefined, only: undefined },
      incoming: {} as IncomingMessage,
      response: noting(texts),
      holder,
      run
    })
  return { exchange, holder, run, streams }
})

/** The connection breaks. */
const left = (exchange: Exchange): Exchange => {
  Object.assign(exchange.response, { destroyed: true })
  exchange.response.emit("close")
  return exchange
}

const PING = { jsonrpc: "2.0" as const, id: 1, method: "ping" }
const ANSWER = { jsonrpc: "2.0" as const, id: 1, result: { said: "the answer" } }
const news = (method: string) => ({ jsonrpc: "2.0" as const, method: `notifications/${method}` })

const nameIn = (texts: ReadonlyArray<string>): string => /^id: (\S+)$/m.exec(texts.join(""))?.[1] ?? ""

describe("streams that clients come back to", () => {
  it.effect("are told again in turns of their holder: no replay begins before the one before has had its turn", () =>
    Effect.gen(function* () {
      const turns: Array<() => void> = []
      const pace = { large: () => new Promise<void>((resolve) => turns.push(resolve)) }
      const { exchange, run, streams } = yield* session(Object.assign(new ClientQuota(), { pace }))
      const texts: Array<string> = []
      streams.listen(exchange(texts))
      yield* Effect.promise(() => streams.send(news("one")))
      yield* Effect.promise(() => streams.send(news("two")))
      const first = nameIn(texts)
      texts.length = 0
      const count = () => texts.filter((text) => text.includes("notifications/two")).length
      const replays = [run(streams.resume(exchange(texts), first)), run(streams.resume(exchange(texts), first))]
      assert.strictEqual(count(), 0)
      turns.shift()!()
      yield* Fiber.join(replays[0]!)
      // The client came back once more: what it missed goes there.
      assert.strictEqual(count(), 0)
      turns.shift()!()
      yield* Fiber.join(replays[1]!)
      assert.strictEqual(count(), 1)
    })
  )

  it.effect("are not kept for a client that left before its request was handed on", () =>
    Effect.gen(function* () {
      const { exchange, streams } = yield* session()
      const first = streams.ask(left(exchange()), [PING], [PING.id], REVISION)!
      const texts: Array<string> = []
      yield* streams.resume(exchange(texts), first)
      // Nothing is to come there.
      assert.deepStrictEqual(texts, [""])
    })
  )

  it.effect("wait as long as they would for a client whose return breaks at once", () =>
    Effect.gen(function* () {
      const { exchange, holder, streams } = yield* session()
      const asked = exchange()
      const first = streams.ask(asked, [PING], [PING.id], REVISION)!
      yield* Effect.promise(() => streams.send(news("progress"), { relatedRequestId: PING.id }))
      left(asked)
      yield* streams.resume(left(exchange()), first)
      assert.strictEqual(holder.away, 1)
      assert.notStrictEqual(asked.scope.state._tag, "Closed")
      const texts: Array<string> = []
      yield* streams.resume(exchange(texts), first)
      yield* Effect.promise(() => streams.send(ANSWER))
      assert.include(texts.join(""), "the answer")
      assert.strictEqual(holder.away, 0)
    })
  )

  it.effect("are found however many requests there were meanwhile: that of news, and those not answered", () =>
    Effect.gen(function* () {
      const { exchange, streams } = yield* session()
      const before: Array<string> = []
      const listening = exchange(before)
      streams.listen(listening)
      yield* Effect.promise(() => streams.send(news("one")))
      const first = streams.ask(exchange(), [PING], [PING.id], REVISION)!
      for (let id = 2; id < LISTENER_EVENTS_MAX + 3; id++) {
        const asked = exchange()
        streams.ask(asked, [{ ...PING, id }], [id], REVISION)
        yield* Effect.promise(() => streams.send({ ...ANSWER, id }))
        left(asked)
      }
      assert.isTrue(streams.has(first))
      left(listening)
      assert.isTrue(streams.has(nameIn(before)))
      const texts: Array<string> = []
      yield* streams.resume(exchange(texts), nameIn(before))
      yield* Effect.promise(() => streams.send(news("two")))
      assert.include(texts.join(""), "notifications/two")
    })
  )

  it.effect("have news for a client whose return to them broke at once", () =>
    Effect.gen(function* () {
      const { exchange, streams } = yield* session()
      const before: Array<string> = []
      const listening = exchange(before)
      streams.listen(listening)
      yield* Effect.promise(() => streams.send(news("one")))
      left(listening)
      yield* streams.resume(left(exchange()), nameIn(before))
      const texts: Array<string> = []
      assert.isTrue(streams.listen(exchange(texts)))
      yield* Effect.promise(() => streams.send(news("two")))
      assert.include(texts.join(""), "notifications/two")
    })
  )
})
