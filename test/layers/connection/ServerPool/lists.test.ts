import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { reconcile } from "../../../../src/layers/connection/ServerPool/reconcile.ts"
import { decodeAll, decodeTool, EMPTY, type Catalogue } from "../../../../src/schemas/connection/Catalogue.ts"
import type { SupervisedServer } from "../../../../src/services/connection/ServerPool.ts"
import { TestServers } from "../../../../src/testing/TestServers.ts"
import { lease, one } from "../../../support/pool.ts"

const tool = (name: string, description = "") => ({ name, description, inputSchema: { type: "object" } })

/** A server that is connected. */
const connected = Effect.tap(lease(), (server) => server.settled)

const names = (server: SupervisedServer) => server.snapshot().catalogue?.tools.map(({ name }) => name)

/** What `changes` has told since, but for what held at first. */
const following = (server: SupervisedServer) =>
  Effect.gen(function* () {
    const catalogues: Array<Catalogue | undefined> = []
    yield* server.changes.pipe(
      Stream.drop(1),
      Stream.runForEach(({ catalogue }) => Effect.sync(() => catalogues.push(catalogue))),
      Effect.forkScoped({ startImmediately: true })
    )
    yield* TestClock.adjust(0)
    return catalogues
  })

const capture = (lines: Array<string>) =>
  Logger.make<unknown, void>(({ logLevel, message }) => void lines.push(`${logLevel} ${String(message)}`))

describe("ServerPool: list changes", () => {
  it.effect("cause one refresh for a burst of notifications, with the last state", () =>
    Effect.gen(function* () {
      const { counts, setTools } = yield* TestServers
      const server = yield* connected
      for (let i = 0; i < 100; i++) yield* setTools("fs", [tool(`t${i}`)])
      yield* TestClock.adjust("250 millis")
      assert.deepStrictEqual(names(server), ["t99"])
      yield* setTools("fs", [tool("late")])
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(names(server), ["late"])
      assert.strictEqual(counts("fs").lists, 2)
    }).pipe(Effect.provide(one()))
  )

  it.effect("are read at growing intervals, up to five minutes, from a server that always announces them", () =>
    Effect.gen(function* () {
      const { counts, setTools } = yield* TestServers
      const server = yield* connected
      const waits = new Set<number | undefined>()
      for (let i = 0; i < 24_000; i++) {
        yield* setTools("fs", [tool(`t${i}`)])
        yield* TestClock.adjust("100 millis")
        waits.add(server.snapshot().relistMs)
      }
      // 40 minutes: after 0, 1, 3, 7, 15, 31, 63, 127, 255, 511 s, then every 300 s.
      assert.strictEqual(counts("fs").lists, 16)
      assert.deepStrictEqual(
        [...waits],
        [undefined, 2, 4, 8, 16, 32, 64, 128, 256, 300].map((s) => s && s * 1_000)
      )
      yield* TestClock.adjust("5 minutes")
      assert.deepStrictEqual(names(server), ["t23999"], "the last change is seen")
      assert.strictEqual(counts("fs").lists, 17)
    }).pipe(Effect.provide(one()))
  )

  it.effect("are read at once again after the server was quiet", () =>
    Effect.gen(function* () {
      const { counts, setTools } = yield* TestServers
      const server = yield* connected
      for (let i = 0; i < 100; i++) {
        yield* setTools("fs", [tool(`t${i}`)])
        yield* TestClock.adjust("100 millis")
      }
      assert.strictEqual(server.snapshot().relistMs, 8_000)
      // The wait that it is in, and the next one.
      for (let i = 0; i < 24; i++) yield* TestClock.adjust("1 second")
      assert.isUndefined(server.snapshot().relistMs)
      assert.deepStrictEqual(names(server), ["t99"])
      const before = counts("fs").lists
      yield* setTools("fs", [tool("late")])
      yield* TestClock.adjust("250 millis")
      assert.deepStrictEqual(names(server), ["late"])
      assert.strictEqual(counts("fs").lists, before + 1)
      assert.strictEqual(server.snapshot().relistMs, 32_000, "a server that waits for that gains nothing")
      for (let i = 0; i < 32 + 31; i++) yield* TestClock.adjust("1 second")
      yield* setTools("fs", [tool("later")])
      yield* TestClock.adjust("250 millis")
      assert.deepStrictEqual(names(server), ["later"])
      assert.isUndefined(server.snapshot().relistMs)
    }).pipe(Effect.provide(one()))
  )

  it.effect("are read at once when there is one per minute", () =>
    Effect.gen(function* () {
      const { setTools } = yield* TestServers
      const server = yield* connected
      for (let minute = 0; minute < 60; minute++) {
        yield* setTools("fs", [tool(`t${minute}`)])
        yield* TestClock.adjust("250 millis")
        assert.deepStrictEqual(names(server), [`t${minute}`])
        assert.isUndefined(server.snapshot().relistMs)
        yield* TestClock.adjust("59750 millis")
      }
    }).pipe(Effect.provide(one()))
  )

  it.effect("are not published when nothing is different", () =>
    Effect.gen(function* () {
      const { announceLists, counts } = yield* TestServers
      const server = yield* connected
      const before = server.snapshot()
      const changes = yield* following(server)
      yield* announceLists("fs")
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(counts("fs").lists, 1)
      assert.lengthOf(changes, 0)
      assert.strictEqual(server.snapshot(), before)
    }).pipe(
      Effect.provide(one({ tools: [tool("a")], resources: [{ uri: "test://a", name: "a" }], prompts: [{ name: "p" }] }))
    )
  )

  it.effect("keep the previous lists when reading fails, with a warning and one retry", () => {
    const lines: Array<string> = []
    return Effect.gen(function* () {
      const { counts, setFaults, setTools } = yield* TestServers
      const server = yield* connected
      yield* setFaults("fs", { refuseLists: true })
      yield* setTools("fs", [tool("new")])
      yield* TestClock.adjust("250 millis")
      assert.deepStrictEqual(names(server), ["a"])
      assert.include(lines.join("\n"), "Warn [fs] its lists cannot be read, the last ones stay")
      yield* setFaults("fs", {})
      yield* TestClock.adjust("999 millis")
      assert.deepStrictEqual(names(server), ["a"])
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(names(server), ["new"])
      assert.strictEqual(counts("fs").lists, 2)
    }).pipe(Effect.provide(one({ tools: [tool("a")] }, capture(lines))))
  })

  it.effect("are retried once only, until the next notification", () =>
    Effect.gen(function* () {
      const { announceLists, counts, setFaults } = yield* TestServers
      yield* connected
      yield* setFaults("fs", { refuseLists: true })
      yield* announceLists("fs")
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(counts("fs").lists, 2)
    }).pipe(Effect.provide(one()))
  )
})

