/** Processes that have the same data directory. */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Script } from "../../../../src/layers/agent/AgentGateway.ts"
import { CONVERSATION_LOCK_AGE_MAX_MS, CONVERSATIONS_KEPT_MAX } from "../../../../src/schemas/defaults/Conversations.ts"
import { provider } from "../../../support/modelProvider.ts"
import { gateway as gatewayWithModel } from "./gateway.ts"
import { begin, filesIn, folder, gateway, inProcess, list, load, say } from "./kept.ts"

const words = (key?: string) =>
  Effect.map(load(key), (kept) => kept?.turns.map(({ message }) => Reflect.get(message[0]!, "text")))

const lockIn = (directory: string) => filesIn(directory).find((name) => name.endsWith(".lock"))!

/** The number of a process that was, and is no more. */
const deadPid = () => spawnSync(process.execPath, ["-e", ""]).pid

describe("a conversation used by several processes", () => {
  it.live("is open in one process at a time, and the error names that process", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const other = inProcess(directory)
      yield* Effect.gen(function* () {
        yield* begin()
        yield* say("one")
        const refused = `This conversation is open in another process (${process.pid}): close it there first.`
        assert.strictEqual((yield* Effect.flip(other(begin()))).message, refused)
        assert.strictEqual((yield* Effect.flip(other(say("me too")))).message, refused)
        // Looking at it, and another one, are no matter.
        assert.deepStrictEqual(yield* other(words()), ["one"])
        yield* other(say("hi", "else"))
        yield* (yield* gateway).release("s")
        yield* other(Effect.andThen(begin(), say("two")))
        yield* say("three")
        assert.deepStrictEqual(yield* words(), ["one", "two", "three"])
      }).pipe(inProcess(directory))
      assert.deepStrictEqual(yield* other(words()), ["one", "two", "three"])
      assert.isUndefined(lockIn(directory))
    })
  )

  it.live("is taken over when its lock belongs to a dead process or is too old", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const lock = yield* Effect.andThen(
        begin(),
        Effect.sync(() => ({ path: lockIn(directory), owner: JSON.parse(readFileSync(lockIn(directory), "utf8")) }))
      ).pipe(inProcess(directory))
      const isFree = (owner: object | string, ageMs = 0) =>
        Effect.gen(function* () {
          writeFileSync(lock.path, typeof owner === "string" ? owner : JSON.stringify({ ...lock.owner, ...owner }))
          const then = new Date(Date.now() - ageMs)
          utimesSync(lock.path, then, then)
          return yield* Effect.match(begin().pipe(inProcess(directory)), {
            onFailure: () => false,
            onSuccess: () => true
          })
        })
      assert.isFalse(yield* isFree({}))
      assert.isTrue(yield* isFree({ pid: deadPid() }))
      // The number was given to somebody else since.
      assert.strictEqual(yield* isFree({ started: "1" }), process.platform === "linux")
      assert.strictEqual(yield* isFree({ boot: "before" }), true)
      // What cannot be looked for from here goes by its age.
      assert.isFalse(yield* isFree({ host: "elsewhere", pid: deadPid() }))
      assert.isTrue(yield* isFree({ host: "elsewhere" }, 2 * CONVERSATION_LOCK_AGE_MAX_MS))
      // Somebody is about to write it, or never will.
      assert.isFalse(yield* isFree(""))
      assert.isTrue(yield* isFree("", 60_000))
    })
  )

  it.live("starts again when another process deletes it", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const { baseUrl, requests } = yield* provider({ text: ["ok"] })
      yield* Effect.gen(function* () {
        yield* begin()
        yield* say("one")
        assert.isTrue(yield* Effect.flatMap(gateway, ({ forget }) => forget("s")).pipe(inProcess(directory)))
        assert.deepStrictEqual(yield* list, [])
        yield* say("two")
        assert.deepStrictEqual(yield* words(), ["two"])
        assert.strictEqual((yield* load())?.title, "two")
      }).pipe(Effect.provide(gatewayWithModel({ directory, model: { baseUrl } })))
      assert.deepStrictEqual(
        requests[1]!.messages.slice(1).map(({ content }) => content),
        ["two"]
      )
      assert.deepStrictEqual(yield* words().pipe(inProcess(directory)), ["two"])
    })
  )

  it.live("starts again when another process deletes it during an answer", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const forget = Effect.flatMap(gateway, ({ forget }) => forget("s")).pipe(inProcess(directory))
      const script: Script = [[{ say: "yes" }], [{ wait: forget }]]
      yield* Effect.andThen(say("one"), say("two")).pipe(inProcess(directory, script))
      assert.deepStrictEqual(yield* words().pipe(inProcess(directory)), ["two"])
    })
  )

  it.live("leaves no file when it is forgotten during an answer", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const [asked, forgotten] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const script: Script = [[{ wait: Deferred.succeed(asked, undefined) }, { wait: Deferred.await(forgotten) }]]
      yield* Effect.gen(function* () {
        const turn = yield* Effect.forkChild(say("one"))
        yield* Deferred.await(asked)
        assert.isTrue(yield* (yield* gateway).forget("s"))
        yield* Deferred.succeed(forgotten, undefined)
        yield* Fiber.join(turn)
        assert.deepStrictEqual(filesIn(directory), [])
      }).pipe(inProcess(directory, script))
    })
  )
})

