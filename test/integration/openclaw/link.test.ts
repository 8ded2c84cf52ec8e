/** The link to a gateway, over real sockets. */
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { execFileSync } from "node:child_process"
import { once } from "node:events"
import { readdirSync, statSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { GATEWAY_EVENTS_MAX } from "../../../src/schemas/defaults/Gateway.ts"
import { GatewayLink } from "../../../src/services/agent/GatewayLink.ts"
import { Redactor } from "../../../src/services/content/Redactor.ts"
import { thisProcess } from "../../../src/system/processOwner.ts"
import { fakeGateway } from "../../fixtures/openclawGateway.ts"
import { answering } from "../../support/network.ts"
import { linkTo, until } from "../../support/openclawLink.ts"
import { inFolder as folder } from "../../support/folder.ts"

/** Its port. It knows nothing of WebSockets. */
const webServer = Effect.acquireRelease(
  Effect.promise(async () => {
    const server = createServer((_, response) => response.writeHead(404).end()).listen(0, "127.0.0.1")
    await once(server, "listening")
    return server
  }),
  (server) => Effect.sync(() => void server.close())
).pipe(Effect.map((server) => (server.address() as AddressInfo).port))

const NODE = { displayName: "tools", caps: ["mcp"], commands: ["mcp.tools.call.v1"] }

describe("GatewayLink", () => {
  it.live("answers the challenge as an operator that gets tool events, and knows the gateway's features", () =>
    Effect.gen(function* () {
      const gateway = yield* fakeGateway()
      const { local, operator } = Context.get(yield* linkTo({ url: gateway.url, token: gateway.token }), GatewayLink)
      const hello = yield* operator.hello
      assert.isTrue(local)
      assert.strictEqual(hello.serverVersion, "2026.9.6")
      assert.strictEqual(hello.limits.maxImageBytes, 6 * 1024 * 1024)
      assert.strictEqual(hello.defaultAgent, "main")
      const [said] = gateway.introductions
      assert.deepInclude(said, { role: "operator", caps: ["tool-events"], auth: { token: gateway.token } })
    })
  )

  it.live("puts answers to their requests, in whichever order they come", () =>
    Effect.gen(function* () {
      const slow = Promise.withResolvers<string>()
      const gateway = yield* fakeGateway({ answers: { slow: () => slow.promise, fast: () => "fast" } })
      const { operator } = Context.get(yield* linkTo({ url: gateway.url, token: gateway.token }), GatewayLink)
      const first = yield* Effect.forkChild(operator.request("slow", {}), { startImmediately: true })
      assert.strictEqual(yield* operator.request("fast", {}), "fast")
      slow.resolve("slow")
      assert.strictEqual(yield* Fiber.join(first), "slow")
    })
  )

  it.live("gives the gateway's refusals as errors, with its code and without its control characters", () =>
    Effect.gen(function* () {
      const gateway = yield* fakeGateway()
      const { operator } = Context.get(yield* linkTo({ url: gateway.url, token: gateway.token }), GatewayLink)
      const error = yield* Effect.flip(operator.request("no.\u001b[31msuch", {}))
      assert.strictEqual(error.code, "INVALID_REQUEST")
      assert.notInclude(error.detail, "\u001b")
      assert.include(error.detail, "unknown method")
    })
  )

  it.live("gets events from its subscription on", () =>
    Effect.gen(function* () {
      const gateway = yield* fakeGateway()
      const { operator } = Context.get(yield* linkTo({ url: gateway.url, token: gateway.token }), GatewayLink)
      const events = yield* operator.events
      gateway.send("chat", { n: 1 })
      gateway.send("tick", {})
      gateway.send("chat", { n: 2 })
      assert.deepStrictEqual(yield* Stream.runCollect(Stream.take(events, 2)), [
        { event: "chat", payload: { n: 1 } },
        { event: "chat", payload: { n: 2 } }
      ])
    })
  )

  it.live("fails requests in progress when the connection is lost, does not resend them, and reconnects", () =>
    Effect.gen(function* () {
      const gateway = yield* fakeGateway({ answers: { never: () => new Promise(() => {}) } })
      const { operator } = Context.get(yield* linkTo({ url: gateway.url, token: gateway.token }), GatewayLink)
      const events = yield* operator.events
      const asking = yield* Effect.forkChild(Effect.flip(operator.request("never", {})))
      const listening = yield* Effect.forkChild(Effect.flip(Stream.runDrain(events)))
      yield* until(() => gateway.asked.some(({ method }) => method === "never"))
      gateway.unplug()
      assert.strictEqual((yield* Fiber.join(asking)).code, "LINK_LOST")
      assert.strictEqual((yield* Fiber.join(listening)).code, "LINK_LOST")
      yield* operator.request("config.get", {})
      assert.lengthOf(
        gateway.asked.filter(({ method }) => method === "never"),
        1
      )
    })
  )

  it.live("reports each new connection, so that state can be sent to the gateway again", () =>
    Effect.gen(function* () {
      const gateway = yield* fakeGateway()
      const { operator } = Context.get(yield* linkTo({ url: gateway.url, token: gateway.token }), GatewayLink)
      const connections = yield* Queue.unbounded<string>()
      yield* Effect.forkChild(
        Stream.runForEach(operator.connected, ({ serverVersion }) => Queue.offer(connections, serverVersion))
      )
      yield* Queue.take(connections)
      gateway.unplug()
      assert.strictEqual(yield* Queue.take(connections), "2026.9.6")
    })
  )

  it.live("waits for a gateway that is still starting", () =>
    Effect.gen(function* () {
      const gateway = yield* fakeGateway({ starting: 3 })
      const { operator } = Context.get(yield* linkTo({ url: gateway.url, token: gateway.token }), GatewayLink)
      assert.strictEqual((yield* operator.hello).protocol, 4)
      assert.lengthOf(gateway.introductions, 4)
    })
  )

  it.live("says that the token is wrong, without repeating it, and does not go on trying", () =>
    Effect.gen(function* () {
      const gateway = yield* fakeGateway()
      const { operator } = Context.get(yield* linkTo({ url: gateway.url, token: "a-wrong-token" }), GatewayLink)
      const error = yield* Effect.flip(operator.request("config.get", {}))
      assert.strictEqual(error.code, "LINK_REFUSED")
      assert.include(error.detail, "AUTH_TOKEN_MISMATCH")
      assert.notInclude(error.detail, "a-wrong-token")
      yield* Effect.sleep(50)
      assert.lengthOf(gateway.introductions, 1)
      assert.strictEqual((yield* Effect.flip(operator.hello)).code, "LINK_REFUSED")
      assert.lengthOf(gateway.introductions, 1)
    })
  )

  it.live("says that it speaks another protocol", () =>
    Effect.gen(function* () {
      const gateway = yield* fakeGateway({ hello: (hello) => ({ ...hello, protocol: 5 }) })
      const { operator } = Context.get(yield* linkTo({ url: gateway.url, token: gateway.token }), GatewayLink)
      const error = yield* Effect.flip(operator.hello)
      assert.strictEqual(error.code, "LINK_REFUSED")
      assert.include(error.detail, "protocol 4")
    })
  )

  it.live("reports an unreachable gateway within the time limit of the request", () =>
    Effect.gen(function* () {
      const { operator } = Context.get(yield* linkTo({ url: "ws://127.0.0.1:65001" }), GatewayLink)
      yield* Effect.repeat(operator.trouble, {
        until: (why) => why?.detail.includes("ECONNREFUSED") === true,
        schedule: Schedule.spaced(5)
      })
      const error = yield* Effect.flip(operator.request("config.get", {}, { timeoutMs: 300 }))
      assert.strictEqual(error.code, "LINK_DOWN")
      assert.include(error.detail, "ECONNREFUSED")
    })
  )

  it.live("does not wait for an answer for ever", () =>
    Effect.gen(function* () {
      const gateway = yield* fakeGateway({ answers: { never: () => new Promise(() => {}) } })
      const { operator } = Context.get(yield* linkTo({ url: gateway.url, token: gateway.token }), GatewayLink)
      const error = yield* Effect.flip(operator.request("never", {}, { timeoutMs: 200 }))
      assert.strictEqual(error.code, "LINK_TIMEOUT")
    })
  )

  it.live("sends nothing that the gateway would not take", () =>
    Effect.gen(function* () {
      const gateway = yield* fakeGateway({ hello: (hello) => ({ ...hello, policy: { maxPayload: 1000 } }) })
      const { operator } = Context.get(yield* linkTo({ url: gateway.url, token: gateway.token }), GatewayLink)
      const error = yield* Effect.flip(operator.request("config.get", { text: "x".repeat(1000) }))
      assert.strictEqual(error.code, "LINK_TOO_LARGE")
      assert.isFalse(gateway.asked.some(({ method }) => method === "config.get"))
    })
  )

  it.live("survives malformed frames", () =>
    Effect.gen(function* () {
      const gateway = yield* fakeGateway({ before: ["", "{", "[]", "null", '{"type":"event"}', '{"type":"res"}'] })
      const { operator } = Context.get(yield* linkTo({ url: gateway.url, token: gateway.token }), GatewayLink)
      yield* operator.hello
      for (const text of [
        "7",
        '{"type":"res","id":7}',
        "[".repeat(100_000),
        `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`
      ]) {
        gateway.sendText(text)
      }
      assert.isDefined(yield* operator.request("config.get", {}))
      assert.lengthOf(gateway.introductions, 1)
    })
  )

  it.live("ends a connection that sends more than a frame may hold", () =>
    Effect.gen(function* () {
      const gateway = yield* fakeGateway()
      const { operator } = Context.get(yield* linkTo({ url: gateway.url, token: gateway.token }), GatewayLink)
      yield* operator.hello
      gateway.sendText("x".repeat(33 * 1024 * 1024))
      yield* until(() => gateway.introductions.length === 2)
      assert.isDefined(yield* operator.request("config.get", {}))
    })
  )

  it.live("limits the events for a slow subscriber without affecting others", () =>
    Effect.gen(function* () {
      const gateway = yield* fakeGateway()
      const { operator } = Context.get(yield* linkTo({ url: gateway.url, token: gateway.token }), GatewayLink)
      const events = yield* operator.events
      for (let n = 0; n <= GATEWAY_EVENTS_MAX; n++) gateway.send("chat", { n })
      yield* operator.request("config.get", {})
      const taken = yield* Effect.flip(Stream.runDrain(events))
      assert.include(taken.detail, "faster than they are taken")
      assert.lengthOf(gateway.introductions, 1)
    })
  )

  it.live("reads the token from its file at each connection, and knows it as a secret", () =>
    Effect.gen(function* () {
      const gateway = yield* fakeGateway()
      const tokenFile = join(yield* folder, "token")
      writeFileSync(tokenFile, `${gateway.token}\n`, { mode: 0o600 })
      const context = yield* linkTo({ url: gateway.url, tokenFile })
      const { operator } = Context.get(context, GatewayLink)
      yield* operator.hello
      assert.notInclude(Context.get(context, Redactor).redact(`it is ${gateway.token}`), gateway.token)
      writeFileSync(tokenFile, "another-token-now")
      gateway.setToken("another-token-now")
      gateway.unplug()
      yield* until(() => gateway.introductions.length === 2)
      yield* operator.request("config.get", {})
      assert.deepInclude(gateway.introductions.at(-1), { auth: { token: "another-token-now" } })
    })
  )

  it.live("names the file that its token cannot be read from, and why, and nothing that is in it", () =>
    Effect.gen(function* () {
      const gateway = yield* fakeGateway()
      const place = yield* folder
      const [missing, empty] = [join(place, "no-such-file"), join(place, "empty")]
      writeFileSync(empty, "\n", { mode: 0o600 })
      const open = join(place, "open")
      writeFileSync(open, gateway.token)
      for (const [tokenFile, why] of [
        [missing, "there is no such file (ENOENT)"],
        [place, "it is not a file"],
        [open, `can be read by others: chmod 600 ${open}`],
        [join(empty, "x"), "a part of its path is not a directory (ENOTDIR)"],
        [empty, "is empty"]
      ] as const) {
        const { operator } = Context.get(yield* linkTo({ url: gateway.url, tokenFile }), GatewayLink)
        const error = yield* Effect.flip(operator.hello)
        assert.strictEqual(error.code, "LINK_REFUSED")
        assert.include(error.detail, JSON.stringify(tokenFile))
        assert.include(error.detail, why)
      }
      assert.lengthOf(gateway.introductions, 0)
    })
  )

  it.live.skipIf(process.platform === "win32")("does not wait for a token that a pipe may never give", () =>
    Effect.gen(function* () {
      const gateway = yield* fakeGateway()
      const tokenFile = join(yield* folder, "pipe")
      execFileSync("mkfifo", [tokenFile])
      const { operator } = Context.get(yield* linkTo({ url: gateway.url, tokenFile }), GatewayLink)
      const error = yield* Effect.flip(operator.hello)
      assert.strictEqual(error.code, "LINK_REFUSED")
      assert.include(error.detail, `${JSON.stringify(tokenFile)}: it is not a file`)
    })
  )

  it.live("says so where something else than a gateway listens, or no WebSocket may lead to the port", () =>
    Effect.gen(function* () {
      for (const url of [`ws://127.0.0.1:${yield* webServer}`, "ws://127.0.0.1:6667"]) {
        const { operator } = Context.get(yield* linkTo({ url, token: "any" }), GatewayLink)
        const trouble = yield* Effect.repeat(operator.trouble, {
          until: (why) => why?.detail.includes("has not answered yet") === false,
          schedule: Schedule.spaced(5)
        })
        assert.strictEqual(trouble?.code, "LINK_DOWN")
        assert.include(trouble?.detail, `at ${url} cannot be reached: it does not support WebSocket, or the port`)
      }
    })
  )

  it.live("says where a token that is refused is from, and what to do", () =>
    Effect.gen(function* () {
      const gateway = yield* fakeGateway()
      const tokenFile = join(yield* folder, "token")
      const token = "a-token-that-is-wrong"
      writeFileSync(tokenFile, token, { mode: 0o600 })
      for (const [options, where] of [
        [
          { tokenFile },
          `the file ${JSON.stringify(tokenFile)}: put the one of the gateway's gateway.auth.token into it`
        ],
        [{ token, tokenFrom: "the variable MINE" }, "the variable MINE: put the one of the gateway's"],
        [{}, "no token is configured for it: name a file with the token (--token-file)"]
      ] as const) {
        const { operator } = Context.get(yield* linkTo({ url: gateway.url, ...options }), GatewayLink)
        const { detail } = yield* Effect.flip(operator.hello)
        assert.include(detail, where)
        assert.include(detail, gateway.url)
        assert.notInclude(detail, token)
      }
    })
  )

  it.live("does not send a token in plain text to another machine, nor to a page of the web", () =>
    Effect.gen(function* () {
      for (const url of [
        "ws://gateway.example:18789",
        "ws://192.168.1.7:18789",
        "http://127.0.0.1",
        "ws://a:b@127.0.0.1",
        "x"
      ]) {
        const outcome = yield* Effect.result(linkTo({ url, token: "the-right-token" }))
        assert.isTrue(Result.isFailure(outcome), url)
      }
    })
  )

  it.live("uses plain text only to this machine, whatever a name resolves to", () =>
    Effect.gen(function* () {
      const gateway = yield* fakeGateway()
      const url = gateway.url.replace("127.0.0.1", "localhost")
      const { lookUp } = answering(["127.0.0.1", "192.168.1.7"])
      const { operator } = Context.get(yield* linkTo({ url, token: gateway.token }, { lookUp }), GatewayLink)
      const error = yield* Effect.flip(operator.hello)
      assert.strictEqual(error.code, "LINK_REFUSED")
      assert.include(error.detail, "must not be sent")
      assert.strictEqual(gateway.open(), 0)
    })
  )

  it.live("as a node has its own device paired by the operator, and no other", () =>
    Effect.gen(function* () {
      const gateway = yield* fakeGateway()
      const directory = yield* folder
      const link = Context.get(yield* linkTo({ url: gateway.url, token: gateway.token, directory }), GatewayLink)
      const node = yield* link.node(NODE)
      yield* node.hello
      yield* node.request("node.pluginTools.update", { tools: [] })
      const approved = gateway.asked.filter(({ method }) => method.endsWith(".approve"))
      const id = gateway.introductions.at(-1)?.device?.id
      assert.deepStrictEqual(
        approved.map(({ params }) => params["requestId"]),
        [`d-${id}`, `n-${id}`]
      )
      assert.isTrue(approved.every(({ role }) => role === "operator"))
    })
  )

  it.live("as a node gets requests and answers them", () =>
    Effect.gen(function* () {
      const gateway = yield* fakeGateway()
      const directory = yield* folder
      const link = Context.get(yield* linkTo({ url: gateway.url, token: gateway.token, directory }), GatewayLink)
      const node = yield* link.node(NODE)
      const events = yield* node.events
      yield* Effect.forkChild(
        Stream.runForEach(events, ({ event, payload }) =>
          event === "node.invoke.request"
            ? node.request("node.invoke.result", {
                id: (payload as { readonly id: string }).id,
                ok: true,
                payloadJSON: '"yes"'
              })
            : Effect.void
        )
      )
      const answer = yield* Effect.promise(() => gateway.invoke({ id: "i1", command: "mcp.tools.call.v1" }))
      assert.deepInclude(answer, { id: "i1", ok: true, payloadJSON: '"yes"' })
    })
  )

  it.live("two nodes are two devices, and a device that is given back is the same one again", () =>
    Effect.gen(function* () {
      const gateway = yield* fakeGateway()
      const directory = yield* folder
      const link = Context.get(yield* linkTo({ url: gateway.url, token: gateway.token, directory }), GatewayLink)
      const idOf = Effect.gen(function* () {
        const node = yield* link.node(NODE)
        yield* node.hello
        return gateway.introductions.at(-1)?.device?.id
      })
      const [first, second] = yield* Effect.scoped(Effect.all([idOf, idOf]))
      assert.notStrictEqual(first, second)
      assert.strictEqual(yield* Effect.scoped(idOf), first)
      const kept = readdirSync(join(directory, "gateway"))
      assert.deepStrictEqual(kept.toSorted(), ["node-0.pem", "node-1.pem"])
      for (const name of kept) assert.strictEqual(statSync(join(directory, "gateway", name)).mode & 0o777, 0o600)
    })
  )

  it.live("takes a device over from a process that has ended, not from a living one", () =>
    Effect.gen(function* () {
      const gateway = yield* fakeGateway()
      const directory = yield* folder
      const link = Context.get(yield* linkTo({ url: gateway.url, token: gateway.token, directory }), GatewayLink)
      yield* Effect.scoped(Effect.flatMap(link.node(NODE), ({ hello }) => hello))
      const lock = join(directory, "gateway", "node-0.pem.lock")
      const ownedBy = (pid: number) =>
        writeFileSync(lock, JSON.stringify({ ...thisProcess(), pid, started: "", nonce: "n" }), { mode: 0o600 })
      ownedBy(process.ppid)
      yield* Effect.scoped(Effect.flatMap(link.node(NODE), ({ hello }) => hello))
      assert.include(readdirSync(join(directory, "gateway")), "node-1.pem")
      ownedBy(2147483646)
      const before = readdirSync(join(directory, "gateway")).filter((name) => name.endsWith(".pem"))
      yield* Effect.scoped(Effect.flatMap(link.node(NODE), ({ hello }) => hello))
      assert.notInclude(readdirSync(join(directory, "gateway")), "node-0.pem.lock")
      assert.lengthOf(before, 2)
    })
  )

  it.live("leaves no connection behind", () =>
    Effect.gen(function* () {
      const gateway = yield* fakeGateway()
      const directory = yield* folder
      yield* Effect.scoped(
        Effect.gen(function* () {
          const link = Context.get(yield* linkTo({ url: gateway.url, token: gateway.token, directory }), GatewayLink)
          yield* (yield* link.node(NODE)).hello
          assert.strictEqual(gateway.open(), 2)
        })
      )
      yield* until(() => gateway.open() === 0)
      assert.strictEqual(gateway.open(), 0)
    })
  )
})
