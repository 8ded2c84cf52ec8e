import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { once } from "node:events"
import { connect as connectPlain, createServer, type AddressInfo } from "node:net"
import type { Duplex } from "node:stream"
import { connect as connectTls, type ConnectionOptions } from "node:tls"
import type { NodeId } from "../../../src/schemas/fleet/Node.ts"
import { STRANGERS_OF_ADDRESS_BURST } from "../../../src/schemas/defaults/FleetNodes.ts"
import { identityOf, OWN_CONTRACT, type Contract } from "../../../src/schemas/fleet/PeerHello.ts"
import { PeerDoor } from "../../../src/services/fleet/PeerDoor.ts"
import * as PeerDoorLayer from "../../../src/layers/fleet/PeerDoor.ts"
import { TLS } from "../../../src/layers/fleet/PeerDoor/key.ts"

const SECRET = "a secret of more than thirty-two characters"
const ONE: NodeId = { name: "one", incarnation: "first1" }
const TWO: NodeId = { name: "two", incarnation: "first2" }

interface Given {
  readonly self: NodeId
  readonly secret?: string
  readonly fleet?: string
  readonly contract?: Contract
}

/** A node on a port that the system chooses, for the Scope of the test. */
const opened = ({ contract, fleet = "fleet-1", secret = SECRET, self }: Given) =>
  Effect.gen(function* () {
    const layer = PeerDoorLayer.layer({ listen: "127.0.0.1:0", secret: Redacted.make(secret), fleet, contract })
    const door = Context.get(yield* Layer.build(Layer.fresh(layer)), PeerDoor)
    door.become(self)
    const taken: Array<{ readonly socket: Duplex; readonly from: NodeId }> = []
    yield* door.accept("mcp-live-rpc", (socket, from) => {
      taken.push({ socket, from })
      socket.on("error", () => {}).write("welcome")
    })
    return { ...door, taken, address: `127.0.0.1:${door.port}` }
  })

const firstData = (socket: Duplex) =>
  Effect.callback<string>((resume) => void socket.once("data", (data) => resume(Effect.succeed(String(data)))))

/** Everything that a connection without the secret is told before it is closed. */
const heard = (socket: Duplex) =>
  Effect.callback<string>((resume) => {
    let text = ""
    socket.on("data", (data) => (text += String(data)))
    socket.on("error", () => {})
    socket.once("close", () => resume(Effect.succeed(text)))
  })

const tls = (port: number, options: ConnectionOptions) =>
  connectTls({ host: "127.0.0.1", port, rejectUnauthorized: false, ...options })

/** Accepts connections, and says nothing. */
const deafServer = Effect.acquireRelease(
  Effect.callback<ReturnType<typeof createServer>>((resume) => {
    const server = createServer((socket) => void socket.on("error", () => {}))
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
  }),
  (server) => Effect.sync(() => void server.close())
).pipe(Effect.map((server) => `127.0.0.1:${(server.address() as AddressInfo).port}`))

