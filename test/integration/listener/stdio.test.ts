/** stdin and stdout of a real process: what is said there, what is not, and how it ends. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { LISTENER_REQUESTS_MAX } from "../../../src/schemas/defaults/Listener.ts"
import { JSON_MAX_DEPTH } from "../../../src/schemas/defaults/Wire.ts"
import {
  answerTo,
  call,
  initialize,
  META,
  modernCall,
  parsed,
  PROGRAM,
  started
} from "../../support/listenerProgram.ts"
import { connect, ERAS } from "../../support/mcpClients.ts"

/** Within which nothing may be left, after the client has closed stdin. */
const GONE_WITHIN_MS = 2_000

const live = <A>(name: string, body: () => Effect.Effect<A, unknown, Scope.Scope>) =>
  it.live(name, () => Effect.scoped(body()))

describe("stdout", () => {
  live("carries only messages, whatever the program prints", () =>
    Effect.gen(function* () {
      const { heard, lines, message, write } = yield* started()
      write(initialize, call(1, "print"), call(2, "throw"), call(3, "echo", { text: "hi" }))
      for (const id of [0, 1, 2, 3]) yield* message(answerTo(id))
      yield* heard("noise on console.log")
      yield* heard("noise on process.stdout")
      assert.isAtLeast(lines.length, 4)
      for (const line of lines) assert.strictEqual((JSON.parse(line) as { readonly jsonrpc: string }).jsonrpc, "2.0")
    })
  )

  live("without a reader ends the program", () =>
    Effect.gen(function* () {
      const { ended, heard, message, process: child, write } = yield* started()
      write(initialize, call(1, "wait"))
      yield* message(answerTo(0))
      yield* heard("begun")
      child.stdout.destroy()
      write(call(2, "echo", { text: "to nobody" }))
      yield* heard("interrupted")
      assert.strictEqual(yield* ended, 0)
    })
  )
})

describe("stdin", () => {
  live("that ends in the middle of calls ends them, and the program, at once", () =>
    Effect.gen(function* () {
      const { ended, heard, notes, process: child, write } = yield* started()
      write(initialize, call(1, "wait"), call(2, "wait"))
      yield* heard("begun", 2)
      const before = performance.now()
      child.stdin.end()
      assert.strictEqual(yield* ended, 0)
      assert.isBelow(performance.now() - before, GONE_WITHIN_MS)
      assert.lengthOf(
        notes.filter((line) => line === "interrupted"),
        2
      )
      assert.strictEqual(notes.at(-1), "returned")
    })
  )

  live("that ends is not kept waiting by a call that cannot be interrupted", () =>
    Effect.gen(function* () {
      const { ended, heard, process: child, write } = yield* started()
      write(initialize, call(1, "stubborn"))
      yield* heard("begun")
      const before = performance.now()
      child.stdin.end()
      yield* heard("returned")
      assert.isBelow(performance.now() - before, GONE_WITHIN_MS)
      child.kill()
      yield* ended
    })
  )

  live("with garbage among its lines is answered and read on", () =>
    Effect.gen(function* () {
      const deep = `${"[".repeat(JSON_MAX_DEPTH + 1)}${"]".repeat(JSON_MAX_DEPTH + 1)}`
      const { lines, message, write } = yield* started()
      write(
        "",
        "no json",
        "\u0000\u0007",
        "[]",
        '"text"',
        `{"jsonrpc":"2.0","id":"deep","method":"ping","params":{"deep":${deep}}}`,
        { jsonrpc: "2.0", id: 99, result: {} },
        { jsonrpc: "2.0", method: "notifications/unheard-of" },
        { jsonrpc: "1.0", id: "old", method: "ping" },
        initialize,
        { jsonrpc: "2.0", id: 1, method: "no/such" },
        { jsonrpc: "2.0", id: 2, method: "tools/call", params: "none" },
        call(3, "echo", { text: "hi" })
      )
      for (const id of ["deep", "old", 1, 2, 3]) yield* message(answerTo(id))
      const codes = lines
        .map((line) => parsed(line))
        .flatMap(({ error, id }) => (error === undefined ? [] : [[id, error.code]]))
      assert.deepInclude(codes, ["deep", -32_600])
      assert.deepInclude(codes, ["old", -32_600])
      assert.deepInclude(codes, [1, -32_601])
      assert.deepStrictEqual(
        codes.filter(([id]) => id === null),
        [-32_700, -32_700, -32_600, -32_600].map((code) => [null, code])
      )
    })
  )

  live("has a limit of requests in progress, and the next one gets an error", () =>
    Effect.gen(function* () {
      const { message, write } = yield* started()
      write(initialize)
      for (let id = 1; id <= LISTENER_REQUESTS_MAX + 1; id++) write(call(id, "wait"))
      const { error } = yield* message(answerTo(LISTENER_REQUESTS_MAX + 1))
      assert.strictEqual(error?.code, -32_000)
      write({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } })
      write(call("after", "echo", { text: "hi" }))
      assert.isDefined((yield* message(answerTo("after"))).result)
    })
  )
})

