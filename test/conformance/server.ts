/**
 * The server under test: our listener with the suite's fixtures, and a door before it that brings the token, which the suite
 * has none of. Everything else passes as it is, but for the number of the port. Says its address, and runs until stdin ends.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Redacted from "effect/Redacted"
import { createServer, request } from "node:http"
import * as McpListenerLayer from "../../src/layers/listener/McpListener.ts"
import { McpListener, type OfferChange } from "../../src/services/listener/McpListener.ts"
import { sanitizer } from "../support/sanitizer.ts"
import { makeConformanceOffer } from "./serverOffer.ts"

const TOKEN = "the-token-of-the-suite"

const portOf = (server: ReturnType<typeof createServer>): number => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

const openDoor = (url: string): Promise<string> => {
  const inner = new URL(url).port
  const door = createServer((from, to) => {
    const outer = `:${portOf(door)}`
    const moved = (value: string | undefined) => value?.replace(outer, `:${inner}`)
    const headers = Object.entries({
      ...from.headers,
      host: moved(from.headers.host),
      origin: moved(from.headers.origin),
      authorization: `Bearer ${TOKEN}`
    }).filter(([, value]) => value !== undefined)
    const on = request(
      { host: "127.0.0.1", port: inner, path: from.url, method: from.method, headers: Object.fromEntries(headers) },
      (answer) => {
        to.writeHead(answer.statusCode ?? 500, answer.headers)
        to.flushHeaders()
        answer.pipe(to)
      }
    )
    on.on("error", () => to.destroy())
    to.on("close", () => on.destroy())
    from.pipe(on)
  })
  return new Promise((resolve) => door.listen(0, "127.0.0.1", () => resolve(`http://localhost:${portOf(door)}/mcp`)))
}

const program = Effect.scoped(
  Effect.gen(function* () {
    const { http } = yield* McpListener
    const changes = yield* PubSub.unbounded<OfferChange>()
    const url = yield* http(() => Effect.succeed(makeConformanceOffer(changes)), {
      port: 0,
      tokens: [{ token: Redacted.make(TOKEN), principal: "suite" }]
    })
    const address = yield* Effect.promise(() => openDoor(url))
    process.stdout.write(`${address}\n`)
    yield* Effect.promise(() => new Promise((resolve) => process.stdin.resume().once("end", resolve)))
    process.exit(0)
  })
).pipe(Effect.provide(McpListenerLayer.layer.pipe(Layer.provide(sanitizer))))

NodeRuntime.runMain(program)
