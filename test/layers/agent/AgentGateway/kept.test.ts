import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Fiber from "effect/Fiber"
import { appendFileSync, chmodSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Script } from "../../../../src/layers/agent/AgentGateway.ts"
import { makeFiles } from "../../../../src/layers/agent/AgentGateway/conversationFiles.ts"
import { CONVERSATION_MAX_BYTES, CONVERSATIONS_KEPT_MAX } from "../../../../src/schemas/defaults/Conversations.ts"
import { orderKey } from "../../../../src/schemas/agent/OrderSession.ts"
import { provider } from "../../../support/modelProvider.ts"
import { gateway as gatewayWithModel, result, runtimeOf } from "./gateway.ts"
import { begin, filesIn, folder, gateway, inProcess, list, load, say, SECRET } from "./kept.ts"

describe("stored conversations", () => {
  it.live("are loaded by the next process with message, answer, calls, directory and title", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const script: Script = [
        [{ think: "hm" }, { call: "mcp_fs_read", args: { path: "/a" } }, { say: "a" }, { say: "b" }]
      ]
      yield* Effect.andThen(begin(), say("Read /a")).pipe(inProcess(directory, script))
      yield* Effect.gen(function* () {
        const [info, ...others] = yield* list
        assert.lengthOf(others, 0)
        assert.deepInclude(info, { sessionKey: "s", cwd: "/work", title: "Read /a" })
        const { turns } = (yield* load())!
        assert.deepStrictEqual(turns[0]!.message, [{ type: "text", text: "Read /a" }])
        assert.deepStrictEqual(
          turns[0]!.events.map((event) => [event._tag, Reflect.get(event, "delta") ?? Reflect.get(event, "name")]),
          [
            ["Thought", "hm"],
            ["ToolCall", "mcp_fs_read"],
            ["ToolResult", "mcp_fs_read"],
            ["Text", "ab"],
            ["Done", undefined]
          ]
        )
        yield* say("And now?")
        assert.lengthOf((yield* load())!.turns, 2)
      }).pipe(inProcess(directory))
      yield* Effect.gen(function* () {
        assert.lengthOf((yield* load())!.turns, 2)
        assert.isUndefined(yield* load("other"))
      }).pipe(inProcess(directory))
    })
  )

  it.live("are sent to the model again, with tool results", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const { baseUrl, requests } = yield* provider(
        { calls: [{ id: "c1", name: "mcp_fs_read", args: '{"path":"/a"}' }] },
        { text: ["It says hello."] }
      )
      const runtime = runtimeOf(() => Effect.succeed(result("hello")))
      for (const words of ["Read /a", "And what was it?"]) {
        yield* say(words).pipe(Effect.provide(gatewayWithModel({ directory, model: { baseUrl }, runtime })))
      }
      assert.deepStrictEqual(
        requests[2]!.messages.slice(1).map(({ content, role }) => [role, content]),
        [
          ["user", "Read /a"],
          ["assistant", null],
          ["tool", "hello"],
          ["assistant", "It says hello."],
          ["user", "And what was it?"]
        ]
      )
    })
  )

  it.live("have a private file with known secrets masked", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* say(`My token is ${SECRET}`).pipe(inProcess(directory, [[{ call: "mcp_fs_read" }, { say: SECRET }]]))
      const [file = "", ...others] = filesIn(directory)
      assert.lengthOf(others, 0)
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      const text = readFileSync(file, "utf8")
      assert.notInclude(text, SECRET)
      assert.include(text, "My token is [REDACTED]")
      assert.include(text, "the token is [REDACTED]")
    })
  )

  it.live("keep the text of an answer that was interrupted or failed", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const begun = yield* Deferred.make<void>()
      const script: Script = [
        [{ say: "so far" }, { wait: Deferred.succeed(begun, undefined) }, { wait: Effect.never }],
        [{ say: "and" }, { fail: "no more" }]
      ]
      yield* Effect.gen(function* () {
        const turn = yield* Effect.forkChild(say("one"))
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(turn)
        assert.strictEqual((yield* Effect.flip(say("two"))).message, "no more")
      }).pipe(inProcess(directory, script))
      const kept = yield* load().pipe(inProcess(directory))
      assert.deepStrictEqual(
        kept!.turns.map(({ events }) => events),
        [[{ _tag: "Text", delta: "so far" }], [{ _tag: "Text", delta: "and" }]]
      )
    })
  )

  it.live("are listed with the latest first, and not while they are empty", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* Effect.gen(function* () {
        yield* begin("empty")
        yield* begin("full")
        yield* say("hi", "full")
        // Not within the same millisecond.
        const before = Date.now()
        while (Date.now() === before) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        yield* say("hi", "later")
      }).pipe(inProcess(directory))
      yield* Effect.gen(function* () {
        assert.deepStrictEqual(
          (yield* list).map(({ sessionKey }) => sessionKey),
          ["later", "full"]
        )
        assert.isUndefined(yield* load("empty"))
        yield* begin("empty")
        yield* begin("full")
        assert.isDefined(yield* load("empty"))
        const agent = yield* gateway
        for (const key of ["empty", "full"]) yield* agent.release(key)
        assert.isUndefined(yield* load("empty"))
        assert.isDefined(yield* load("full"))
        assert.isTrue(yield* agent.forget("full"))
        assert.isFalse(yield* agent.forget("full"))
        assert.isUndefined(yield* load("full"))
      }).pipe(inProcess(directory))
      assert.lengthOf(filesIn(directory), 1)
    })
  )

  it.live("drop their oldest turns over the size limit, and keep the text of a large message", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const third = "x".repeat(CONVERSATION_MAX_BYTES / 3)
      yield* Effect.gen(function* () {
        for (const name of ["one", "two", "three", "four"]) yield* say(`${name} ${third}`)
        assert.lengthOf((yield* load())!.turns, 2)
        const image = { type: "file", mediaType: "image/png", data: "A".repeat(CONVERSATION_MAX_BYTES) } as const
        yield* say([{ type: "text", text: "look" }, image], "large")
        const bytes = new Uint8Array(CONVERSATION_MAX_BYTES)
        yield* say(
          [
            { type: "text", text: "look" },
            { ...image, data: bytes }
          ],
          "large bytes"
        )
        yield* say(
          [
            { type: "text", text: "look" },
            { ...image, data: bytes.subarray(0, 3) }
          ],
          "few bytes"
        )
      }).pipe(inProcess(directory))
      for (const file of filesIn(directory)) assert.isAtMost(statSync(file).size, CONVERSATION_MAX_BYTES)
      yield* Effect.gen(function* () {
        assert.strictEqual((yield* load())!.dropped, 2)
        const words = (yield* load())!.turns.map(({ message }) => Reflect.get(message[0]!, "text").slice(0, 5))
        assert.deepStrictEqual(words, ["three", "four "])
        for (const large of ["large", "large bytes"]) {
          assert.deepStrictEqual((yield* load(large))!.turns[0]!.message, [
            { type: "text", text: "look" },
            { type: "text", text: "[image/png: too large to be kept]" }
          ])
        }
        assert.deepInclude((yield* load("few bytes"))!.turns[0]!.message[1], { type: "file", data: "AAAA" })
      }).pipe(inProcess(directory))
    })
  )

  it.live("keep text and answer of a message with 600 MB of files", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      // Twenty megabytes each, and together more than the longest text that there is.
      const file = { type: "file", mediaType: "image/png", data: "A".repeat(20 * 1024 * 1024) } as const
      yield* Effect.gen(function* () {
        const events = yield* say([{ type: "text", text: "look" }, ...Array.from({ length: 30 }, () => file)])
        assert.deepStrictEqual(
          events.flatMap((event) => (event._tag === "Text" ? [event.delta] : [])),
          ["yes"]
        )
        assert.deepStrictEqual((yield* load())!.turns[0]!.message[0], { type: "text", text: "look" })
      }).pipe(inProcess(directory))
      assert.lengthOf((yield* load().pipe(inProcess(directory)))!.turns, 1)
    })
  )

  it.live("are limited by their size after masking", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const files = makeFiles(directory, (text) => text.replaceAll("~", "[REDACTED]"))
      const turn = (name: string) => ({
        message: [{ type: "text" as const, text: `${name} ${"~".repeat(CONVERSATION_MAX_BYTES / 30)}` }],
        events: [],
        messages: []
      })
      const info = { sessionKey: "s", cwd: undefined, title: undefined, createdAt: 1, updatedAt: 1 }
      yield* files.write({ info, turns: ["one", "two", "three"].map(turn) }, false)
      for (const file of filesIn(directory)) assert.isAtMost(statSync(file).size, CONVERSATION_MAX_BYTES)
      const kept = (yield* files.read("s"))!
      assert.deepStrictEqual(
        kept.turns.map(({ message }) => Reflect.get(message[0]!, "text").slice(0, 5)),
        ["two [", "three"]
      )
    })
  )

  it.live("are limited in number", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const place = join(directory, "conversations")
      mkdirSync(place, { recursive: true })
      for (let index = 0; index < CONVERSATIONS_KEPT_MAX; index++) {
        writeFileSync(join(place, `${index.toString(16).padStart(32, "0")}.jsonl`), "")
      }
      yield* say("hi").pipe(inProcess(directory))
      assert.lengthOf(filesIn(directory), CONVERSATIONS_KEPT_MAX)
      assert.isDefined(yield* load().pipe(inProcess(directory)))
    })
  )

  it.live("are removed first for the client that has most of them", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const [ada, bob] = [{ principal: "ada" }, { principal: "bob" }]
      const adas = orderKey(ada, "k")
      yield* say("hi", adas).pipe(inProcess(directory))
      yield* Effect.gen(function* () {
        for (let index = 0; index < CONVERSATIONS_KEPT_MAX + 5; index++) {
          yield* say("hi", orderKey(bob, `${index}`))
          // The clock of the files is slow: several in a row may have the same time.
          if (index === 0) for (const file of filesIn(directory)) utimesSync(file, 1, 1)
        }
      }).pipe(inProcess(directory, () => [{ say: "yes" }]))
      assert.lengthOf(filesIn(directory), CONVERSATIONS_KEPT_MAX)
      assert.isDefined(yield* load(adas).pipe(inProcess(directory)))
      assert.isUndefined(yield* load(orderKey(bob, "0")).pipe(inProcess(directory)))
      assert.isDefined(yield* load(orderKey(bob, `${CONVERSATIONS_KEPT_MAX}`)).pipe(inProcess(directory)))
    })
  )

  it.live("have no file before the first message", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* Effect.gen(function* () {
        yield* say("hi", "real")
        for (let index = 0; index < CONVERSATIONS_KEPT_MAX + 10; index++) yield* begin(`empty-${index}`)
        assert.lengthOf(
          filesIn(directory).filter((name) => name.endsWith(".jsonl")),
          1
        )
      }).pipe(inProcess(directory))
      assert.isDefined(yield* load("real").pipe(inProcess(directory)))
      assert.lengthOf(filesIn(directory), 1)
    })
  )

  it.live("replace a result that is too large by a note, and keep everything else", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const huge = "x".repeat(CONVERSATION_MAX_BYTES + 1)
      const { baseUrl, requests } = yield* provider(
        { text: ["Noted."] },
        { calls: [{ id: "c1", name: "mcp_fs_read", args: '{"path":"/a"}' }] },
        { text: ["It is long."] },
        { text: ["ok"] }
      )
      const runtime = runtimeOf(() => Effect.succeed(result(huge)))
      const texts = Effect.map(load(), (kept) => JSON.stringify(kept!.turns))
      const inMemory = yield* Effect.gen(function* () {
        yield* say("I am Ada")
        yield* say("Read /a")
        yield* say("And?")
        return yield* texts
      }).pipe(Effect.provide(gatewayWithModel({ directory, model: { baseUrl }, runtime })))
      assert.deepStrictEqual(
        requests
          .at(-1)!
          .messages.slice(1)
          .map(({ content, role }) => [role, content]),
        [
          ["user", "I am Ada"],
          ["assistant", "Noted."],
          ["user", "Read /a"],
          ["assistant", "It is long.\n[1 tool was called; what came of it was too large to be kept]"],
          ["user", "And?"]
        ]
      )
      for (const kept of [inMemory, yield* texts.pipe(inProcess(directory))]) {
        assert.isBelow(kept.length, CONVERSATION_MAX_BYTES / 2)
        for (const words of ["I am Ada", "It is long.", "too large to be kept whole"]) assert.include(kept, words)
      }
    })
  )

  it.live("include the question before it is answered", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const asked = yield* Queue.unbounded<void>()
      const script: Script = (text) =>
        text === "one" ? [{ say: "yes" }] : [{ wait: Queue.offer(asked, undefined) }, { wait: Effect.never }]
      yield* Effect.gen(function* () {
        for (const [key, message] of [
          ["new", "two"],
          ["old", "one"],
          ["old", "two"]
        ] as const) {
          if (message === "one") yield* say(message, key)
          else {
            yield* Effect.forkChild(say(message, key))
            yield* Queue.take(asked)
          }
        }
        // A process that is killed now leaves what is in the files.
        yield* Effect.gen(function* () {
          for (const [key, messages] of [
            ["new", ["two"]],
            ["old", ["one", "two"]]
          ] as const) {
            assert.deepStrictEqual(
              (yield* load(key))!.turns.map(({ message }) => Reflect.get(message[0]!, "text")),
              [...messages]
            )
          }
        }).pipe(inProcess(directory))
      }).pipe(inProcess(directory, script))
    })
  )

  it.live("that are damaged or writable by others do not affect the others", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* Effect.andThen(say("good"), say("bye", "foreign")).pipe(inProcess(directory))
      const [one = "", two = ""] = filesIn(directory)
      const [own, foreign] = readFileSync(one, "utf8").includes('"s"') ? [one, two] : [two, one]
      appendFileSync(
        own,
        '{"message":[{"type":"text"}],"events":[{"_tag":"Text"},{"_tag":"Nonsense"}],"messages":[1]}\n{"mes'
      )
      chmodSync(foreign, 0o666)
      writeFileSync(join(directory, "conversations", `${"0".repeat(32)}.jsonl`), "not JSON at all")
      yield* Effect.gen(function* () {
        assert.deepStrictEqual(
          (yield* list).map(({ sessionKey }) => sessionKey),
          ["s"]
        )
        const kept = (yield* load())!
        assert.strictEqual(Reflect.get(kept.turns[0]!.message[0]!, "text"), "good")
        assert.lengthOf(kept.turns, 1)
        assert.isUndefined(yield* load("foreign"))
        yield* say("on we go")
      }).pipe(inProcess(directory))
    })
  )

  it.live("that cannot be written do not prevent an answer, and the user is told once", () =>
    Effect.gen(function* () {
      const directory = join(yield* folder, "file")
      writeFileSync(directory, "")
      yield* Effect.gen(function* () {
        const events = yield* say("hi")
        assert.deepStrictEqual(
          events.map(({ _tag }) => _tag),
          ["Notice", "Text", "Done"]
        )
        assert.include(Reflect.get(events[0]!, "text"), "cannot be written")
        yield* begin()
        assert.strictEqual((yield* say("again"))[0]?._tag, "Text")
        assert.lengthOf((yield* load())!.turns, 2)
      }).pipe(inProcess(directory))
    })
  )
})