describe("a client at stdin", () => {
  live("that is refused gets the reason", () =>
    Effect.gen(function* () {
      for (const era of ERAS) {
        const door = { command: process.execPath, args: [PROGRAM, "refuse"] }
        const failed = yield* Effect.promise(() =>
          connect(era, door)
            .then((client) => client.request("tools/list"))
            .catch((error: unknown) => String(error))
        )
        assert.include(failed, "Not you")
      }
    })
  )

  live("gets list changes always, and resource changes while it is subscribed", () =>
    Effect.gen(function* () {
      const { lines, message, write } = yield* started()
      write(
        initialize,
        { jsonrpc: "2.0", method: "notifications/initialized" },
        call(1, "change", { kind: "resource", uri: "test://not" }),
        { jsonrpc: "2.0", id: 2, method: "resources/subscribe", params: { uri: "test://one" } }
      )
      yield* message(answerTo(2))
      write(call(3, "change", { kind: "resource", uri: "test://one" }), call(4, "change", { kind: "prompts" }))
      yield* message(({ method }) => method === "notifications/prompts/list_changed")
      const heard = lines
        .map((line) => parsed(line))
        .flatMap(({ method, params }) => (method === undefined ? [] : [[method, params?.["uri"]]]))
      assert.deepStrictEqual(heard, [
        ["notifications/resources/updated", "test://one"],
        ["notifications/prompts/list_changed", undefined]
      ])
    })
  )

  live("of the revision without sessions gets the changes that it listens for", () =>
    Effect.gen(function* () {
      const { lines, message, write } = yield* started()
      const notifications = { toolsListChanged: true }
      write({ jsonrpc: "2.0", id: "news", method: "subscriptions/listen", params: { notifications, _meta: META } })
      yield* message(({ method }) => method === "notifications/subscriptions/acknowledged")
      write(modernCall(1, "change", { kind: "prompts" }), modernCall(2, "change", { kind: "tools" }))
      yield* message(({ method }) => method === "notifications/tools/list_changed")
      assert.notInclude(lines.join("\n"), "prompts/list_changed")
    })
  )

  live("that asks which revisions there are, and then speaks an old one, is served once", () =>
    Effect.gen(function* () {
      const { heard, message, notes, process: child, write } = yield* started()
      write({ jsonrpc: "2.0", id: "which", method: "server/discover", params: { _meta: META } })
      yield* message(answerTo("which"))
      write(initialize, call(1, "echo", { text: "hi" }))
      assert.isDefined((yield* message(answerTo(1))).result)
      child.stdin.end()
      yield* heard("returned")
      assert.lengthOf(
        notes.filter((line) => line.startsWith("left stdio-")),
        1
      )
    })
  )
})
