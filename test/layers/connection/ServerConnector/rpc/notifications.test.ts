import { assert, describe, it } from "@effect/vitest"
import { makeEventLoop } from "../../../../../src/system/EventLoop.ts"
import { noDeadlines } from "../../../../support/deadlines.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import { makeNotifications } from "../../../../../src/layers/connection/ServerConnector/rpc/notifications.ts"
import { Peer } from "../../../../../src/layers/connection/ServerConnector/rpc/Peer.ts"
import type { LogMessage } from "../../../../../src/schemas/connection/LogMessage.ts"
import { CUT_MARGIN_CHARS } from "../../../../../src/schemas/defaults/Texts.ts"
import { STDERR_LINES_PER_SECOND } from "../../../../../src/schemas/defaults/Wire.ts"
import { ContentSanitizer } from "../../../../../src/services/content/ContentSanitizer.ts"
import { Redactor } from "../../../../../src/services/content/Redactor.ts"
import { payloads } from "../../../../fixtures/channels/payloads.ts"
import { sanitizer } from "../../../../support/sanitizer.ts"
import { makeSearch } from "../../../../support/survivors.ts"

/** What was heard, and what went to the log, by level. */
const hearWith = Effect.fnUntraced(function* (tidy: (text: string, maxChars: number) => string) {
  const told: Array<LogMessage> = []
  const logged: Array<[level: string, line: string]> = []
  const logger = Logger.make<unknown, void>(({ logLevel, message }) => void logged.push([logLevel, String(message)]))
  const layer = Layer.mergeAll(Logger.layer([logger]), Layer.succeed(References.MinimumLogLevel, "All"))
  const fork = Effect.runForkWith(yield* Layer.build(layer))
  const incoming = makeNotifications("fs", tidy, fork, { heard: (message) => void told.push(message) })
  const say = incoming.hooks.onNotification
  return { incoming, logged, say, told }
})

const hear = hearWith((text, maxChars) => text.slice(0, maxChars))

describe("notifications: events", () => {
  it.effect("report list changes and valid resource updates to listeners", () =>
    Effect.gen(function* () {
      const { incoming, say } = yield* hear
      const events: Array<unknown> = []
      incoming.onEvent((event) => events.push(event))
      for (const list of ["tools", "resources", "prompts"]) say(`notifications/${list}/list_changed`, {})
      say("notifications/resources/updated", { uri: "test://a" })
      for (const params of [{}, { uri: 5 }, { uri: { toString: 1 } }, { uri: "x".repeat(100_000) }]) {
        say("notifications/resources/updated", params)
      }
      for (const other of ["notifications/roots/list_changed", "x/list_changed", "notifications/initialized"])
        say(other, {})
      assert.deepStrictEqual(events, [
        { _tag: "ListChanged" },
        { _tag: "ListChanged" },
        { _tag: "ListChanged" },
        { _tag: "ResourceUpdated", uri: "test://a" }
      ])
    })
  )

  it.effect("report an early list change to the first listener", () =>
    Effect.gen(function* () {
      const { incoming, say } = yield* hear
      for (let i = 0; i < 5; i++) say("notifications/tools/list_changed", {})
      say("notifications/resources/updated", { uri: "test://a" })
      const events: Array<unknown> = []
      for (let i = 0; i < 2; i++) incoming.onEvent((event) => events.push(event))
      assert.deepStrictEqual(events, [{ _tag: "ListChanged" }])
    })
  )
})

describe("notifications: events of the connection itself", () => {
  it.effect("report an early list change to the first listener too", () =>
    Effect.gen(function* () {
      const { incoming } = yield* hear
      incoming.emit({ _tag: "ResourceUpdated", uri: "test://a" })
      incoming.emit({ _tag: "ListChanged" })
      const events: Array<unknown> = []
      incoming.onEvent((event) => events.push(event))
      assert.deepStrictEqual(events, [{ _tag: "ListChanged" }])
    })
  )
})