describe("ServerPool: refresh", () => {
  it.effect("publishes changes that were not announced", () => {
    const resources = [{ uri: "test://a", name: "old" }]
    return Effect.gen(function* () {
      const server = yield* connected
      const changes = yield* following(server)
      yield* server.refresh
      yield* TestClock.adjust(0)
      assert.lengthOf(changes, 0)
      // What the server has now, without a word.
      resources[0]!.name = "new"
      yield* server.refresh
      yield* TestClock.adjust(0)
      assert.strictEqual(server.snapshot().catalogue?.resources[0]?.name, "new")
      assert.lengthOf(changes, 1)
    }).pipe(Effect.provide(one({ resources })))
  })

  it.effect("runs once at a time, and requests meanwhile share the next run", () =>
    Effect.gen(function* () {
      const { counts } = yield* TestServers
      const server = yield* connected
      const first = yield* Effect.forkChild(server.refresh)
      yield* TestClock.adjust("1 second")
      const others = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 50 }, () => server.refresh),
          { concurrency: "unbounded" }
        )
      )
      yield* TestClock.adjust("8 seconds")
      assert.isUndefined(first.pollUnsafe())
      assert.strictEqual(counts("fs").lists, 1)
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(first)
      assert.isUndefined(others.pollUnsafe(), "what they asked for has only begun")
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(others)
      assert.strictEqual(counts("fs").lists, 2)
    }).pipe(Effect.provide(one({ faults: { listTime: "10 seconds" } })))
  )

  it.effect("runs for the next caller when the first one is interrupted", () =>
    Effect.gen(function* () {
      const { counts } = yield* TestServers
      const server = yield* connected
      const first = yield* Effect.forkChild(server.refresh)
      yield* TestClock.adjust("1 second")
      const second = yield* Effect.forkChild(server.refresh)
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(first)
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(second)
      assert.strictEqual(counts("fs").lists, 2)
    }).pipe(Effect.provide(one({ faults: { listTime: "10 seconds" } })))
  )

  it.effect("does nothing for a server that is not connected", () =>
    Effect.gen(function* () {
      const { counts } = yield* TestServers
      const server = yield* lease({ lazy: true })
      yield* server.refresh
      assert.deepInclude(counts("fs"), { attempts: 0, lists: 0 })
    }).pipe(Effect.provide(one()))
  )
})

