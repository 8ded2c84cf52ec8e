import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ClientQuota } from "../../../../../src/layers/listener/McpListener/requests/ClientQuota.ts"
import { Streams } from "../../../../../src/layers/listener/McpListener/http/Streams.ts"

describe("streams that clients come back to", () => {
  it("are told again in turns of their holder: one replay is not begun before the one before has had its turn", async () => {
    const turns: Array<() => void> = []
    const pace = { large: () => new Promise<void>((resolve) => turns.push(resolve)) }
    const streams = new Streams(Effect.runFork, Object.assign(new ClientQuota(), { pace }))
    const first = await streams.storeEvent("a", {} as never)
    await streams.storeEvent("a", { jsonrpc: "2.0", id: 1, result: {} })
    let sent = 0
    const replay = () =>
      streams.replayEventsAfter(first, {
        send: async () => {
          sent++
        }
      })
    const replays = [replay(), replay()]
    assert.strictEqual(sent, 0)
    turns.shift()!()
    await replays[0]
    assert.strictEqual(sent, 1)
    turns.shift()!()
    await replays[1]
    assert.strictEqual(sent, 2)
  })
})
