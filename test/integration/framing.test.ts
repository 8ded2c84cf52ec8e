/** What stands around answers over HTTP: a server that sends little else is cut off, and one that answers is not. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createServer, type AddressInfo, type Socket } from "node:net"
import { FRAMING_FREE_BYTES } from "../../src/schemas/defaults/Wire.ts"
import { doorTo } from "../support/network.ts"

const CHUNKED = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"

/** Writes again and again until the connection is closed, as fast as it is read. */
const forEver = (socket: Socket, text: string) => {
  const write = () => {
    while (!socket.destroyed && socket.write(text));
  }
  socket.on("drain", write)
  write()
}

const serve = (answer: (socket: Socket, heard: Buffer) => void) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<{ readonly sockets: Set<Socket>; readonly port: number; readonly close: () => void }>(
        (resume) => {
          const sockets = new Set<Socket>()
          const server = createServer((socket) => {
            sockets.add(socket)
            socket.on("error", () => {})
            socket.on("data", (heard: Buffer) => answer(socket, heard))
          })
          server.listen(0, "127.0.0.1", () => {
            const { port } = server.address() as AddressInfo
            resume(Effect.succeed({ sockets, port, close: () => server.close() }))
          })
        }
      ),
      ({ close, sockets }) =>
        Effect.sync(() => {
          for (const socket of sockets) socket.destroy()
          close()
        })
    ),
    ({ port, sockets }) => ({
      url: `http://127.0.0.1:${port}/`,
      taken: () => [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, 0)
    })
  )

const read = (url: string) =>
  Effect.flatMap(doorTo(url), ({ fetch }) => Effect.tryPromise(async () => (await fetch(url)).arrayBuffer()))

/** What the pipes between two sockets hold, however far the reader is. */
const PIPES_BYTES = 16 * 1024 * 1024

describe("NetworkGuard: what stands around an answer", () => {
  for (const [what, begin, again] of [
    ["interim responses", "", "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n".repeat(1_000)],
    ["one extension of a chunk", `${CHUNKED}1;`, "e".repeat(64 * 1024)],
    ["extensions of chunks", CHUNKED, `1;${"e".repeat(64 * 1024)}\r\n:\r\n`],
    ["chunks of a character", CHUNKED, "1\r\n:\r\n".repeat(10_000)],
    ["chunks of eight characters", CHUNKED, "8\r\n:::::::\n\r\n".repeat(10_000)]
  ] as const) {
    it.live(`a server that sends ${what} without end is cut off`, () =>
      Effect.scoped(
        Effect.gen(function* () {
          const { taken, url } = yield* serve((socket) => {
            socket.write(begin)
            forEver(socket, again)
          })
          yield* Effect.flip(read(url))
          assert.isAtMost(taken(), 16 * FRAMING_FREE_BYTES + PIPES_BYTES)
        })
      )
    )
  }

  it.live("an answer of many small chunks is read to its end, and so are many short answers on one connection", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const chunk = `10;name=value\r\n${"x".repeat(16)}\r\n`
        const long = yield* serve((socket) => socket.write(`${CHUNKED}${chunk.repeat(300_000)}0\r\n\r\n`))
        assert.strictEqual((yield* read(long.url)).byteLength, 16 * 300_000)
        const short = yield* serve((socket) =>
          socket.write(`HTTP/1.1 200 OK\r\nx-long: ${"y".repeat(8_000)}\r\ncontent-length: 2\r\n\r\nok`)
        )
        const { fetch } = yield* doorTo(short.url)
        for (let i = 0; i < 500; i++) {
          const body = yield* Effect.tryPromise(async () => (await fetch(short.url)).text())
          assert.strictEqual(body, "ok")
        }
      })
    )
  )

  for (const [what, head] of [
    ["says that it is not meant (421)", "HTTP/1.1 421 Misdirected Request\r\ncontent-length: 0\r\n\r\n"],
    ["encodes its answer twice", "HTTP/1.1 200 OK\r\ncontent-encoding: gzip, br\r\ntransfer-encoding: chunked\r\n\r\n"],
    [
      "says twice how its answer is encoded",
      "HTTP/1.1 200 OK\r\ncontent-encoding: br\r\ncontent-encoding: br\r\ntransfer-encoding: chunked\r\n\r\n"
    ]
  ] as const) {
    it.live(`a request to a server that ${what} fails, and is sent once`, () =>
      Effect.scoped(
        Effect.gen(function* () {
          let requests = 0
          const { url } = yield* serve((socket, heard) => {
            // The body of one may come by itself.
            if (!heard.toString("latin1").startsWith("POST ")) return
            requests++
            socket.write(head)
          })
          const { fetch } = yield* doorTo(url)
          yield* Effect.flip(Effect.tryPromise(async () => (await fetch(url, { method: "POST", body: "{}" })).text()))
          assert.strictEqual(requests, 1)
        })
      )
    )
  }
})
