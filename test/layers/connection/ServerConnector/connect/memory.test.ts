import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { endedByItself } from "../../../../../src/layers/connection/ServerConnector/connect/dial.ts"
import {
  launchKey,
  makeLaunchMemory,
  type LaunchMemory
} from "../../../../../src/layers/connection/ServerConnector/connect/memory.ts"
import { ERA_CACHE_MS, ERA_MEMORY_MAX } from "../../../../../src/schemas/defaults/Connections.ts"
import type { StdioLaunch } from "../../../../../src/schemas/connection/ServerConfig.ts"
import { inFolder } from "../../../../support/folder.ts"
import { serverConfig } from "../../../../support/serverConfig.ts"

const KEY = "a".repeat(32)
const OTHER = "b".repeat(32)
const fileIn = (folder: string) => join(folder, "known-launches.json")

/** A process of its own: what it knew is what the file has. */
const inProcess = <A>(folder: string, use: (memory: LaunchMemory) => A) =>
  Effect.gen(function* () {
    const memory = yield* makeLaunchMemory(folder)
    yield* memory.load
    return use(memory)
  }).pipe(Effect.scoped)

describe("LaunchMemory", () => {
  it.effect("keeps an entry for other processes, for a day or until it is forgotten", () =>
    Effect.gen(function* () {
      const folder = yield* inFolder
      yield* inProcess(folder, ({ note }) => (note(KEY, "legacy"), note(OTHER, "sse")))
      assert.deepStrictEqual(
        yield* inProcess(folder, ({ holds }) => [holds(KEY, "legacy"), holds(KEY, "sse"), holds(OTHER, "sse")]),
        [true, false, true]
      )
      yield* inProcess(folder, ({ forget }) => forget(OTHER))
      assert.isFalse(yield* inProcess(folder, ({ holds }) => holds(OTHER, "sse")))
      yield* TestClock.adjust(ERA_CACHE_MS - 1)
      assert.isTrue(yield* inProcess(folder, ({ holds }) => holds(KEY, "legacy")))
      yield* TestClock.adjust(1)
      assert.isFalse(yield* inProcess(folder, ({ holds }) => holds(KEY, "legacy")))
    })
  )

  it.effect("keeps the entries of two concurrent processes", () =>
    Effect.gen(function* () {
      const folder = yield* inFolder
      yield* Effect.scoped(
        Effect.gen(function* () {
          const [one, two] = [yield* makeLaunchMemory(folder), yield* makeLaunchMemory(folder)]
          yield* Effect.all([one.load, two.load])
          one.note(KEY, "legacy")
          yield* one.save
          two.note(OTHER, "exits")
          yield* two.save
        })
      )
      assert.isTrue(yield* inProcess(folder, ({ holds }) => holds(KEY, "legacy") && holds(OTHER, "exits")))
    })
  )

  it.effect("drops the oldest entry over the limit", () =>
    Effect.gen(function* () {
      const folder = yield* inFolder
      const keyOf = (index: number) => String(index).padStart(32, "0")
      yield* inProcess(folder, ({ note }) => {
        for (let index = 0; index <= ERA_MEMORY_MAX; index++) note(keyOf(index), "legacy")
      })
      const { launches } = JSON.parse(readFileSync(fileIn(folder), "utf8"))
      assert.lengthOf(launches, ERA_MEMORY_MAX)
      assert.isBelow(statSync(fileIn(folder)).size, ERA_MEMORY_MAX * 128)
      yield* inProcess(folder, ({ holds }) => {
        assert.deepStrictEqual([holds(keyOf(0), "legacy"), holds(keyOf(ERA_MEMORY_MAX), "legacy")], [false, true])
      })
    })
  )

  it.effect("ignores a file that is damaged, too large or writable by others", () =>
    Effect.gen(function* () {
      const folder = yield* inFolder
      const entry = { key: KEY, found: "legacy", at: 0 }
      const whole = JSON.stringify({ version: 1, launches: [entry] })
      for (const [text, mode, isRead] of [
        [whole, 0o600, true],
        [whole, 0o622, false],
        ["{", 0o600, false],
        [JSON.stringify({ version: 2, launches: [entry] }), 0o600, false],
        [JSON.stringify({ version: 1, launches: [{ ...entry, found: "modern" }] }), 0o600, false],
        [JSON.stringify({ version: 1, launches: [{ ...entry, at: 5_000 }] }), 0o600, false],
        [`${whole}${" ".repeat(ERA_MEMORY_MAX * 128)}`, 0o600, false]
      ] as const) {
        const directory = join(folder, String(Math.random()))
        mkdirSync(directory, { mode: 0o700 })
        writeFileSync(fileIn(directory), text, { mode })
        if (process.platform !== "win32") yield* Effect.sync(() => process.umask())
        yield* Effect.promise(async () => (await import("node:fs/promises")).chmod(fileIn(directory), mode))
        assert.strictEqual(yield* inProcess(directory, ({ holds }) => holds(KEY, "legacy")), isRead, text.slice(0, 80))
      }
    })
  )

  it.effect("lasts as long as the process when there is no writable directory", () =>
    Effect.gen(function* () {
      for (const directory of [undefined, "/dev/null/nothing"]) {
        yield* Effect.scoped(
          Effect.gen(function* () {
            const memory = yield* makeLaunchMemory(directory)
            yield* memory.load
            memory.note(KEY, "legacy")
            yield* memory.save
            assert.isTrue(memory.holds(KEY, "legacy"))
          })
        )
      }
    })
  )
})