describe("the door of a node", () => {
  it.live("connects two nodes of a fleet, and tells who calls", () =>
    Effect.gen(function* () {
      const one = yield* opened({ self: ONE })
      const two = yield* opened({ self: TWO })
      const socket = yield* one.dial(two.address, TWO, "mcp-live-rpc")
      assert.strictEqual(yield* firstData(socket), "welcome")
      assert.deepStrictEqual(
        two.taken.map(({ from }) => from),
        [ONE]
      )
    }).pipe(Effect.scoped)
  )

  it.live("refuses another secret", () =>
    Effect.gen(function* () {
      const one = yield* opened({ self: ONE, secret: `${SECRET}, but another` })
      const two = yield* opened({ self: TWO })
      const error = yield* Effect.flip(one.dial(two.address, TWO, "mcp-live-rpc"))
      assert.deepInclude(error, { reason: "stranger" })
      assert.isEmpty(two.taken)
    }).pipe(Effect.scoped)
  )

  it.live("refuses a node of another fleet with the same secret", () =>
    Effect.gen(function* () {
      const one = yield* opened({ self: ONE, fleet: "fleet-2" })
      const two = yield* opened({ self: TWO })
      const error = yield* Effect.flip(one.dial(two.address, TWO, "mcp-live-rpc"))
      assert.deepInclude(error, { reason: "stranger" })
      assert.isEmpty(two.taken)
    }).pipe(Effect.scoped)
  )

  it.live("refuses a version with which it has no contract in common, and says so", () =>
    Effect.gen(function* () {
      const one = yield* opened({ self: ONE, contract: { contract: 3, oldest: 2 } })
      const two = yield* opened({ self: TWO })
      for (const [from, to, id] of [
        [one, two, TWO],
        [two, one, ONE]
      ] as const) {
        const error = yield* Effect.flip(from.dial(to.address, id, "mcp-live-rpc"))
        assert.deepInclude(error, { reason: "version" })
      }
      assert.isEmpty([...one.taken, ...two.taken])
    }).pipe(Effect.scoped)
  )

  it.live("lets nodes of the version before in, and is let in by them", () =>
    Effect.gen(function* () {
      const one = yield* opened({ self: ONE, contract: { contract: 2, oldest: 1 } })
      const two = yield* opened({ self: TWO, contract: { contract: 1, oldest: 1 } })
      assert.strictEqual(yield* firstData(yield* one.dial(two.address, TWO, "mcp-live-rpc")), "welcome")
      assert.strictEqual(yield* firstData(yield* two.dial(one.address, ONE, "mcp-live-rpc")), "welcome")
    }).pipe(Effect.scoped)
  )

  it.live("refuses a connection that is meant for an earlier life of this node", () =>
    Effect.gen(function* () {
      const one = yield* opened({ self: ONE })
      const two = yield* opened({ self: TWO })
      const error = yield* Effect.flip(one.dial(two.address, { ...TWO, incarnation: "earlier" }, "mcp-live-rpc"))
      assert.deepInclude(error, { reason: "gone" })
      assert.isEmpty(two.taken)
    }).pipe(Effect.scoped)
  )

  it.live("knows that nobody listens, and that somebody is silent", () =>
    Effect.gen(function* () {
      const one = yield* opened({ self: ONE })
      // Nobody listens at a port that only the system's own services may have, and nobody takes it meanwhile.
      assert.deepInclude(yield* Effect.flip(one.dial("127.0.0.1:1", TWO, "mcp-live-rpc")), { reason: "gone" })
      const deaf = yield* deafServer
      assert.deepInclude(yield* Effect.flip(one.dial(deaf, TWO, "mcp-live-rpc")), { reason: "silent" })
    }).pipe(Effect.scoped)
  )

  it.live("tells a stranger nothing: plain text, TLS with certificates, another cipher, no protocol", () =>
    Effect.gen(function* () {
      const { port, taken } = yield* opened({ self: ONE })
      const plain = connectPlain(port, "127.0.0.1").on("error", () => {})
      plain.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      const toldPlain = yield* heard(plain)
      // At most the alert of TLS: its type, its version and its kind.
      assert.isAtMost(toldPlain.length, 7)
      assert.strictEqual(yield* heard(tls(port, {})), "")
      const pskOf = (psk: string) => () => ({ psk: Buffer.from(psk), identity: "mcp-live/1/1/two/first2/-/-" })
      const psk = {
        ciphers: "ECDHE-PSK-CHACHA20-POLY1305",
        maxVersion: "TLSv1.2",
        checkServerIdentity: () => undefined
      } as const
      assert.strictEqual(
        yield* heard(tls(port, { ...psk, pskCallback: pskOf("guess"), ALPNProtocols: ["mcp-live-rpc"] })),
        ""
      )
      assert.strictEqual(
        yield* heard(tls(port, { ...psk, pskCallback: pskOf("guess"), ALPNProtocols: ["http/1.1"] })),
        ""
      )
      assert.isEmpty(taken)
    }).pipe(Effect.scoped)
  )

  it.live("closes the connections of others when it closes", () =>
    Effect.gen(function* () {
      const one = yield* opened({ self: ONE })
      const closed = yield* Deferred.make<void>()
      yield* Effect.scoped(
        Effect.gen(function* () {
          const two = yield* opened({ self: TWO })
          const socket = yield* one.dial(two.address, TWO, "mcp-live-rpc")
          socket.once("close", () => Deferred.doneUnsafe(closed, Effect.void)).resume()
        })
      )
      yield* Deferred.await(closed)
    }).pipe(Effect.scoped)
  )

  it.live("keeps a place for nodes while strangers hold handshakes open", () =>
    Effect.gen(function* () {
      const one = yield* opened({ self: ONE })
      const two = yield* opened({ self: TWO })
      const strangers = Array.from({ length: 40 }, () => connectPlain(two.port, "127.0.0.1").on("error", () => {}))
      yield* Effect.addFinalizer(() => Effect.sync(() => strangers.forEach((socket) => socket.destroy())))
      // All of them are there before the node comes.
      yield* Effect.promise(() => Promise.all(strangers.map((socket) => once(socket, "connect"))))
      assert.strictEqual(yield* firstData(yield* one.dial(two.address, TWO, "mcp-live-rpc")), "welcome")
    }).pipe(Effect.scoped)
  )

  it.effect("begins few handshakes with strangers, however many come, and all with nodes that it knows", () =>
    Effect.gen(function* () {
      const one = yield* opened({ self: ONE })
      const two = yield* opened({ self: TWO })
      const guess = { psk: Buffer.alloc(32), identity: identityOf({ ...OWN_CONTRACT, from: ONE, to: TWO }) }
      let begun = 0
      // The node has answered: the client is asked for the key.
      const pskCallback = () => (begun++, guess)
      const attempt = Effect.suspend(() =>
        heard(tls(two.port, { ...TLS, ALPNProtocols: ["mcp-live-rpc"], pskCallback }))
      )
      yield* Effect.forEach(Array.from({ length: 1_000 }), () => attempt, { concurrency: 16, discard: true })
      assert.strictEqual(begun, STRANGERS_OF_ADDRESS_BURST)
      assert.strictEqual((yield* Effect.flip(one.dial(two.address, TWO, "mcp-live-rpc"))).reason, "silent")
      two.expect(["127.0.0.1:7731", "node-3.internal:7731"])
      assert.strictEqual(yield* firstData(yield* one.dial(two.address, TWO, "mcp-live-rpc")), "welcome")
      two.expect([])
      // It has proved that it knows the secret.
      assert.strictEqual(yield* firstData(yield* one.dial(two.address, TWO, "mcp-live-rpc")), "welcome")
    }).pipe(Effect.scoped)
  )

  it.live("says in one sentence that the port is taken, or that the secret is too short", () =>
    Effect.gen(function* () {
      const { address } = yield* opened({ self: ONE })
      const build = (listen: string, secret: string) =>
        Effect.flip(Layer.build(PeerDoorLayer.layer({ listen, secret: Redacted.make(secret), fleet: "f" })))
      assert.match((yield* build(address, SECRET)).message, /in use by another program; choose another port/)
      assert.match((yield* build("127.0.0.1:0", "short")).message, /shorter than 32 characters/)
      assert.match((yield* build("nowhere", SECRET)).message, /is not an address with a port/)
    }).pipe(Effect.scoped)
  )
})