describe("ServerPool: unchanged definitions", () => {
  it.effect("stay the same objects after a refresh and a restart", () =>
    Effect.gen(function* () {
      const { kill, setTools } = yield* TestServers
      const server = yield* connected
      const [a, b] = server.snapshot().catalogue!.tools
      yield* setTools("fs", [tool("b", "new"), tool("a")])
      yield* TestClock.adjust("1 second")
      const catalogue = server.snapshot().catalogue!
      assert.strictEqual(catalogue.tools[1], a)
      assert.notStrictEqual(catalogue.tools[0], b)
      yield* kill("fs")
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(server.snapshot().restarts, 1)
      assert.strictEqual(server.snapshot().catalogue, catalogue)
    }).pipe(Effect.provide(one({ tools: [tool("a"), tool("b")] })))
  )

  const catalogue = (tools: ReadonlyArray<unknown>): Catalogue => ({
    ...EMPTY,
    tools: decodeAll(tools, decodeTool, ({ name }) => name).values
  })
  const base = { ...tool("a"), inputSchema: { type: "object", properties: { x: { enum: [1, null, "1"] } } } }
  const last = catalogue([base, tool("b")])

  it("are recognized with another order of keys", () => {
    const turned = {
      inputSchema: { properties: base.inputSchema.properties, type: "object" },
      description: "",
      name: "a"
    }
    assert.strictEqual(reconcile(last, catalogue([turned, tool("b")])), last)
  })

  for (const [what, next] of [
    ["another order of tools", [tool("b"), base]],
    ["one tool less", [base]],
    ["one tool more", [base, tool("b"), tool("c")]],
    [
      "another value deep in a schema",
      [{ ...base, inputSchema: { type: "object", properties: { x: { enum: [1, null, 1] } } } }, tool("b")]
    ],
    [
      "a key that became another",
      [{ ...base, inputSchema: { type: "object", properties: { y: { enum: [1, null, "1"] } } } }, tool("b")]
    ],
    ["a key more deep in a schema", [{ ...base, inputSchema: { ...base.inputSchema, required: ["x"] } }, tool("b")]],
    [
      "a list that became an object",
      [{ ...base, inputSchema: { type: "object", properties: { x: { enum: { 0: 1, 1: null, 2: "1" } } } } }, tool("b")]
    ],
    [
      "null that became an object",
      [{ ...base, inputSchema: { type: "object", properties: { x: { enum: [1, {}, "1"] } } } }, tool("b")]
    ],
    ["the output schema alone", [{ ...base, outputSchema: { type: "object" } }, tool("b")]],
    ["the annotations alone", [{ ...base, annotations: { readOnlyHint: true } }, tool("b")]],
    ["how it is called", [{ ...base, execution: { taskSupport: "required" } }, tool("b")]]
  ] as const) {
    it(`differ for ${what}`, () => {
      assert.notStrictEqual(reconcile(last, catalogue(next)), last)
    })
  }

  it("are compared by own keys only", () => {
    const odd = (properties: string) =>
      catalogue([{ ...tool("a"), inputSchema: { type: "object", properties: JSON.parse(properties) } }])
    const before = odd('{"__proto__":{}}')
    assert.notStrictEqual(reconcile(before, odd('{"x":1}')), before)
    assert.strictEqual(reconcile(before, odd('{"__proto__":{}}')), before)
  })

  it("include the server's instructions", () => {
    const said = { ...EMPTY, instructions: "Be brief" }
    assert.strictEqual(reconcile(said, { ...said }), said)
    assert.strictEqual(reconcile(said, { ...EMPTY, instructions: "Be long" }).instructions, "Be long")
    assert.isUndefined(reconcile(said, EMPTY).instructions)
    assert.strictEqual(reconcile(EMPTY, said).instructions, "Be brief")
  })

  it("include the server's capabilities and diagnostics", () => {
    assert.notStrictEqual(reconcile(last, { ...last, offers: { ...last.offers, completions: true } }), last)
    assert.notStrictEqual(reconcile(last, { ...last, diagnostics: ["left out a tool"] }), last)
    assert.strictEqual(reconcile(last, { ...last, offers: { ...last.offers }, diagnostics: [] }), last)
  })
})
