import { assert, describe, it, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { once } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import { connect, type Socket } from "node:net"
import type { Recognize } from "../../src/system/connectionTurns.ts"
import { RATE_PIECE_BYTES } from "../../src/schemas/defaults/LargeWork.ts"
import { Places } from "../../src/system/connectionPlaces.ts"
import { listenAt, LOOPBACK, refuse } from "../../src/system/httpServer.ts"
import { Rate } from "../../src/system/rate.ts"
import { until } from "../support/openclawLink.ts"

/** On loopback, with places of its own. */
const listenOnLoopback = ({ connectionsMax, ...options }: typeof OPTIONS & { readonly recognize?: Recognize }) => {
  const places = new Places(connectionsMax)
  return Effect.map(listenAt({ ...options, address: LOOPBACK, places }), (listening) => ({ ...listening, places }))
}

const OPTIONS = { port: 0, connectionsMax: 512, headMs: 60_000, receiveMs: 60_000 }

const opened = (port: number) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const socket = connect(port, "127.0.0.1")
      socket.on("error", () => {})
      await once(socket, "connect")
      return socket
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

const request = (path: string, body = "") =>
  `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: ${body.length}\r\n\r\n${body}`

/** Lets in who asks for a path of its own, and no one else. Gives what was begun, in its order. */
const listening = Effect.suspend(() => {
  const rates = new Map<string, Rate>()
  /** The path is the token. */
  const recognize: Recognize = (head) => {
    const [, whose = ""] = /^POST (\S+)/.exec(head.toString()) ?? []
    const rate = rates.get(whose)
    return rate === undefined ? undefined : { whose, rate }
  }
  return Effect.map(listenOnLoopback({ ...OPTIONS, recognize }), (listener) => ({ ...listener, rates }))
}).pipe(
  Effect.map(({ places, port, rates, server }) => {
    const begun: Array<string> = []
    server.on("request", (incoming: IncomingMessage, response: ServerResponse) => {
      const { url = "" } = incoming
      begun.push(url)
      if (url === "/") return refuse(response, 401)
      if (!places.admit(incoming, response, url, rates.get(url))) return refuse(response, 503)
      return response.writeHead(200).end(url)
    })
    return { begun, port, rates }
  })
)

const answered = (socket: Socket) => Effect.promise(() => once(socket, "data"))

describe("turns of connections", () => {
  it.live("a client with 64 busy connections does not delay the request of another client", () =>
    Effect.gen(function* () {
      const { begun, port } = yield* listening
      const crowd = yield* Effect.forEach(Array.from({ length: 64 }), () => opened(port))
      const other = yield* opened(port)
      // From here on it is known who they are.
      for (const one of crowd) {
        one.write(request("/crowd"))
        yield* answered(one)
      }
      other.write(request("/other"))
      yield* answered(other)
      begun.length = 0
      for (const one of crowd) one.resume().write(request("/crowd"))
      other.write(request("/other"))
      yield* answered(other)
      assert.isBelow(begun.indexOf("/other"), 16)
    }).pipe(Effect.scoped)
  )

  it.live("200 new connections of a client do not delay a new one of another client", () =>
    Effect.gen(function* () {
      const { begun, port, rates } = yield* listening
      for (const path of ["/crowd", "/other"]) rates.set(path, new Rate(() => false))
      const crowd = yield* Effect.forEach(Array.from({ length: 200 }), () => opened(port))
      const other = yield* opened(port)
      for (const one of crowd) one.resume().write(request("/crowd"))
      other.write(request("/other"))
      yield* answered(other)
      assert.isBelow(begun.indexOf("/other"), 32)
    }).pipe(Effect.scoped)
  )

  for (const [who, path] of [
    ["strangers", "/"],
    ["a client", "/crowd"]
  ] as const) {
    it.live(
      `200 connections of ${who} that wait to be accepted are not served before a client that came after them`,
      () =>
        Effect.gen(function* () {
          const { begun, port, rates } = yield* listening
          for (const client of ["/crowd", "/other"]) rates.set(client, new Rate(() => false))
          const came = (of: string) =>
            Effect.acquireRelease(
              Effect.sync(() => {
                const socket = connect(port, "127.0.0.1").on("error", () => {})
                socket.write(request(of))
                return socket
              }),
              (socket) => Effect.sync(() => socket.destroy())
            )
          for (let i = 0; i < 200; i++) yield* Effect.map(came(path), (socket) => socket.resume())
          const other = yield* came("/other")
          yield* answered(other)
          assert.isBelow(begun.indexOf("/other"), 100)
          // They have their turn afterwards.
          yield* until(() => begun.length === 201)
        }).pipe(Effect.scoped)
    )
  }

  it.live(
    "a new connection of a client above its rate is not even parsed, and has its turn when the rate allows it",
    () =>
      Effect.gen(function* () {
        const { begun, port, rates } = yield* listening
        let isAlone = false
        const rate = new Rate(() => !isAlone)
        rates.set("/much", rate).set("/other", new Rate(() => false))
        rate.charge(Number.MAX_SAFE_INTEGER)
        const [much, other] = [yield* opened(port), yield* opened(port)]
        much.write(request("/much"))
        for (let i = 0; i < 20; i++) {
          other.write(request("/other"))
          yield* answered(other)
        }
        assert.notInclude(begun, "/much")
        isAlone = true
        yield* answered(much)
        assert.include(begun, "/much")
      }).pipe(Effect.scoped)
  )

  it.live("each piece of a client counts for its rate, however short it is", () =>
    Effect.gen(function* () {
      const { port, rates } = yield* listening
      const counted: Array<number> = []
      const rate = new Rate(() => false)
      vi.spyOn(rate, "charge").mockImplementation((bytes) => void counted.push(bytes))
      rates.set("/slow", rate)
      const slow = yield* opened(port)
      const head = "POST /slow HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\n\r\n"
      slow.write(head)
      yield* answered(slow)
      yield* until(() => counted.length === 1)
      for (let sent = 1; sent <= 3; sent++) {
        slow.write("x")
        yield* until(() => counted.length === 1 + sent)
      }
      const one = RATE_PIECE_BYTES + 1
      assert.deepStrictEqual(counted, [RATE_PIECE_BYTES + head.length, one, one, one])
    }).pipe(Effect.scoped)
  )

  it.live("a burst of unadmitted requests does not hold up another client", () =>
    Effect.gen(function* () {
      const { begun, port } = yield* listening
      const stranger = yield* opened(port)
      const other = yield* opened(port)
      other.write(request("/other"))
      yield* answered(other)
      begun.length = 0
      stranger.resume().write(request("/").repeat(1_500))
      other.write(request("/other"))
      yield* answered(other)
      assert.isBelow(begun.indexOf("/other"), 100)
      // The first refusal ends its connection.
      yield* Effect.promise(async () => {
        if (!stranger.destroyed) await once(stranger, "close")
      })
      assert.isBelow(begun.length, 200)
    }).pipe(Effect.scoped)
  )

  it.live("a client above its rate is not read while another client is served", () =>
    Effect.gen(function* () {
      const { begun, port, rates } = yield* listening
      let isAlone = false
      const rate = new Rate(() => !isAlone)
      rates.set("/much", rate)
      const [much, other] = [yield* opened(port), yield* opened(port)]
      for (const [socket, path] of [
        [much, "/much"],
        [other, "/other"]
      ] as const) {
        socket.write(request(path))
        yield* answered(socket)
      }
      rate.charge(Number.MAX_SAFE_INTEGER)
      begun.length = 0
      much.write(request("/much"))
      for (let i = 0; i < 20; i++) {
        other.write(request("/other"))
        yield* answered(other)
      }
      assert.notInclude(begun, "/much")
      isAlone = true
      yield* answered(much)
      assert.include(begun, "/much")
    }).pipe(Effect.scoped)
  )

  it.live("a large request body arrives whole and in order", () =>
    Effect.gen(function* () {
      const { port, server } = yield* listenOnLoopback(OPTIONS)
      server.on("request", (incoming: IncomingMessage, response: ServerResponse) => {
        response.writeHead(200, { connection: "close" })
        incoming.pipe(response)
      })
      const text = Array.from({ length: 100_000 }, (_, i) => `${i},`).join("")
      const socket = yield* opened(port)
      const parts: Array<Buffer> = []
      socket.on("data", (part: Buffer) => parts.push(part))
      socket.end(request("/", text))
      yield* Effect.promise(() => once(socket, "close"))
      const chunked = Buffer.concat(parts).toString().split("\r\n\r\n").slice(1).join("\r\n\r\n")
      assert.isTrue(chunked.replace(/\r\n[0-9a-f]+\r\n|^[0-9a-f]+\r\n/g, "").startsWith(text))
    }).pipe(Effect.scoped)
  )
})
