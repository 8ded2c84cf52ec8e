import type { AnyMessage } from "@agentclientprotocol/sdk"
import { assert, describe, it, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { sessionsFor } from "../../../src/programs/acp/agent.ts"
import { serve } from "../../../src/programs/acp/connection.ts"
import type { Sessions } from "../../../src/programs/acp/sessions.ts"
import { ACP_RECEIVING_MAX_BYTES, ACP_REQUESTS_MAX } from "../../../src/schemas/defaults/Acp.ts"
import { cwd, live, text } from "./live.ts"

type Frame = Readonly<Record<string, unknown>>

/** A client over no transport at all, which counts what has been taken of what it sends. */
const connected = () => {
  const frames: Array<Frame> = []
  const waiting = new Set<() => void>()
  const input = new TransformStream<AnyMessage, AnyMessage>()
  const writer = input.writable.getWriter()
  let taken = 0
  let hold: Promise<void> | undefined
  const output = new WritableStream<AnyMessage>({
    write: async (message) => {
      await hold
      frames.push(message as Frame)
      for (const look of waiting) look()
    }
  })
  return {
    frames,
    stream: { readable: input.readable, writable: output },
    taken: () => taken,
    holdBack: (until: Promise<void>) => void (hold = until),
    send: (message: Frame) =>
      void writer.write({ jsonrpc: "2.0", ...message } as AnyMessage).then(
        () => taken++,
        () => {}
      ),
    end: () => writer.close(),
    fail: (error: Error) => writer.abort(error),
    /** To the request with this id. */
    answer: (id: unknown) =>
      Effect.callback<Frame>((resume) => {
        const look = () => {
          const found = frames.find((frame) => frame["id"] === id && !("method" in frame))
          if (found !== undefined) resume(Effect.succeed(found))
        }
        waiting.add(look)
        look()
      }),
    answered: (count: number) =>
      Effect.callback<void>((resume) => {
        const look = () => {
          if (frames.length >= count) resume(Effect.void)
        }
        waiting.add(look)
        look()
      })
  }
}

/** After what is on its way. */
const soon = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

/** Sessions that never answer. */
const silent = new Proxy({} as Sessions, { get: () => () => Effect.never })
const initialize = { id: "hello", method: "initialize", params: { protocolVersion: 1 } }
const list = (id: number) => ({ id, method: "session/list", params: {} })

describe("an ACP connection", () => {
  it.live('limits concurrent requests, and answers further ones with a "busy" error', () =>
    Effect.gen(function* () {
      const { answered, frames, send, stream } = connected()
      yield* Effect.forkScoped(serve(stream, () => Effect.succeed(silent)))
      send(initialize)
      yield* answered(1)
      // What is no request is answered without an id, and makes no room.
      for (let id = 0; id < 20; id++) send({ id: {}, method: "session/list" })
      for (let id = 0; id < ACP_REQUESTS_MAX + 3; id++) send(list(id))
      yield* answered(24)
      const busy = frames.slice(1).filter(({ id }) => id !== null)
      assert.deepStrictEqual(
        busy.map(({ id }) => id),
        [ACP_REQUESTS_MAX, ACP_REQUESTS_MAX + 1, ACP_REQUESTS_MAX + 2]
      )
      assert.match(JSON.stringify(busy[0]), /"code":-32603.*Busy: 512 requests/)
      // One that is taken back makes room for another.
      send({ method: "$/cancel_request", params: { requestId: 0 } })
      yield* answered(25)
      assert.deepInclude(frames.at(-1), { id: 0 })
      yield* soon
      send(list(1_000))
      send(list(1_001))
      yield* answered(26)
      assert.deepInclude(frames.at(-1), { id: 1_001 })
    }).pipe(Effect.scoped)
  )

  it.live('limits the bytes of concurrent requests, and answers larger ones with a "busy" error', () =>
    Effect.gen(function* () {
      const { answered, frames, send, stream } = connected()
      yield* Effect.forkScoped(serve(stream, () => Effect.succeed(silent)))
      send(initialize)
      yield* answered(1)
      const large = (id: number, chars: number) => ({
        id,
        method: "session/prompt",
        params: { sessionId: "one", prompt: [{ type: "text", text: "x".repeat(chars) }] }
      })
      const third = ACP_RECEIVING_MAX_BYTES / 3
      for (const id of [0, 1, 2, 3]) send(large(id, third))
      yield* answered(3)
      assert.deepStrictEqual(
        frames.slice(1).map(({ id }) => id),
        [2, 3]
      )
      assert.match(
        JSON.stringify(frames[1]),
        /"code":-32603.*Busy: the requests that are being answered have \d+ bytes/
      )
      // What is small still goes.
      send({ id: 4, method: "session/no" })
      yield* answered(4)
      assert.deepInclude(frames.at(-1), { id: 4 })
      // Those that are taken back make room.
      for (const requestId of [0, 1]) send({ method: "$/cancel_request", params: { requestId } })
      yield* soon
      send(list(5))
      send({ method: "$/cancel_request", params: { requestId: 5 } })
      yield* answered(5)
    }).pipe(Effect.scoped)
  )

  it.live("stops reading while the client does not read", () =>
    Effect.gen(function* () {
      const { answered, holdBack, send, stream, taken } = connected()
      yield* Effect.forkScoped(serve(stream, () => Effect.succeed(silent)))
      send(initialize)
      yield* answered(1)
      let go = () => {}
      holdBack(new Promise((resolve) => (go = resolve)))
      const all = ACP_REQUESTS_MAX * 3
      for (let id = 0; id < all; id++) send(list(id))
      yield* soon
      assert.isBelow(taken(), ACP_REQUESTS_MAX + 10)
      go()
      yield* answered(1 + all - ACP_REQUESTS_MAX)
    }).pipe(Effect.scoped)
  )

  it.live("handles cancellations of unknown sessions at once", () =>
    Effect.gen(function* () {
      const { answered, send, stream, taken } = connected()
      yield* Effect.forkScoped(serve(stream, () => Effect.succeed({ ...silent, cancel: () => Effect.void })))
      send(initialize)
      yield* answered(1)
      yield* soon
      const before = taken()
      const listens = vi.spyOn(EventTarget.prototype, "addEventListener")
      const count = 1_000
      for (let i = 0; i < count; i++) send({ method: "session/cancel", params: { sessionId: `none-${i}` } })
      yield* Effect.repeat(soon, { until: () => taken() - before === count })
      yield* soon
      // Each listener at a signal is compared with all that are there.
      const atSignals = listens.mock.calls.filter(([type]) => type === "abort")
      listens.mockRestore()
      assert.isBelow(atSignals.length, count / 10)
    }).pipe(Effect.scoped)
  )

  it.live("ends when the client disconnects, and fails with the reason when its stream fails", () =>
    Effect.gen(function* () {
      const gone = connected()
      const served = yield* Effect.forkScoped(serve(gone.stream, () => Effect.succeed(silent)))
      yield* Effect.promise(gone.end)
      assert.isTrue(Exit.isSuccess(yield* Fiber.await(served)))
      const broken = connected()
      const failed = yield* Effect.forkScoped(serve(broken.stream, () => Effect.succeed(silent)))
      yield* Effect.promise(() => broken.fail(new Error("read EIO")))
      assert.strictEqual(
        (yield* Effect.flip(Fiber.join(failed))).message,
        "the connection to the client broke: read EIO"
      )
    }).pipe(Effect.scoped)
  )

  it.live("ends a turn whose cancellation comes together with it, also while its session is being loaded", () =>
    Effect.gen(function* () {
      const { answer, answered, send, stream } = connected()
      const context = yield* Effect.context<Effect.Services<ReturnType<typeof sessionsFor>>>()
      yield* Effect.forkScoped(serve(stream, (door) => Effect.provideContext(sessionsFor(door), context)))
      send(initialize)
      yield* answered(1)
      send({ id: "new", method: "session/new", params: { cwd, mcpServers: [] } })
      const { sessionId } = (yield* answer("new"))["result"] as { readonly sessionId: string }
      const about = (more: object = {}) => ({ sessionId, ...more })
      const prompt = (id: string, words: string) =>
        send({ id, method: "session/prompt", params: about({ prompt: text(words) }) })
      prompt("first", "say")
      assert.deepInclude(yield* answer("first"), { result: { stopReason: "end_turn" } })
      for (const id of ["alone", "another"]) prompt(id, "hang")
      send({ method: "session/cancel", params: about() })
      for (const id of ["alone", "another"]) {
        assert.deepInclude(yield* answer(id), { result: { stopReason: "cancelled" } })
      }
      send({ id: "load", method: "session/load", params: about({ cwd, mcpServers: [] }) })
      prompt("loading", "hang")
      send({ method: "session/cancel", params: about() })
      assert.deepInclude(yield* answer("loading"), { result: { stopReason: "cancelled" } })
      assert.property(yield* answer("load"), "result")
    }).pipe(
      Effect.scoped,
      Effect.provide(live((words) => (words === "hang" ? [{ wait: Effect.never }] : [{ say: "hi" }])))
    )
  )

  it.live('answers each open turn with "cancelled" when it is closed', () =>
    Effect.gen(function* () {
      const { answered, frames, send, stream } = connected()
      const scope = yield* Scope.make()
      yield* Effect.forkChild(serve(stream, () => Effect.succeed(silent)).pipe(Scope.provide(scope)))
      send(initialize)
      yield* answered(1)
      for (const id of [1, 2]) {
        send({ id, method: "session/prompt", params: { sessionId: "s", prompt: [{ type: "text", text: "x" }] } })
      }
      send(list(3))
      // Answered after those before it are on their way.
      send({ id: 4, method: "no/such/method" })
      yield* answered(2)
      yield* Scope.close(scope, Exit.void)
      const answers = new Map(frames.slice(2).map((frame) => [frame["id"], frame]))
      for (const id of [1, 2]) assert.deepInclude(answers.get(id), { result: { stopReason: "cancelled" } })
      assert.deepInclude(answers.get(3)!["error"], { code: -32_800 })
    })
  )
})
