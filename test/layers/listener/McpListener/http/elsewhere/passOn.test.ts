import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { once } from "node:events"
import { Agent, createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http"
import { connect, type AddressInfo } from "node:net"
import type { Exchange } from "../../../../../../src/layers/listener/McpListener/http/Exchange.ts"
import { passOn } from "../../../../../../src/layers/listener/McpListener/http/elsewhere/passOn.ts"

const listening = (answers: RequestListener) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer(answers).listen(0, "127.0.0.1")
      await once(server, "listening")
      return { server, port: (server.address() as AddressInfo).port }
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )

/** Leads to the other node, as the connections between nodes do. */
const agentTo = (port: number): Agent =>
  Object.assign(new Agent(), { createConnection: () => connect(port, "127.0.0.1") })

const exchangeOf = (incoming: IncomingMessage, response: ServerResponse) =>
  ({ incoming, response, method: "GET", who: { principal: "client a" }, whenClosed: () => {} }) as unknown as Exchange

describe("an answer that is passed on", () => {
  it.live(
    "begins with what came together with its head: a client that has the head alone has nothing to come back for",
    () =>
      Effect.gen(function* () {
        const home = yield* listening((_, response) => {
          response.writeHead(200, { "content-type": "text/event-stream" }).write("id: 1\ndata: \n\n")
        })
        const steps: Array<string> = []
        const door = yield* listening((incoming, response) => {
          const { flushHeaders, write } = response
          response.flushHeaders = () => {
            if (!response.headersSent || steps.length === 0) steps.push("head")
            flushHeaders.call(response)
          }
          response.write = ((chunk: Buffer) => {
            steps.push(chunk.toString())
            return write.call(response, chunk, "utf8")
          }) as typeof response.write
          const node = { name: "b", incarnation: "1" }
          const passed = passOn(exchangeOf(incoming, response), {
            agent: agentTo(home.port),
            node,
            take: false,
            body: undefined
          })
          Effect.runFork(passed)
        })
        const socket = connect(door.port, "127.0.0.1")
        socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n")
        let text = ""
        yield* Effect.promise(async () => {
          for await (const chunk of socket) {
            text += String(chunk)
            if (text.includes("id: 1")) break
          }
        })
        socket.destroy()
        assert.strictEqual(steps[0], "id: 1\ndata: \n\n")
      }).pipe(Effect.scoped)
  )

  it.live("has its head before anything is said on it", () =>
    Effect.gen(function* () {
      const home = yield* listening((_, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders()
      })
      const door = yield* listening((incoming, response) => {
        const node = { name: "b", incarnation: "1" }
        Effect.runFork(
          passOn(exchangeOf(incoming, response), { agent: agentTo(home.port), node, take: false, body: undefined })
        )
      })
      const socket = connect(door.port, "127.0.0.1")
      socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n")
      const [head] = yield* Effect.promise(() => once(socket, "data") as Promise<[Buffer]>)
      socket.destroy()
      assert.match(head.toString(), /^HTTP\/1.1 200/)
    }).pipe(Effect.scoped)
  )
})
