import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Agent, createServer, type RequestListener } from "node:http"
import { connect, type AddressInfo } from "node:net"
import { passPage } from "../../../../../../src/layers/listener/McpListener/http/elsewhere/pageRequests.ts"

const listening = (listener: RequestListener) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly end: () => void }>((resume) => {
      const server = createServer(listener)
      const end = () => {
        server.closeAllConnections()
        server.close()
      }
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed({ port: (server.address() as AddressInfo).port, end })))
    }),
    ({ end }) => Effect.sync(end)
  )

/** Everything that is answered until the connection ends. */
const answers = (port: number, text: string) =>
  Effect.callback<string>((resume) => {
    let said = ""
    const socket = connect(port, "127.0.0.1", () => socket.write(text))
    socket.on("data", (chunk: Buffer) => (said += String(chunk)))
    socket.once("close", () => resume(Effect.succeed(said)))
  })

const NODE = { name: "b", incarnation: "1" }

/** Two nodes: one that passes on all requests, and one that notes what it gets. */
const nodes = Effect.gen(function* () {
  const got: Array<string> = []
  const other = yield* listening((incoming, response) => {
    let body = ""
    incoming.on("data", (chunk: Buffer) => (body += String(chunk)))
    incoming.once("end", () => {
      const { cookie = "" } = incoming.headers
      got.push(`${incoming.method} ${incoming.url} ${body}${cookie}`.trim())
      response.end("a page")
    })
  })
  const agent = yield* Effect.acquireRelease(
    Effect.sync(() => new Agent({ keepAlive: true, maxSockets: 1, port: other.port } as object)),
    (made) => Effect.sync(() => made.destroy())
  )
  const first = yield* listening((incoming, response) => passPage(incoming, response, NODE, agent, ["own"]))
  return { got, port: first.port }
})

const FORGED = "POST /mcp HTTP/1.1\r\nhost: fleet\r\nx-mcp-live-who: e30\r\ncontent-length: 0\r\n\r\n"
const chunked = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`
const LAST = "GET /login/last HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n"

describe("passPage", () => {
  for (const method of ["GET", "HEAD", "DELETE", "OPTIONS"]) {
    it.live(`what comes after the head of ${method} is no request to the other node`, () =>
      Effect.gen(function* () {
        const { got, port } = yield* nodes
        const head = `${method} /login/x HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n`
        yield* answers(port, head + chunked(FORGED) + LAST)
        assert.deepStrictEqual(got, [`${method} /login/x`, "GET /login/last"])
      }).pipe(Effect.scoped)
    )
  }

  it.live("passes on the cookies that the page reads, and no other one of the browser", () =>
    Effect.gen(function* () {
      const { got, port } = yield* nodes
      for (const cookies of ["of_a_session=1; own=2; owner=3", "of_a_session=1"]) {
        const head = `GET /login/x HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncookie: ${cookies}\r\n\r\n`
        yield* answers(port, head)
      }
      assert.deepStrictEqual(got, ["GET /login/x own=2", "GET /login/x"])
    }).pipe(Effect.scoped)
  )

  it.live("passes on the form of a page", () =>
    Effect.gen(function* () {
      const { got, port } = yield* nodes
      const said = yield* answers(
        port,
        `POST /login/x HTTP/1.1\r\nhost: a\r\ncontent-length: 7\r\nconnection: close\r\n\r\ntoken=1`
      )
      assert.deepStrictEqual(got, ["POST /login/x token=1"])
      assert.match(said, /a page/)
    }).pipe(Effect.scoped)
  )
})
