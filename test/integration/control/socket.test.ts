/** A gateway and its commands over a real socket: what they may do, and what becomes of those that misbehave. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { chmodSync, chownSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { connect } from "../../../src/programs/cli/running/client.ts"
import type { ApprovalAnswer, ApprovalQuestion } from "../../../src/schemas/call/Approval.ts"
import {
  CONTROL_MESSAGE_MAX_BYTES,
  CONTROL_RECEIVING_IN_ALL_MAX_BYTES,
  CONTROL_REQUESTS_IN_ALL_MAX,
  CONTROL_REQUESTS_MAX
} from "../../../src/schemas/defaults/Control.ts"
import type { Progress, ToolResult } from "../../../src/schemas/call/Tool.ts"
import { AuditLog } from "../../../src/services/call/AuditLog.ts"
import { hostile } from "../../fixtures/servers.ts"
import { findGateways } from "../../../src/system/gatewayFiles.ts"
import { inFolder } from "../../support/folder.ts"
import { until } from "../../support/openclawLink.ts"
import { pauses } from "../../support/pause.ts"
import { closed, rawConnection, reachable, working } from "../../support/control.ts"

const one = { mcp: { servers: { fs: hostile() } } }

const textOf = ({ content }: ToolResult) => content.map((block) => (block.type === "text" ? block.text : "")).join("\n")

const line = (message: unknown) => `${JSON.stringify(message)}\n`
const request = (id: number, tag: string, payload: unknown = {}) =>
  line({ _tag: "Request", id: String(id), tag, payload, headers: [] })

describe.skipIf(process.platform === "win32")("a running gateway", () => {
  it.live("answers commands of its own user on a socket that no other user can open", () =>
    Effect.gen(function* () {
      const { found, runtime } = yield* reachable(one)
      assert.strictEqual(statSync(found.socket).mode & 0o777, 0o600)
      assert.strictEqual(statSync(dirname(found.socket)).mode & 0o777, 0o700)
      const { runtime: remote } = yield* connect(found, undefined, {})
      yield* remote.ready
      assert.deepStrictEqual(yield* remote.status, yield* runtime.status)
      assert.deepStrictEqual(yield* remote.allTools, [...(yield* runtime.allTools)])
      assert.deepStrictEqual(yield* remote.tools, [...(yield* runtime.tools)])
      const result = yield* remote.call("mcp_fs_echo", { text: "over the socket" })
      assert.include(textOf(result), "over the socket")
      // Its own boundaries, which only a model needs, are left out.
      assert.strictEqual(textOf(yield* remote.call("mcp_fs_echo", { text: "plain" }, { look: "raw" })), "plain")
    }).pipe(Effect.scoped)
  )

  it.live("is found again after its files were removed, and its log says so", () =>
    Effect.gen(function* () {
      const { dataDirectory, found, log } = yield* reachable(one)
      rmSync(dirname(found.socket), { recursive: true })
      assert.isEmpty(yield* Effect.promise(() => findGateways(dataDirectory)))
      const [again] = yield* Effect.repeat(
        Effect.promise(() => findGateways(dataDirectory)),
        { schedule: pauses, until: ([first]) => first !== undefined }
      )
      const { runtime: remote } = yield* connect(again!, undefined, {})
      yield* remote.ready
      assert.strictEqual(textOf(yield* remote.call("mcp_fs_echo", { text: "plain" }, { look: "raw" })), "plain")
      assert.lengthOf(
        log.filter((text) => text.includes("were removed, and are written again")),
        1
      )
    }).pipe(Effect.scoped)
  )

  it.live("reports progress, and cancels a call at the server when its command goes", () =>
    Effect.gen(function* () {
      const outcomes = yield* Queue.unbounded<string>()
      const audit = Layer.succeed(AuditLog, {
        record: ({ outcome }) => Effect.asVoid(Queue.offer(outcomes, outcome)),
        report: () => Effect.void,
        definition: () => Effect.void,
        approval: () => Effect.void
      })
      const { found } = yield* reachable(one, { replace: { audit } })
      const reports = yield* Queue.unbounded<Progress>()
      const calling = Effect.gen(function* () {
        const { runtime: remote } = yield* connect(found, undefined, {})
        yield* remote.ready
        return yield* remote.call(
          "mcp_fs_slow",
          { ms: 120_000, progress: 1_000 },
          { onProgress: (progress) => Queue.offerUnsafe(reports, progress) }
        )
      }).pipe(Effect.scoped)
      const fiber = yield* Effect.forkChild(calling)
      assert.deepInclude(yield* Queue.take(reports), { progress: 1, total: 1_000, message: "step 1" })
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(yield* Queue.take(outcomes), "interrupted")
    }).pipe(Effect.scoped)
  )

  it.live("asks the command for approval, with what would be sent, and takes its no", () =>
    Effect.gen(function* () {
      const { found } = yield* reachable({ ...one, gateway: { tools: { ask: ["fs/echo"] } } })
      const asked: Array<ApprovalQuestion> = []
      const answers: Array<ApprovalAnswer> = ["deny", "once"]
      const approve = (question: ApprovalQuestion) => {
        asked.push(question)
        return Effect.succeed(answers.shift()!)
      }
      const { runtime: remote } = yield* connect(found, undefined, { approve })
      yield* remote.ready
      assert.isTrue((yield* remote.call("mcp_fs_echo", { text: "first" })).isError)
      const second = yield* remote.call("mcp_fs_echo", { text: "second" })
      assert.include(textOf(second), "second")
      assert.deepStrictEqual(
        asked.map((question) => [question.rule, question.arguments]),
        [
          ["ask: fs/echo", 'text: "first"'],
          ["ask: fs/echo", 'text: "second"']
        ]
      )
      const { runtime: without } = yield* connect(found, undefined, {})
      assert.include(textOf(yield* without.call("mcp_fs_echo", { text: "third" })), "nobody can be asked")
    }).pipe(Effect.scoped)
  )

  it.live("restarts a server for a command, and reports the changes", () =>
    Effect.gen(function* () {
      const { found, runtime } = yield* reachable(one)
      const { runtime: remote } = yield* connect(found, undefined, {})
      yield* remote.ready
      const before = (yield* runtime.status)["fs"]!.pid
      const restarted = remote.changes.pipe(
        Stream.mapEffect(() => remote.status),
        Stream.filter(({ fs }) => fs?.state === "Ready" && fs.pid !== before),
        Stream.runHead
      )
      const fiber = yield* Effect.forkChild(restarted, { startImmediately: true })
      assert.isTrue(yield* remote.reset("fs"))
      assert.isFalse(yield* remote.reset("nobody"))
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "Some")
    }).pipe(Effect.scoped)
  )

  it.live("lists the agents in the error for an unknown agent", () =>
    Effect.gen(function* () {
      const { found } = yield* reachable(one)
      const error = yield* Effect.flip(connect(found, "nobody", {}))
      assert.include(error.message, "There is no agent 'nobody'")
    }).pipe(Effect.scoped)
  )

  it.live("that ends says so to a command that waits, and leaves nothing behind", () =>
    Effect.gen(function* () {
      const gateway = yield* Scope.make()
      const dataDirectory = yield* inFolder
      const { found, runtime } = yield* Scope.provide(reachable(one, { dataDirectory }), gateway)
      const { lost, runtime: remote } = yield* connect(found, undefined, {})
      yield* remote.ready
      const calling = yield* Effect.forkChild(
        Effect.flip(Effect.raceFirst(remote.call("mcp_fs_slow", { ms: 120_000 }), lost))
      )
      yield* runtime.status.pipe(Effect.repeat({ schedule: pauses, until: ({ fs }) => fs?.inFlight === 1 }))
      yield* Scope.close(gateway, Exit.void)
      assert.include((yield* Fiber.join(calling)).message, "has ended; a call")
      assert.deepStrictEqual(readdirSync(join(dataDirectory, "gateways")), [])
    }).pipe(Effect.scoped)
  )
})

describe.skipIf(process.platform === "win32")("a command", () => {
  it.live("connects to no socket that others could have put there", () =>
    Effect.gen(function* () {
      const { found } = yield* reachable({ mcp: {} })
      const why = Effect.map(Effect.flip(connect(found, undefined, {})), ({ message }) => message)
      chmodSync(dirname(found.socket), 0o777)
      assert.include(yield* why, "others can write to the folder of its socket")
      chmodSync(dirname(found.socket), 0o700)
      const file = join(yield* inFolder, "s")
      writeFileSync(file, "")
      const lying = Effect.flip(connect({ ...found, socket: file }, undefined, {}))
      assert.include((yield* lying).message, "its socket is no socket")
      const { runtime: remote } = yield* connect(found, undefined, {})
      assert.deepStrictEqual(yield* remote.status, {})
    }).pipe(Effect.scoped)
  )
})

describe.runIf(process.getuid?.() === 0)("as root, who may give files away", () => {
  const NOBODY = 65_534

  it.live("a command connects to no socket of another user", () =>
    Effect.gen(function* () {
      const { found } = yield* reachable({ mcp: {} })
      const why = Effect.map(Effect.flip(connect(found, undefined, {})), ({ message }) => message)
      chownSync(found.socket, NOBODY, NOBODY)
      assert.include(yield* why, "its socket belongs to another user")
      chownSync(dirname(found.socket), NOBODY, NOBODY)
      assert.include(yield* why, "the folder of its socket is not one of this user")
      chownSync(dirname(found.socket), 0, 0)
    }).pipe(Effect.scoped)
  )

  it.live("a gateway opens no socket in a folder of another user, says so, and works", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* inFolder
      mkdirSync(join(dataDirectory, "gateways"))
      chownSync(join(dataDirectory, "gateways"), NOBODY, NOBODY)
      const { log, runtime } = yield* working({ mcp: {} }, { dataDirectory })
      assert.include(
        log.join("\n"),
        `commands cannot reach this gateway: ${join(dataDirectory, "gateways")} belongs to another user`
      )
      assert.deepStrictEqual(yield* runtime.status, {})
    }).pipe(Effect.scoped)
  )
})

describe.skipIf(process.platform === "win32")("a gateway whose data directory has a long path", () => {
  it.live("opens no socket where a server in a sandbox could reach it, and serves without one", () =>
    Effect.gen(function* () {
      const dataDirectory = join(yield* inFolder, "d".repeat(120))
      const { log, runtime } = yield* working({ mcp: {} }, { dataDirectory })
      assert.deepStrictEqual(yield* runtime.status, {})
      assert.match(log.join("\n"), /commands cannot reach this gateway: .* is longer than the 103 bytes/)
      assert.deepStrictEqual(yield* Effect.promise(() => findGateways(dataDirectory)), [])
    }).pipe(Effect.scoped)
  )
})

describe.skipIf(process.platform === "win32")("a program that misbehaves on the socket of a gateway", () => {
  const GARBAGE: Readonly<Record<string, string | Uint8Array>> = {
    "what is not JSON": "GET / HTTP/1.1\r\n\r\n",
    "bytes of a binary protocol": new Uint8Array([0, 1, 2, 255, 10]),
    "JSON that is no message": line(["a", 1]),
    "a message of no kind": line({ _tag: "Nonsense" }),
    "a request without a name": line({ _tag: "Request", id: "1", headers: [] }),
    "a request with wrong headers": line({ _tag: "Request", id: "1", tag: "Status", payload: {}, headers: 5 }),
    "brackets without end": "[".repeat(100_000) + "\n",
    "a line without end": "x".repeat(CONTROL_MESSAGE_MAX_BYTES + 1) + "\n",
    "two requests of one number": request(1, "Changes") + request(1, "Changes"),
    "more requests than it may have": Array.from({ length: CONTROL_REQUESTS_MAX + 1 }, (_, i) =>
      request(i, "Changes")
    ).join("")
  }
  for (const [what, bytes] of Object.entries(GARBAGE)) {
    it.live(`is disconnected for ${what}, and others are served`, () =>
      Effect.gen(function* () {
        const { found } = yield* reachable({ mcp: {} })
        const { runtime: remote } = yield* connect(found, undefined, {})
        const socket = yield* rawConnection(found)
        socket.write(bytes)
        yield* closed(socket)
        assert.deepStrictEqual(yield* remote.status, {})
      }).pipe(Effect.scoped)
    )
  }

  it.live("is disconnected if it and others send lines without end, which take a bounded part of the memory", () =>
    Effect.gen(function* () {
      const { found } = yield* reachable({ mcp: {} })
      const piece = "x".repeat(CONTROL_MESSAGE_MAX_BYTES - 1024)
      const many = Math.ceil((4 * CONTROL_RECEIVING_IN_ALL_MAX_BYTES) / piece.length)
      const sockets = yield* Effect.replicateEffect(rawConnection(found), many)
      let left = many
      for (const socket of sockets)
        socket
          .once("close", () => left--)
          .resume()
          .write(piece)
      const mayStay = (2 * CONTROL_RECEIVING_IN_ALL_MAX_BYTES) / piece.length
      yield* until(() => left <= mayStay)
      const { runtime: remote } = yield* connect(found, undefined, {})
      assert.deepStrictEqual(yield* remote.status, {})
    }).pipe(Effect.scoped)
  )

  it.live("is disconnected if all clients together have too many requests, while a modest client is served", () =>
    Effect.gen(function* () {
      const { found } = yield* reachable({ mcp: {} })
      const { runtime: remote } = yield* connect(found, undefined, {})
      const following = Array.from({ length: CONTROL_REQUESTS_MAX }, (_, i) => request(i, "Changes")).join("")
      const sockets = yield* Effect.replicateEffect(rawConnection(found), 16)
      let left = sockets.length
      for (const socket of sockets)
        socket
          .once("close", () => left--)
          .resume()
          .write(following)
      yield* until(() => left <= CONTROL_REQUESTS_IN_ALL_MAX / CONTROL_REQUESTS_MAX)
      assert.deepStrictEqual(yield* remote.status, {})
    }).pipe(Effect.scoped)
  )

  it.live("learns nothing from its mistakes but that there are some", () =>
    Effect.gen(function* () {
      const { found } = yield* reachable({ mcp: {} })
      const socket = yield* rawConnection(found)
      const answers = yield* Queue.unbounded<string>()
      createInterface(socket).on("line", (text) => Queue.offerUnsafe(answers, text))
      socket.write(request(1, "Reset", { server: 5 }) + request(2, "Nothing") + request(3, "Status", { agent: "x" }))
      const three = yield* Effect.replicateEffect(Queue.take(answers), 3)
      assert.notInclude(three.join("\n"), "Expected")
      assert.strictEqual(three.filter((text) => text.includes("its log says why")).length, 2)
      assert.strictEqual(three.filter((text) => text.includes("UnknownAgent")).length, 1)
    }).pipe(Effect.scoped)
  )
})
