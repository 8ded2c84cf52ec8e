/** What was found out about how a server is started or reached is not found out again, and a server is not started in vain. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import {
  launchKey,
  makeLaunchMemory,
  type Finding
} from "../../src/layers/connection/ServerConnector/connect/memory.ts"
import { loadMCPServers } from "../../src/programs/loadMCPServers.ts"
import type { ServerConfig } from "../../src/schemas/connection/ServerConfig.ts"
import { ServerConnector } from "../../src/services/connection/ServerConnector.ts"
import { httpServer } from "../fixtures/httpServer.ts"
import { everything, hostile } from "../fixtures/servers.ts"
import { connectorWith, httpConfig, open, stdioConfig } from "../support/connector.ts"
import { inFolder } from "../support/folder.ts"
import { fakeHost } from "../support/host.ts"

/** A connector of its own, as each process has one; with a `memory` that others may share. */
const inProcess = <A, E>(memory: string | undefined, use: Effect.Effect<A, E, ServerConnector>) =>
  Effect.provide(use, connectorWith(fakeHost(), [], undefined, { memory }))

/** Opens it and lets it go again; gives the era, or why there is none. */
const once = (config: ServerConfig) =>
  Effect.scoped(open(config)).pipe(
    Effect.map(({ info }): string => (info.transport === "stdio" ? info.era : info.transport)),
    Effect.catch(({ _tag }) => Effect.succeed<string>(_tag))
  )

/** A script that counts its starts in a file. */
const counted = (file: string, script: string) =>
  stdioConfig(process.execPath, ["-e", `require("node:fs").appendFileSync(${JSON.stringify(file)}, "."); ${script}`])

const startsIn = (file: string): number => (existsSync(file) ? readFileSync(file, "utf8").length : 0)

/** A legacy server that ends without an answer when it is asked for its era. */
const LEGACY = `
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method } = JSON.parse(line)
    if (method === "server/discover") process.exit(1)
    if (id === undefined) return
    const result = method === "initialize" ? { protocolVersion: "2025-11-25", capabilities: {} } : { tools: [] }
    console.log(JSON.stringify({ jsonrpc: "2.0", id, result }))
  })`

const known = (folder: string, config: ServerConfig, found: Finding) =>
  Effect.scoped(Effect.map(makeLaunchMemory(folder), ({ note }) => note(launchKey(config), found)))

