/** The page's WebSocket over real sockets: what it carries, for whom, and what becomes of a page that misbehaves. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import type { WebSocket } from "ws"
import { connect } from "../../../src/programs/cli/running/client.ts"
import { CONTROL_MESSAGE_MAX_BYTES, CONTROL_REQUESTS_MAX } from "../../../src/schemas/defaults/Control.ts"
import { PAGE_SOCKETS_MAX } from "../../../src/schemas/defaults/Page.ts"
import { hostile } from "../../fixtures/servers.ts"
import { inFolder } from "../../support/folder.ts"
import { clientOf, dial, dialed, enter, withPage, type Entered } from "../../support/page.ts"

const none = { mcp: { servers: {} } }
const one = { mcp: { servers: { fs: hostile() } } }
const entered = (address: string) => Effect.promise(() => enter(address))
const dialing = (...given: Parameters<typeof dial>) =>
  Effect.acquireRelease(
    Effect.promise(() => dial(...given)),
    (socket) => Effect.sync(() => (typeof socket === "number" ? undefined : socket.terminate()))
  )
/** From now on. */
const gone = (socket: WebSocket) => {
  const closed = new Promise((resolve) => socket.on("error", () => {}).once("close", resolve))
  return Effect.promise(() => closed)
}

const request = (id: number, tag: string, payload: unknown = {}) =>
  JSON.stringify({ _tag: "Request", id: String(id), tag, payload, headers: [] })

