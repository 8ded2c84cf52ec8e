import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { EventEmitter } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import { Exchange } from "../../../../../src/layers/listener/McpListener/http/Exchange.ts"
import { EventStreams } from "../../../../../src/layers/listener/McpListener/http/responses.ts"
import { SessionStreams } from "../../../../../src/layers/listener/McpListener/http/SessionStreams.ts"
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

describe("streams that clients come back to", () => {
  it.effect("are told again in turns of their holder: no replay begins before the one before has had its turn", () =>
    Effect.gen(function* () {
      const run = Effect.runForkWith(yield* Effect.context<never>())
      const turns: Array<() => void> = []
      const pace = { large: () => new Promise<void>((resolve) => turns.push(resolve)) }
      const holder = Object.assign(new ClientQuota(), { pace })
      const streams = new SessionStreams({ id: "session", run, holder, open: new EventStreams(run), revisions: [] })
      const texts: Array<string> = []
      const exchange = () =>
        new Exchange({
          who: { principal: "me", agent: undefined, only: undefined },
          incoming: {} as IncomingMessage,
          response: noting(texts),
          holder,
          run
        })
      streams.listen(exchange())
      yield* Effect.promise(() => streams.send({ jsonrpc: "2.0", method: "notifications/one" }))
      yield* Effect.promise(() => streams.send({ jsonrpc: "2.0", method: "notifications/two" }))
      const [, first = ""] = /^id: (\S+)$/m.exec(texts.join("")) ?? []
      texts.length = 0
      const count = () => texts.filter((text) => text.includes("notifications/two")).length
      const replays = [run(streams.resume(exchange(), first)), run(streams.resume(exchange(), first))]
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
})