describe("launchKey", () => {
  const launch: StdioLaunch = { kind: "stdio", command: "npx", args: ["-y", "x"], env: { TOKEN: "one" }, cwd: "/a" }
  const keyOf = (changes: Partial<StdioLaunch>, more = {}) =>
    launchKey(serverConfig("fs", { launch: { ...launch, ...changes }, ...more }))

  it("is the same for every server name and for any values of variables", () => {
    const same = [keyOf({}), keyOf({ env: { TOKEN: "two" } }), launchKey(serverConfig("other", { launch }))]
    assert.lengthOf(new Set(same), 1)
  })

  it("differs between the operator's and a session's launch, and is the same for all sessions", () => {
    const ofSessions = new Set([keyOf({}, { session: "s1" }), keyOf({}, { session: "s2" })])
    assert.lengthOf(ofSessions, 1)
    assert.isFalse(ofSessions.has(keyOf({})))
  })

  it("differs for another command, argument, directory, variable or protocol", () => {
    const all = [
      keyOf({}),
      keyOf({ command: "uvx" }),
      keyOf({ args: ["x"] }),
      keyOf({ cwd: undefined }),
      keyOf({ env: {} }),
      keyOf({}, { protocol: "2025-11-25" })
    ]
    assert.lengthOf(new Set(all), all.length)
  })
})

describe("endedByItself, for a server that exited during server/discover", () => {
  for (const words of [
    "Error: GITHUB_TOKEN is not set",
    "hostile: cannot open database | hostile: giving up",
    "npm error 404 Not Found - GET https://registry.example/nothing",
    "ModuleNotFoundError: No module named 'x'",
    "Usage: server DIRECTORY"
  ]) {
    it(`is true for: ${words}`, () => assert.isTrue(endedByItself(words)))
  }
  for (const words of [
    "",
    "Error: Method not found: server/discover",
    'expect initialized request, but received: Some(Request("server/discover"))',
    "Unknown message type | traceback",
    "Secure MCP Filesystem Server running on stdio",
    "pydantic: 5 validation errors for ClientRequest",
    "jsonrpc: unhandled -32601"
  ]) {
    it(`is false for: ${words || "no word"}`, () => assert.isFalse(endedByItself(words)))
  }
})
