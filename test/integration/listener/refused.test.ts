/** Clients that send all before they read anything: what they are told must not be lost with what nobody took. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { connect } from "node:net"
import { LISTENER_CALL_MAX_BYTES } from "../../../src/schemas/defaults/Listener.ts"
import { listening, TOKENS } from "../../support/listener.ts"

const TRIES = 8
const PIECE = Buffer.alloc(64 * 1024, "x")

/** What is said to a request that is written to its end before anything is read; or what became of the connection. */
const sendThenRead = (url: string, path: string, token: string, bytes: number) =>
  Effect.promise(
    () =>
      new Promise<string>((resolve) => {
        const { host, hostname, port } = new URL(url)
        const socket = connect(Number(port), hostname)
        let text = ""
        socket.pause()
        socket.on("error", (error) => resolve(`${text}${error.message}`))
        socket.on("data", (chunk) => (text += chunk.toString()))
        socket.on("close", () => resolve(text))
        const head = [`POST ${path} HTTP/1.1`, `host: ${host}`, `authorization: Bearer ${token}`]
        socket.write(`${[...head, "content-type: application/json", `content-length: ${bytes}`].join("\r\n")}\r\n\r\n`)
        let left = bytes
        const next = () => {
          const piece = PIECE.subarray(0, left)
          left -= piece.length
          socket.write(piece, () => (left > 0 ? setImmediate(next) : void socket.resume()))
        }
        next()
      })
  )

describe("a request that is refused before all of it has come", () => {
  for (const [what, status, path, token, bytes] of [
    ["without a token of ours", 401, "/mcp", "a-token-of-nobody", LISTENER_CALL_MAX_BYTES],
    ["to an address that there is not", 404, "/nowhere", TOKENS.me, LISTENER_CALL_MAX_BYTES],
    ["that is too large", 413, "/mcp", TOKENS.me, LISTENER_CALL_MAX_BYTES + 1]
  ] as const) {
    it.live(`${what} gets its ${status}, each time, also when it is read after all was sent`, () =>
      Effect.gen(function* () {
        const { url } = yield* listening()
        for (let i = 0; i < TRIES; i++) {
          const said = yield* sendThenRead(url, path, token, bytes)
          assert.strictEqual(said.slice(0, 12), `HTTP/1.1 ${status}`)
        }
      }).pipe(Effect.scoped)
    )
  }

  it.live("ends, however much more of it comes", () =>
    Effect.gen(function* () {
      const { url } = yield* listening()
      // As much as it likes: the connection is cut off in the middle.
      yield* sendThenRead(url, "/mcp", "a-token-of-nobody", 2 ** 40)
    }).pipe(Effect.scoped)
  )
})