describe("notifications: the server's log", () => {
  it.effect("is logged at a lower level, at most as a warning", () =>
    Effect.gen(function* () {
      const { logged, say } = yield* hear
      const levels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency", "shout", 5]
      for (const level of levels) say("notifications/message", { level, data: "hi" })
      assert.deepStrictEqual(
        logged.map(([level]) => level),
        ["Debug", "Debug", "Info", "Info", "Warn", "Warn", "Warn", "Warn", "Debug", "Debug"]
      )
      assert.strictEqual(logged[4]![1], "[fs] error: hi")
    })
  )

  it.effect("logs stderr as a warning only when it looks like an error", () =>
    Effect.gen(function* () {
      const { incoming, logged } = yield* hear
      for (const line of [
        "Knowledge Graph MCP Server running on stdio",
        "listening; no errors so far",
        "TypeError: x is not a function",
        "Failed to connect",
        "npm warn Unknown config"
      ]) {
        incoming.hooks.onStderr(line)
      }
      assert.deepStrictEqual(
        logged.map(([level]) => level),
        ["Info", "Info", "Warn", "Warn", "Warn"]
      )
    })
  )

  it.effect("is one line of limited length for data of any type", () =>
    Effect.gen(function* () {
      const { logged, say } = yield* hear
      say("notifications/message", { level: "info", data: { a: [1] } })
      say("notifications/message", { level: "info", data: "x".repeat(1_000_000) })
      say("notifications/message", {})
      assert.strictEqual(logged[0]![1], '[fs] info: {"a":[1]}')
      assert.isBelow(logged[1]![1].length, 2_100)
      assert.lengthOf(logged, 3)
    })
  )

  it.effect("is cut before it is sanitized", () =>
    Effect.gen(function* () {
      let longest = 0
      const { logged, say } = yield* hearWith((text, maxChars) => {
        longest = Math.max(longest, text.length)
        return text.slice(0, maxChars)
      })
      const endless = "x".repeat(1_000_000)
      for (const data of [endless, { endless }]) say("notifications/message", { level: endless, data })
      assert.lengthOf(logged, 2)
      assert.isAtMost(longest, 2_000 + CUT_MARGIN_CHARS)
    })
  )

  it.effect("is passed to the host when its level is valid", () =>
    Effect.gen(function* () {
      const { say, told } = yield* hearWith((text, maxChars) =>
        text.replaceAll("secret", "[masked]").slice(0, maxChars)
      )
      say("notifications/message", { level: "error", data: { a: "secret" }, logger: "secret" })
      for (const level of ["shout", 5, undefined, "toString"]) say("notifications/message", { level, data: "hi" })
      assert.deepStrictEqual(told, [{ level: "error", data: '{"a":"[masked]"}', logger: "fs" }])
    })
  )

  it.effect("is limited per second", () =>
    Effect.gen(function* () {
      const { logged, say, told } = yield* hear
      for (let i = 0; i < 10_000; i++) say("notifications/message", { level: "error", data: String(i) })
      // The flood may span the change of a second.
      assert.isAtMost(logged.length, 3 * (STDERR_LINES_PER_SECOND + 1))
      assert.isAtMost(told.length, 3 * STDERR_LINES_PER_SECOND)
    })
  )
})

describe("notifications: hostile text", () => {
  const SECRET = "sk-live-7Qm2Xv9TzB4KpL8s"

  it.effect("shows no part of a secret at the end of what is read of a line that is no message", () =>
    Effect.gen(function* () {
      ;(yield* Redactor).register(SECRET)
      const { incoming, logged } = yield* hearWith((yield* ContentSanitizer).label)
      const hooks = { ...incoming.hooks, deadlines: noDeadlines, loop: makeEventLoop() }
      const peer = new Peer("fs", { send: () => undefined }, hooks)
      const ends = [CUT_MARGIN_CHARS, 2 * CUT_MARGIN_CHARS]
      for (const end of ends) peer.receiveText(`${"\u200b".repeat(end - 16)}${SECRET}`)
      assert.lengthOf(logged, ends.length)
      for (const [, line] of logged) {
        assert.notInclude(line, SECRET.slice(0, 4))
      }
    }).pipe(Effect.provide(sanitizer))
  )
  const DIGITS = "739104826455"
  const { survivors } = makeSearch([SECRET, DIGITS])

  // Behind so many other characters that each limit of a line lies within the words of some.
  const BEFORE = [0, 70, 180, 270, 280, 290, 1_970, 1_980, 1_990]

  for (const [name, words] of Object.entries(payloads(SECRET, DIGITS))) {
    it.effect(`${name}: leaves nothing in the log, wherever a line is cut`, () =>
      Effect.gen(function* () {
        const { register } = yield* Redactor
        register(SECRET)
        register(DIGITS)
        const { label } = yield* ContentSanitizer
        const lines: Array<string> = []
        for (const before of BEFORE) {
          const said = `${"x".repeat(before)}${words}`
          // A new one for each: a flood of lines would be cut.
          const { incoming, logged, say } = yield* hearWith(label)
          const peer = new Peer(
            "fs",
            { send: () => undefined },
            { ...incoming.hooks, deadlines: noDeadlines, loop: makeEventLoop() }
          )
          say("notifications/message", { level: "error", logger: said, data: said })
          say("notifications/message", { level: said, data: { [said]: [said] } })
          incoming.hooks.onStderr(said)
          peer.receiveText(said)
          peer.receiveText(JSON.stringify({ jsonrpc: "2.0", id: said, result: said }))
          peer.receiveText(JSON.stringify({ jsonrpc: "2.0", id: said, method: said, params: { said } }))
          assert.isAtLeast(logged.length, 5)
          lines.push(...logged.map(([, line]) => line))
        }
        assert.isTrue(lines.some((line) => line.includes("quoth")))
        for (const line of lines) {
          assert.deepStrictEqual(survivors(line), [], line)
          assert.notMatch(line, /\n/)
        }
      }).pipe(Effect.provide(sanitizer))
    )
  }
})
