/** How long a message may take to arrive over HTTP. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { connect } from "node:net"
import { CALLS } from "../../../src/layers/listener/McpListener/requests/intake.ts"
import { ORDERS } from "../../../src/programs/mcpServer/intake.ts"
import { listening, TOKENS } from "../../support/listener.ts"
import { ask, textOf } from "../../support/rawHttp.ts"

const MODERN = "2026-07-28"
const FOREVER_MS = 600_000

/** Done when the connection of a body that stops after its first byte is closed. */
const stalled = (url: string): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const { host, port } = new URL(url)
    const socket = connect(Number(port), "127.0.0.1")
    const head = [
      "POST /mcp HTTP/1.1",
      `host: ${host}`,
      `authorization: Bearer ${TOKENS.me}`,
      "content-type: application/json",
      "accept: application/json, text/event-stream",
      "content-length: 100"
    ]
    socket.on("error", () => {}).resume()
    socket.once("close", () => resume(Effect.void))
    socket.write([...head, "", "{"].join("\r\n"))
    return Effect.sync(() => socket.destroy())
  })

describe("a message that arrives over HTTP", () => {
  it.live("ends its connection if it stops half-way, and no other one", () =>
    Effect.gen(function* () {
      const intake = { ...CALLS, receiveMs: FOREVER_MS, silentMs: 100 }
      const { url } = yield* listening({ door: { intake } })
      yield* stalled(url)
      const call = ask(MODERN, url, TOKENS.me, "tools/call", { name: "echo", arguments: { text: "still here" } })
      assert.include(textOf(yield* Effect.promise(() => call)), "still here")
    }).pipe(Effect.scoped)
  )

  it("has as much time as the largest agent request needs at 5 Mbit/s", () => {
    assert.isAtMost((ORDERS.messageMaxBytes * 8) / (ORDERS.receiveMs / 1_000), 5_000_000)
  })
})