describe.concurrent("a server that ends at its start", () => {
  it.live("is started once in every attempt, where its last words say why", () =>
    Effect.gen(function* () {
      const file = join(yield* inFolder, "starts")
      const config = counted(file, 'console.error("Error: API_KEY is not set"); process.exitCode = 1')
      yield* inProcess(
        undefined,
        Effect.gen(function* () {
          for (const starts of [1, 2, 3, 4]) {
            assert.strictEqual(yield* once(config), "ServerExited")
            assert.strictEqual(startsIn(file), starts)
          }
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("without a word is started a second time in the first attempt alone, also by later processes", () =>
    Effect.gen(function* () {
      const folder = yield* inFolder
      const file = join(folder, "starts")
      const config = counted(file, "process.exitCode = 1")
      let expected = 1
      for (let processes = 0; processes < 2; processes++) {
        yield* inProcess(
          folder,
          Effect.gen(function* () {
            for (let attempts = 0; attempts < 3; attempts++) {
              assert.strictEqual(yield* once(config), "ServerExited")
              assert.strictEqual(startsIn(file), ++expected)
            }
          })
        )
      }
    }).pipe(Effect.scoped)
  )

  it.live("of the question for its era, after words that mislead, is there with the next attempt", () =>
    Effect.gen(function* () {
      const file = join(yield* inFolder, "starts")
      const config = counted(file, `console.error("loading the database"); ${LEGACY}`)
      yield* inProcess(
        undefined,
        Effect.gen(function* () {
          assert.strictEqual(yield* once(config), "ServerExited")
          assert.strictEqual(yield* once(config), "legacy")
          assert.strictEqual(yield* once(config), "legacy")
        })
      )
      assert.strictEqual(startsIn(file), 3)
    }).pipe(Effect.scoped)
  )
})

describe.concurrent("what was found out", () => {
  it.live(
    "holds for a later process: a server that dies of the question is not asked; sessions find out for themselves, once",
    () =>
      Effect.gen(function* () {
        const folder = yield* inFolder
        const file = join(folder, "starts")
        const config = counted(file, LEGACY)
        assert.strictEqual(yield* inProcess(folder, once(config)), "legacy")
        assert.strictEqual(startsIn(file), 2)
        assert.strictEqual(yield* inProcess(folder, once(config)), "legacy")
        assert.strictEqual(startsIn(file), 3)
        assert.strictEqual(yield* inProcess(folder, once({ ...config, name: "mine", session: "editor" })), "legacy")
        assert.strictEqual(startsIn(file), 5)
        assert.strictEqual(yield* inProcess(folder, once({ ...config, name: "mine", session: "another" })), "legacy")
        assert.strictEqual(startsIn(file), 6)
      }).pipe(Effect.scoped)
  )

  it.live("holds for each loadMCPServers: silence is waited for once", () =>
    Effect.gen(function* () {
      const folder = yield* inFolder
      const file = join(folder, "record")
      const server = { type: "stdio", ...hostile("silent-on-discover", "--record", file) } as const
      for (let loads = 0; loads < 2; loads++) {
        yield* Effect.promise(async () => {
          const provider = await loadMCPServers({ servers: { server } }, undefined, { dataDirectory: folder })
          assert.deepStrictEqual(provider.status(), { server: "connected" })
          await provider.close()
        })
      }
      const record = readFileSync(file, "utf8")
      assert.lengthOf(record.match(/"initialize"/g) ?? [], 2)
      assert.lengthOf(record.match(/"server\/discover"/g) ?? [], 1)
    }).pipe(Effect.scoped)
  )

  it.live("over HTTP holds for a later process, too", () =>
    Effect.gen(function* () {
      const folder = yield* inFolder
      const { requests, url } = yield* httpServer("old")
      assert.strictEqual(yield* inProcess(folder, once(httpConfig(url))), "sse")
      const before = requests.length
      assert.strictEqual(yield* inProcess(folder, once(httpConfig(url))), "sse")
      assert.notInclude(
        requests.slice(before).map(({ method }) => method),
        "server/discover"
      )
    }).pipe(Effect.scoped)
  )

  it.live("costs a modern server nothing when it is wrong", () =>
    Effect.gen(function* () {
      const folder = yield* inFolder
      const { args, command } = hostile("modern-only")
      const config = stdioConfig(command, args)
      yield* known(folder, config, "legacy")
      assert.strictEqual(yield* inProcess(folder, once(config)), "modern")
    }).pipe(Effect.scoped)
  )

  it.live("costs one retry when it is wrong of an address", () =>
    Effect.gen(function* () {
      const folder = yield* inFolder
      const config = httpConfig((yield* everything("streamableHttp")).url)
      yield* known(folder, config, "sse")
      const both = Effect.all([once(config), once(config)])
      assert.deepStrictEqual(yield* inProcess(folder, both), ["HttpFailed", "http"])
    }).pipe(Effect.scoped)
  )

  it.live("costs one retry when it is wrong of a server that does not answer", () =>
    Effect.gen(function* () {
      const folder = yield* inFolder
      const script = LEGACY.replaceAll("server/discover", "nothing").replace(
        "if (id",
        'if (method === "initialize" || id'
      )
      const answers = script.replace(
        "{ tools: [] }",
        '{ tools: [], supportedVersions: ["2026-07-28"], capabilities: {} }'
      )
      const config = { ...stdioConfig(process.execPath, ["-e", answers]), timeout: 3_000 }
      yield* known(folder, config, "legacy")
      const both = Effect.all([once(config), once({ ...config, timeout: 20_000 })])
      assert.deepStrictEqual(yield* inProcess(folder, both), ["ConnectTimeout", "modern"])
    }).pipe(Effect.scoped)
  )

  it.live("is stored without any text of the configuration", () =>
    Effect.gen(function* () {
      const folder = yield* inFolder
      const { args, command } = hostile("polite", "--name", "hunter2-argument")
      const launch = { kind: "stdio" as const, command, args, env: { HUNTER2: "hunter2-value" }, cwd: undefined }
      assert.strictEqual(yield* inProcess(folder, once(stdioConfig("", [], { launch }))), "legacy")
      const kept = readFileSync(join(folder, "known-launches.json"), "utf8")
      assert.match(kept, /^\{"version":1,"launches":\[\{"key":"[0-9a-f]{32}","found":"legacy","at":\d+\}\]\}\n$/)
    }).pipe(Effect.scoped)
  )
})
