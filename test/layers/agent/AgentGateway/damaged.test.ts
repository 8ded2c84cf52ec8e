/** Files of conversations that are not what they should be. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { appendFileSync, chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeFiles } from "../../../../src/layers/agent/AgentGateway/conversationFiles.ts"
import { readTurn } from "../../../../src/layers/agent/AgentGateway/keptTurns.ts"
import { replayOf } from "../../../programs/acp/live.ts"
import type { AgentEvent } from "../../../../src/schemas/agent/AgentEvent.ts"
import { generator } from "../../../support/random.ts"
import { filesIn, folder, inProcess, keepingLog, list, load, say } from "./kept.ts"

const info = { sessionKey: "s", cwd: undefined, title: undefined, createdAt: 1, updatedAt: 1 }

const details = {
  externalContent: { untrusted: true, source: "mcp_server", server: "s", tool: "t", mode: "delimit", wrapped: false },
  findings: [{ kind: "ansi", detail: "removed", count: 1 }],
  notes: ["cut"],
  originals: [
    { type: "audio", mimeType: "audio/wav", uri: "x:a", bytes: 3, data: "AAAA", handle: "r-1" },
    {
      type: "resource_link",
      mimeType: "text/plain",
      uri: "x:b",
      bytes: 0,
      link: { name: "b", title: "B", description: "which", size: 3 }
    }
  ],
  handle: "r-2",
  annotations: { readOnlyHint: true }
}
const failure = { error: { tag: "Test", server: "s", tool: "t", maybeExecuted: false }, findings: [] }
const content = [
  { type: "text", text: "hello" },
  { type: "image", mimeType: "image/png", data: "AAAA" }
]
const source = { kind: "resource", uri: "file:///a", mediaType: "text/plain" }

/** One of everything that a turn can have. */
const turn = {
  message: [
    { type: "text", text: "hi", source },
    { type: "file", mediaType: "image/png", data: "AAAA", name: "a.png" }
  ],
  events: [
    { _tag: "Text", delta: "a" },
    { _tag: "Thought", delta: "b" },
    { _tag: "Notice", text: "c" },
    { _tag: "Media", mediaType: "image/png", data: "AAAA", name: "a.png" },
    { _tag: "ToolCall", id: "1", name: "t", args: { a: 1 }, title: "T", kind: "read" },
    { _tag: "ToolResult", id: "1", name: "t", result: { content, isError: false, details, structuredContent: [1] } },
    { _tag: "ToolResult", id: "2", name: "t", result: { content: [], isError: true, details: failure } },
    { _tag: "Done", reason: "stop", inputTokens: 1, outputTokens: 2 }
  ],
  messages: [
    { role: "user", content: "hi" },
    { role: "assistant", content: [{ type: "tool-call", toolCallId: "1", toolName: "t", input: {} }] }
  ]
}

/** Every place in a value, as the way to it. */
const placesOf = (value: unknown, way: ReadonlyArray<string> = []): ReadonlyArray<ReadonlyArray<string>> =>
  typeof value === "object" && value !== null
    ? [way, ...Object.entries(value).flatMap(([key, item]) => placesOf(item, [...way, key]))]
    : [way]

const replaced = (value: unknown, [key, ...way]: ReadonlyArray<string>, by: unknown): unknown => {
  if (key === undefined || typeof value !== "object" || value === null) return by
  const copy = Array.isArray(value) ? [...value] : { ...value }
  Reflect.set(copy, key, replaced(Reflect.get(value, key), way, by))
  return copy
}

const client = { notices: true, contextWindow: 0, readKept: () => Effect.void as Effect.Effect<undefined> }