describe("an open page", () => {
  it.live("asks and steers the gateway as commands do", () =>
    Effect.gen(function* () {
      const { page, runtime } = yield* withPage(one)
      const client = yield* clientOf(yield* entered(yield* page.address({})))
      assert.strictEqual((yield* client.Hello({})).powers, "all")
      yield* client.Ready({})
      const { fs } = yield* client.Status({})
      assert.deepStrictEqual(fs, (yield* runtime.status)["fs"])
      assert.isTrue(yield* client.Reset({ server: "fs" }))
    }).pipe(Effect.scoped)
  )

  it.live("need not end its messages: each is one", () =>
    Effect.gen(function* () {
      const { page } = yield* withPage(none)
      const socket = yield* dialed(yield* entered(yield* page.address({})))
      const answers = yield* Queue.unbounded<string>()
      socket.on("message", (data: Buffer) => Queue.offerUnsafe(answers, data.toString()))
      socket.send(request(1, "Status"))
      socket.send(`${request(2, "Status")}\n${request(3, "Status")}\n`)
      const three = yield* Effect.replicateEffect(Queue.take(answers), 3)
      assert.sameMembers(
        three.map((text) => (JSON.parse(text) as { readonly requestId: string }).requestId),
        ["1", "2", "3"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("finds the gateway again that is started after its own: same address, same cookie", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* inFolder
      const first = yield* Scope.make()
      const before = yield* Scope.provide(withPage(none, { dataDirectory }), first)
      const mine = yield* entered(yield* before.page.address({}))
      const socket = yield* dialed(mine)
      const ended = gone(socket)
      yield* Scope.close(first, Exit.void)
      yield* ended
      const after = yield* withPage(none, { dataDirectory })
      assert.isTrue((yield* after.page.address({})).startsWith(mine.url))
      const client = yield* clientOf(mine)
      assert.deepStrictEqual(yield* client.Status({}), {})
    }).pipe(Effect.scoped)
  )

  it.live("that may only look is refused what changes something", () =>
    Effect.gen(function* () {
      const watched = yield* withPage(none, { readOnly: true })
      const steered = yield* withPage(none)
      for (const address of [watched.page.address({}), steered.page.address({ readOnly: true })]) {
        const client = yield* clientOf(yield* entered(yield* address))
        assert.strictEqual((yield* client.Hello({})).powers, "read-only")
        assert.deepStrictEqual(yield* client.Status({}), {})
        for (const refused of [
          client.Reload(),
          client.Reset({ server: "fs" }),
          client.ForgetApprovals({}),
          client.OpenPage({})
        ]) {
          assert.strictEqual(
            (yield* Effect.flip(refused as Effect.Effect<unknown, { _tag: string }>))._tag,
            "OnlyReading"
          )
        }
      }
    }).pipe(Effect.scoped)
  )

  it.live("keeps its powers when another one with others is open", () =>
    Effect.gen(function* () {
      const { page } = yield* withPage(none)
      const looking = yield* clientOf(yield* entered(yield* page.address({ readOnly: true })))
      const steering = yield* clientOf(yield* entered(yield* page.address({})))
      const powers = Effect.map(
        Effect.all([looking.Hello({}), steering.Hello({}), looking.Hello({})], { concurrency: 3 }),
        (all) => all.map((hello) => hello.powers)
      )
      assert.deepStrictEqual(yield* powers, ["read-only", "all", "read-only"])
      assert.strictEqual((yield* Effect.flip(looking.Reload()))._tag, "OnlyReading")
      assert.strictEqual(yield* Effect.map(steering.ForgetApprovals({}), Number), 0)
    }).pipe(Effect.scoped)
  )

  it.live("can be asked for by a command, however the gateway was started", () =>
    Effect.gen(function* () {
      const { found } = yield* withPage(none)
      const { operator } = yield* connect(found, undefined, {})
      const mine = yield* entered(yield* operator.openPage(false))
      assert.strictEqual((yield* (yield* clientOf(mine)).Hello({})).powers, "all")
      const looking = yield* entered(yield* operator.openPage(true))
      assert.strictEqual((yield* (yield* clientOf(looking)).Hello({})).powers, "read-only")
    }).pipe(Effect.scoped)
  )
})

describe("a WebSocket is refused", () => {
  const refusals: Readonly<Record<string, readonly [number, (mine: Entered) => Parameters<typeof dial>]>> = {
    "without a cookie": [401, ({ origin, url }) => [{ origin, url }]],
    "with the cookie of nobody": [
      401,
      (mine) => [{ ...mine, cookie: mine.cookie.replace(/=.*/, `=${"x".repeat(43)}`) }]
    ],
    "of another site, although its browser sent the cookie": [
      403,
      (mine) => [{ ...mine, origin: "https://evil.example" }]
    ],
    "of a page at another port of this machine": [403, (mine) => [{ ...mine, origin: "http://127.0.0.1:1" }]],
    "of a page without an origin": [403, (mine) => [{ ...mine, origin: "null" }]],
    "without an Origin, which every browser sends": [403, ({ cookie, url }) => [{ cookie, url }]],
    "for another name, whose page says that it is its own": [
      403,
      (mine) => [{ ...mine, origin: "http://evil.example" }, { host: "evil.example" }]
    ],
    "that a browser says comes from elsewhere": [403, (mine) => [mine, { "sec-fetch-site": "same-site" }]],
    "outside of the folder": [404, (mine) => [{ ...mine, url: `${mine.origin}/` }]],
    "in another folder": [404, (mine) => [{ ...mine, url: `${mine.origin}/${"x".repeat(22)}/` }]],
    "where there is none": [404, (mine) => [{ ...mine, url: `${mine.url}assets/` }]]
  }
  for (const [which, [status, attempt]] of Object.entries(refusals)) {
    it.live(which, () =>
      Effect.gen(function* () {
        const { page } = yield* withPage(none)
        const mine = yield* entered(yield* page.address({}))
        assert.strictEqual(yield* dialing(...attempt(mine)), status)
        assert.isObject(yield* dialing(mine))
      }).pipe(Effect.scoped)
    )
  }

  it.live("beside too many others", () =>
    Effect.gen(function* () {
      const { page } = yield* withPage(none)
      const mine = yield* entered(yield* page.address({}))
      const open = yield* Effect.replicateEffect(dialed(mine), PAGE_SOCKETS_MAX)
      assert.strictEqual(yield* dialing(mine), 503)
      const left = gone(open[0]!)
      open[0]!.close()
      yield* left
      const again = Effect.repeat(dialing(mine), { until: (socket) => typeof socket !== "number" })
      assert.isObject(yield* again)
    }).pipe(Effect.scoped)
  )
})

describe("a page that misbehaves", () => {
  const DEEDS: Readonly<Record<string, (socket: WebSocket) => void>> = {
    "sends what is no message": (socket) => socket.send("hello"),
    "sends bytes": (socket) => socket.send(new Uint8Array([0, 255, 1])),
    "sends a message that is too large": (socket) => socket.send("x".repeat(CONTROL_MESSAGE_MAX_BYTES + 1)),
    "sends a message in too many pieces": (socket) => {
      for (let i = 0; i < 20_000; i++) socket.send("", { fin: false })
    },
    "sends brackets without end": (socket) => socket.send("[".repeat(100_000)),
    "asks more than it may at once": (socket) => {
      for (let i = 0; i <= CONTROL_REQUESTS_MAX; i++) socket.send(request(i, "Changes"))
    }
  }
  for (const [what, misbehave] of Object.entries(DEEDS)) {
    it.live(`is disconnected if it ${what}, and others are served`, () =>
      Effect.gen(function* () {
        const { page } = yield* withPage(none)
        const mine = yield* entered(yield* page.address({}))
        const good = yield* clientOf(mine)
        const socket = yield* dialed(mine)
        const ended = gone(socket)
        misbehave(socket)
        yield* ended
        assert.deepStrictEqual(yield* good.Status({}), {})
      }).pipe(Effect.scoped)
    )
  }

  it.live("with pings that it does not wait for answers to, is served no worse than others", () =>
    Effect.gen(function* () {
      const { page } = yield* withPage(none)
      const mine = yield* entered(yield* page.address({}))
      const good = yield* clientOf(mine)
      const socket = yield* dialed(mine)
      socket.pause()
      for (let i = 0; i < 10_000; i++) socket.ping("x".repeat(100))
      assert.deepStrictEqual(yield* good.Status({}), {})
    }).pipe(Effect.scoped)
  )
})