describe("the folder of conversations", () => {
  const fill = (directory: string) => {
    for (let index = 0; index < CONVERSATIONS_KEPT_MAX; index++) {
      const path = join(directory, "conversations", `${index.toString(16).padStart(32, "0")}.jsonl`)
      writeFileSync(path, "")
      utimesSync(path, 1_000 + index, 1_000 + index)
    }
  }
  const kept = (directory: string) =>
    readdirSync(join(directory, "conversations")).filter((name) => name.endsWith(".jsonl"))

  it.live("keeps to the limit for concurrent new ones, removing the oldest except open ones", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* Effect.gen(function* () {
        yield* begin("open")
        yield* say("hi", "open")
        const [open = ""] = kept(directory)
        utimesSync(join(directory, "conversations", open), 1, 1)
        fill(directory)
        const keys = Array.from({ length: 20 }, (_, index) => `new-${index}`)
        yield* Effect.forEach(keys, (key) => say("hi", key), { concurrency: "unbounded", discard: true })
        assert.lengthOf(kept(directory), CONVERSATIONS_KEPT_MAX)
        assert.lengthOf(yield* list, 21)
        assert.include(kept(directory), open)
        const left = kept(directory).filter((name) => name.startsWith("0".repeat(28)))
        assert.strictEqual(left.toSorted()[0], `${(21).toString(16).padStart(32, "0")}.jsonl`)
      }).pipe(inProcess(directory))
    })
  )

  it.live("is cleaned of temporary files and locks of killed processes", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* say("hi").pipe(inProcess(directory))
      const [file = ""] = filesIn(directory)
      const unfinished = (pid: number, ageMs = 0) => {
        const path = `${file}.${pid}-0123456789ab.tmp`
        writeFileSync(path, "half")
        const then = new Date(Date.now() - ageMs)
        utimesSync(path, then, then)
        return path
      }
      const owner = { pid: deadPid(), started: "", host: "", boot: "", space: "", nonce: "" }
      const alive = unfinished(process.ppid)
      unfinished(deadPid())
      unfinished(process.pid, 24 * 60 * 60 * 1000)
      writeFileSync(`${file}.lock`, JSON.stringify(owner))
      utimesSync(`${file}.lock`, 1, 1)
      // Whatever is done there first.
      yield* begin("other").pipe(inProcess(directory))
      assert.sameMembers(filesIn(directory), [file, alive])
      assert.isTrue(statSync(alive).isFile())
      // What is deleted is deleted whole.
      yield* Effect.flatMap(gateway, ({ forget }) => forget("s")).pipe(inProcess(directory))
      assert.deepStrictEqual(filesIn(directory), [])
    })
  )
})