describe("a turn that is read from a file", () => {
  it("equals the turn that was written", () => {
    assert.deepStrictEqual(readTurn(JSON.parse(JSON.stringify(turn))) as unknown, turn)
  })

  it.effect("can be replayed, whatever values are damaged", () =>
    Effect.gen(function* () {
      const strange = [null, 0, -1, "x", true, [], {}, [null], { type: null }, ["__proto__"], undefined]
      const places = placesOf(turn)
      const { pick } = generator(1)
      let left = 0
      const look = Effect.fnUntraced(function* (given: unknown) {
        const read = readTurn(given)
        if (read === undefined) return
        left++
        JSON.stringify(yield* replayOf(read, "0", client))
      })
      for (const place of places) for (const by of strange) yield* look(replaced(turn, place, by))
      for (let round = 0; round < 2_000; round++) {
        yield* look(replaced(replaced(turn, pick(places), pick(strange)), pick(places), pick(strange)))
      }
      assert.isAbove(left, places.length)
    })
  )

  it("drops a tool result with damaged originals, and a damaged message for the model", () => {
    const bad = replaced(turn, ["events", "5", "result", "details", "originals"], [null])
    assert.deepStrictEqual(
      readTurn(bad)!.events.map(({ _tag }) => _tag),
      (turn.events as ReadonlyArray<AgentEvent>).map(({ _tag }) => _tag).toSpliced(5, 1)
    )
    assert.deepStrictEqual(readTurn(replaced(turn, ["messages", "1", "content"], [null]))!.messages, [])
  })
})

describe("a conversation file", () => {
  it.live("with an invalid time is not listed, and the others are", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* Effect.andThen(say("bad", "bad"), say("good", "good")).pipe(inProcess(directory))
      const bad = filesIn(directory).find((file) => readFileSync(file, "utf8").includes('"bad"'))!
      for (const moment of ["9e99", "8.64e15"]) {
        writeFileSync(bad, readFileSync(bad, "utf8").replace(/"updatedAt":[^,}]+/, `"updatedAt":${moment}`))
        const keys = (yield* list.pipe(inProcess(directory))).map(({ sessionKey, updatedAt }) => {
          new Date(updatedAt).toISOString()
          return sessionKey
        })
        assert.sameMembers(keys, moment === "9e99" ? ["good"] : ["bad", "good"])
      }
    })
  )

  it.live("with an incomplete last line continues with the next turn", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const files = makeFiles(directory, (text) => text)
      const kept = (text: string) => ({ message: [{ type: "text" as const, text }], events: [], messages: [] })
      yield* files.write({ info, turns: [kept("one")] }, false)
      appendFileSync(filesIn(directory)[0]!, '{"mess')
      yield* files.append("s", kept("two"))
      assert.deepStrictEqual(
        (yield* files.read("s"))!.turns.map(({ message }) => Reflect.get(message[0]!, "text")),
        ["one", "two"]
      )
    })
  )

  it.live("with unsafe permissions or of another type is not read, and logged once per file", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const logged: Array<string> = []
      yield* Effect.andThen(say("a", "a"), say("b", "b")).pipe(inProcess(directory))
      const [first = "", second = ""] = filesIn(directory)
      chmodSync(first, 0o666)
      rmSync(second)
      mkdirSync(second)
      yield* Effect.gen(function* () {
        for (const key of ["a", "b", "a", "none"]) assert.isUndefined(yield* load(key))
        assert.deepStrictEqual(yield* list, [])
      }).pipe(inProcess(directory, undefined, undefined, logged))
      assert.lengthOf(logged, 2)
      for (const [index, file] of [first, second].entries()) {
        assert.isTrue(
          logged.some((line) => line.includes(file) && line.includes("is not read")),
          `${index}`
        )
      }
    })
  )

  it.live("that cannot be written is logged once until writing works again", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const logged: Array<string> = []
      const place = join(directory, "conversations")
      writeFileSync(place, "")
      const files = makeFiles(directory, (text) => text)
      const turns = [{ message: [], events: [{ _tag: "Notice" as const, text: "x" }], messages: [] }]
      const write = files.write({ info, turns }, false)
      yield* Effect.gen(function* () {
        assert.isUndefined(yield* files.list)
        for (const outcome of [yield* write, yield* write]) assert.strictEqual(outcome, "failed")
        assert.deepStrictEqual(
          logged.map((line) => /cannot be (\w+)/.exec(line)?.[1]),
          ["listed", "written"]
        )
        rmSync(place)
        assert.strictEqual(yield* write, "kept")
        rmSync(place, { recursive: true })
        writeFileSync(place, "")
        yield* write
        assert.lengthOf(logged, 3)
      }).pipe(Effect.provide(keepingLog(logged)))
    })
  )
})
