import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { layerScripted, type Script } from "../../../src/layers/AgentGateway.ts"
import { makeFiles } from "../../../src/layers/AgentGateway/files.ts"
import * as RedactorLayer from "../../../src/layers/Redactor.ts"
import * as SessionTools from "../../../src/layers/SessionTools.ts"
import { CONVERSATION_MAX_BYTES, CONVERSATIONS_KEPT_MAX } from "../../../src/schemas/Defaults.ts"
import type { UserMessage } from "../../../src/schemas/UserMessage.ts"
import { AgentGateway } from "../../../src/services/AgentGateway.ts"
import { McpRuntime } from "../../../src/services/McpRuntime.ts"
import { Redactor } from "../../../src/services/Redactor.ts"
import { provider } from "../../support/modelProvider.ts"
import { gateway as gatewayWithModel, result, runtimeOf } from "./gateway.ts"

const SECRET = "canary-7hQ2-secret"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "mcp-live-kept-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** One process: what it keeps in memory is gone afterwards. */
const inProcess =
  (directory: string, script: Script = [[{ say: "yes" }]]) =>
  <A, E>(work: Effect.Effect<A, E, AgentGateway>) =>
    Effect.andThen(
      Effect.sync(() => {}),
      work
    ).pipe(
      Effect.provide(
        layerScripted(script, { directory }).pipe(
          Layer.provide(SessionTools.layer),
          Layer.provide(
            Layer.succeed(
              McpRuntime,
              runtimeOf(() => Effect.succeed(result(`the token is ${SECRET}`)))
            )
          ),
          Layer.provide(
            Layer.effect(
              Redactor,
              Effect.map(Redactor, (redactor) => {
                redactor.register(SECRET)
                return redactor
              })
            ).pipe(Layer.provide(RedactorLayer.layer))
          ),
          Layer.provideMerge(Logger.layer([]))
        )
      )
    )

const gateway = Effect.serviceOption(AgentGateway).pipe(Effect.flatMap(Effect.fromOption), Effect.orDie)
const say = (message: UserMessage, key = "s") => AgentGateway.use(({ send }) => Stream.runCollect(send(key, message)))
const begin = (key = "s", cwd = "/work") => AgentGateway.use((agent) => agent.begin(key, { cwd }))
const load = (key = "s") => AgentGateway.use((agent) => agent.load(key))
const list = AgentGateway.use((agent) => agent.list)

const filesIn = (directory: string) =>
  readdirSync(join(directory, "conversations")).map((name) => join(directory, "conversations", name))

describe("conversations that are kept", () => {
  it.live("are there again in the next process: message, answer, calls, where and when", () =>
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

  it.live("are what a model is told of again, with the results of its calls", () =>
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

  it.live("are this user's alone, put there whole, and hold no known secret", () =>
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

  it.live("of an answer that was stopped, or failed, keep what was said until then", () =>
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

  it.live("are listed only when something was said, the latest first; what is released empty is forgotten", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* Effect.gen(function* () {
        yield* begin("empty")
        yield* begin("full")
        yield* say("hi", "full")
        yield* say("hi", "later")
      }).pipe(inProcess(directory))
      yield* Effect.gen(function* () {
        assert.deepStrictEqual(
          (yield* list).map(({ sessionKey }) => sessionKey),
          ["later", "full"]
        )
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

  it.live("are bounded: the oldest turns go, and of one that is too large its words stay", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const third = "x".repeat(CONVERSATION_MAX_BYTES / 3)
      yield* Effect.gen(function* () {
        for (const name of ["one", "two", "three", "four"]) yield* say(`${name} ${third}`)
        assert.lengthOf((yield* load())!.turns, 2)
        const image = { type: "file", mediaType: "image/png", data: "A".repeat(CONVERSATION_MAX_BYTES) } as const
        yield* say([{ type: "text", text: "look" }, image], "large")
      }).pipe(inProcess(directory))
      for (const file of filesIn(directory)) assert.isAtMost(statSync(file).size, CONVERSATION_MAX_BYTES)
      yield* Effect.gen(function* () {
        const words = (yield* load())!.turns.map(({ message }) => Reflect.get(message[0]!, "text").slice(0, 5))
        assert.deepStrictEqual(words, ["three", "four "])
        assert.deepStrictEqual((yield* load("large"))!.turns[0]!.message, [
          { type: "text", text: "look" },
          { type: "text", text: "[image/png: too large to be kept]" }
        ])
      }).pipe(inProcess(directory))
    })
  )

  it.live("are bounded also where masks make them longer", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const files = makeFiles(directory, (text) => text.replaceAll("~", "[REDACTED]"))
      const turn = (name: string) => ({
        message: [{ type: "text" as const, text: `${name} ${"~".repeat(CONVERSATION_MAX_BYTES / 30)}` }],
        events: [],
        messages: []
      })
      const info = { sessionKey: "s", cwd: undefined, title: undefined, createdAt: 1, updatedAt: 1 }
      yield* files.write({ info, turns: ["one", "two", "three"].map(turn) })
      for (const file of filesIn(directory)) assert.isAtMost(statSync(file).size, CONVERSATION_MAX_BYTES)
      const kept = (yield* files.read("s"))!
      assert.deepStrictEqual(
        kept.turns.map(({ message }) => Reflect.get(message[0]!, "text").slice(0, 5)),
        ["two [", "three"]
      )
    })
  )

  it.live("are no more than so many", () =>
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

  it.live("that are damaged, or that others can write, cost no more than themselves", () =>
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
        assert.deepStrictEqual(kept.turns[1], { message: [], events: [] })
        assert.isUndefined(yield* load("foreign"))
        yield* say("on we go")
      }).pipe(inProcess(directory))
    })
  )

  it.live("that cannot be written cost no answer", () =>
    Effect.gen(function* () {
      const directory = join(yield* folder, "file")
      writeFileSync(directory, "")
      const events = yield* say("hi").pipe(inProcess(directory))
      assert.strictEqual(events.at(-1)?._tag, "Done")
    })
  )
})
