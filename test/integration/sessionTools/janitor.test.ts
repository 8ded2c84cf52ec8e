/** What is left behind by processes that are gone, and only by those. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createServer, type AddressInfo, type Server, type Socket } from "node:net"
import { leftovers } from "../../../src/layers/agent/SessionToolInjector/janitor.ts"
import { entryName, newInstance } from "../../../src/layers/agent/SessionToolInjector/names.ts"

const self = newInstance()
const other = { machine: self.machine, id: "other" }

const listening = (onConnection: (socket: Socket) => void) =>
  Effect.acquireRelease(
    Effect.callback<Server>((resume) => {
      const server = createServer(onConnection).listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
  ).pipe(Effect.map((server) => (server.address() as AddressInfo).port))

const found = (port: number, owner = other) => {
  const name = entryName(owner, 1)
  return Effect.map(leftovers(self, { [name]: { url: `http://127.0.0.1:${port}/x` } }), (names) =>
    names.includes(name) ? "left behind" : "alive"
  )
}

const answering = (head: string) =>
  listening((socket) => void socket.on("error", () => {}).once("data", () => void socket.end(head)))

describe("an entry of another process of this machine", () => {
  it.live("is a leftover if its address does not answer", () =>
    Effect.gen(function* () {
      const port = yield* Effect.scoped(listening(() => {}))
      assert.strictEqual(yield* found(port), "left behind")
    })
  )

  it.live("is a leftover if another program answers there", () =>
    Effect.gen(function* () {
      const others = yield* answering("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
      assert.strictEqual(yield* found(others), "left behind")
      assert.strictEqual(yield* found(yield* answering("SSH-2.0-OpenSSH_9.2\r\n")), "left behind")
    }).pipe(Effect.scoped)
  )

  it.live("is alive if its process says so, or is too busy to answer", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* found(yield* answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")), "alive")
      // As a listener with too many connections does.
      assert.strictEqual(yield* found(yield* listening((socket) => void socket.resetAndDestroy())), "alive")
    }).pipe(Effect.scoped)
  )

  it.live("counts as alive if it is our own or of another machine", () =>
    Effect.gen(function* () {
      const port = yield* Effect.scoped(listening(() => {}))
      assert.strictEqual(yield* found(port, self), "alive")
      assert.strictEqual(yield* found(port, { ...other, machine: self.machine === "aaa" ? "bbb" : "aaa" }), "alive")
    })
  )
})
