import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as Stream from "effect/Stream"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as ConfigSourceLayer from "../../src/layers/config/ConfigSource.ts"
import { McpLive, PinsLive } from "../../src/layers/McpLive.ts"
import type { Verdict } from "../../src/schemas/call/Pins.ts"
import type { ToolResult } from "../../src/schemas/call/Tool.ts"
import { DefinitionLedger } from "../../src/services/call/DefinitionLedger.ts"
import { McpRuntime, type McpRuntimeShape } from "../../src/services/call/McpRuntime.ts"
import { inFixtures } from "../fixtures/servers.ts"
import { run } from "../support/cli.ts"
import { inFolder } from "../support/folder.ts"
import { pause } from "../support/pause.ts"

/** The data directory of the program, while the scope is open. */
const homeIn = (folder: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const before = process.env["MCP_LIVE_HOME"]
      process.env["MCP_LIVE_HOME"] = folder
      return before
    }),
    (before) =>
      Effect.sync(() => {
        if (before === undefined) delete process.env["MCP_LIVE_HOME"]
        else process.env["MCP_LIVE_HOME"] = before
      })
  )

const capturing = (lines: Array<string>) => {
  const capture = Logger.make<unknown, void>(({ message }) => {
    lines.push(Array.isArray(message) ? message.join(" ") : String(message))
  })
  return Layer.mergeAll(Logger.layer([capture]), Layer.succeed(References.MinimumLogLevel, "Warn"))
}

/** One gateway, from its start to its end. */
const gateway =
  (folder: string, pin: string, lines: Array<string> = []) =>
  <A, E>(use: (runtime: McpRuntimeShape) => Effect.Effect<A, E>) => {
    const server = { command: process.execPath, args: [inFixtures("rugPull.ts"), join(folder, "stage")], pin }
    return McpRuntime.use((runtime) => Effect.andThen(runtime.ready, use(runtime))).pipe(
      Effect.provide(
        McpLive({
          dataDirectory: folder,
          replace: { config: ConfigSourceLayer.layerObject({ mcp: { servers: { sums: server } } }) }
        }),
        { local: true }
      ),
      Effect.provide(capturing(lines))
    )
  }

const named = (runtime: McpRuntimeShape) =>
  Effect.map(runtime.tools, (tools) => tools.map(({ name }) => name).filter((name) => name.startsWith("mcp_sums_")))

/** Until the tools are those. */
const listing = (runtime: McpRuntimeShape, ...expected: ReadonlyArray<string>) =>
  runtime.changes.pipe(
    Stream.mapEffect(() => named(runtime)),
    Stream.filter((names) => names.join() === expected.join()),
    Stream.take(1),
    Stream.runDrain
  )

const tagOf = ({ details }: ToolResult) => ("error" in details ? details.error.tag : undefined)
const textOf = ({ content }: ToolResult) => content.map((block) => (block.type === "text" ? block.text : "")).join("\n")

/** What was said of pins: the texts of this server are suspicious besides. */
const told = (lines: ReadonlyArray<string>) => lines.filter((line) => line.includes("approved"))

/** It is said after it was written down. */
const untilTold = (lines: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    while (told(lines).length === 0) yield* Effect.promise(pause)
  })

/** As another process: the operator's. */
const judge = (folder: string, verdict: Verdict, ...names: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const ledger = yield* DefinitionLedger
    for (const kept of yield* ledger.list) {
      if (kept._tag !== "Pins") continue
      const { configuration, launch, server, tools } = kept.pins
      const meant = names.map((name) => ({ name, hash: tools.get(name)?.pending?.hash }))
      assert.deepStrictEqual(yield* ledger.decide({ server, launch, configuration, verdict, tools: meant }), names)
    }
  }).pipe(Effect.provide(PinsLive({ dataDirectory: folder }), { local: true }))

const ADD = "mcp_sums_add"
const TURN = "mcp_sums_turn"

describe("a real server that changes what it said of its tools", () => {
  it.live("block: withheld at the next list, and back when it is approved, without a restart", () =>
    Effect.gen(function* () {
      const folder = yield* inFolder
      const lines: Array<string> = []
      yield* gateway(
        folder,
        "block",
        lines
      )(
        Effect.fnUntraced(function* (runtime) {
          assert.deepStrictEqual(yield* named(runtime), [ADD, TURN])
          // The order of keys alone is nothing.
          yield* runtime.call(TURN, {})
          yield* runtime.refresh
          assert.deepStrictEqual(yield* named(runtime), [ADD, TURN])
          assert.deepStrictEqual(told(lines), [])
          yield* runtime.call(TURN, {})
          yield* runtime.refresh
          assert.deepStrictEqual(yield* named(runtime), [TURN])
          const refused = yield* runtime.call(ADD, { a: 1, b: 2 })
          assert.strictEqual(tagOf(refused), "DefinitionChanged")
          assert.include(textOf(refused), "mcp-live pins diff sums/add")
          assert.notInclude(textOf(refused), "id_rsa")
          yield* untilTold(lines)
          assert.match(
            told(lines)[0]!,
            /^\[sums\] tool add differs from its approved definition \(description, inputSchema\): it is withheld/
          )
          yield* judge(folder, "approve", "add")
          yield* listing(runtime, ADD, TURN)
          assert.include(textOf(yield* runtime.call(ADD, { a: 1, b: 2 })), "add in stage 2")
        })
      )
      assert.strictEqual(told(lines).length, 1)
    }).pipe(Effect.scoped)
  )

  it.live("a change between two runs of the gateway is found, and so are changed instructions", () =>
    Effect.gen(function* () {
      const folder = yield* inFolder
      const lines: Array<string> = []
      yield* gateway(folder, "block")((runtime) => runtime.call(TURN, {}))
      yield* gateway(folder, "block")((runtime) => runtime.call(TURN, {}))
      yield* gateway(
        folder,
        "block"
      )(
        Effect.fnUntraced(function* (runtime) {
          assert.deepStrictEqual(yield* named(runtime), [TURN])
          yield* runtime.call(TURN, {})
        })
      )
      yield* gateway(
        folder,
        "block",
        lines
      )(
        Effect.fnUntraced(function* (runtime) {
          assert.deepStrictEqual(yield* named(runtime), [])
        })
      )
      assert.match(lines.join("\n"), /\[sums\] its instructions have changed since/)
    }).pipe(Effect.scoped)
  )

  it.live("with warn logs the change and works; rejected tools are withheld all the same", () =>
    Effect.gen(function* () {
      const folder = yield* inFolder
      const lines: Array<string> = []
      yield* gateway(
        folder,
        "warn",
        lines
      )(
        Effect.fnUntraced(function* (runtime) {
          yield* runtime.tools
          for (let stage = 0; stage < 2; stage++) yield* runtime.call(TURN, {})
          yield* runtime.refresh
          assert.deepStrictEqual(yield* named(runtime), [ADD, TURN])
          assert.include(textOf(yield* runtime.call(ADD, { a: 1, b: 2 })), "add in stage 2")
          yield* untilTold(lines)
          yield* judge(folder, "reject", "add")
          yield* listing(runtime, TURN)
          assert.strictEqual(tagOf(yield* runtime.call(ADD, { a: 1, b: 2 })), "DefinitionChanged")
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("status counts withheld and unreviewed tools", () =>
    Effect.gen(function* () {
      const folder = yield* inFolder
      const counts = (runtime: McpRuntimeShape) =>
        Effect.map(runtime.status, ({ sums }) => [sums?.tools, sums?.withheld, sums?.unreviewed])
      yield* gateway(
        folder,
        "block"
      )(
        Effect.fnUntraced(function* (runtime) {
          assert.deepStrictEqual(yield* counts(runtime), [2, undefined, undefined])
          yield* runtime.tools
          assert.deepStrictEqual(yield* counts(runtime), [2, 0, 0])
        })
      )
      writeFileSync(join(folder, "stage"), "2")
      for (const [pin, withheld] of [
        ["block", 1],
        ["warn", 0]
      ] as const) {
        yield* gateway(
          folder,
          pin
        )(
          Effect.fnUntraced(function* (runtime) {
            yield* runtime.tools
            assert.deepStrictEqual(yield* counts(runtime), [2, withheld, 1])
          })
        )
      }
    }).pipe(Effect.scoped)
  )

  it.live("`tools`, `status` and `call` say so on stderr, each time", () =>
    Effect.gen(function* () {
      const folder = yield* inFolder
      const started = (pin: string, ...more: ReadonlyArray<string>) => {
        const sums = {
          command: process.execPath,
          args: [inFixtures("rugPull.ts"), join(folder, "stage"), ...more],
          pin
        }
        writeFileSync(join(folder, "config.json"), JSON.stringify({ mcp: { servers: { sums } } }))
      }
      const program = (verb: string) => run(verb, "--config", join(folder, "config.json"))
      yield* homeIn(folder)
      started("block")
      assert.notInclude((yield* program("tools")).stderr, "sums")
      writeFileSync(join(folder, "stage"), "2")
      for (const words of [["tools"], ["status"], ["call", TURN], ["tools"]]) {
        writeFileSync(join(folder, "stage"), "2")
        const { stderr } = yield* run(...words, "--config", join(folder, "config.json"))
        assert.include(stderr, "mcp-live: 1 tool of 'sums' is withheld: mcp-live pins diff sums\n")
      }
      assert.include((yield* run("status", "--json", "--config", join(folder, "config.json"))).stdout, '"withheld": 1')
      writeFileSync(join(folder, "stage"), "0")
      started("warn", "another-way")
      for (const verb of ["tools", "status"]) {
        const { stderr } = yield* program(verb)
        assert.include(
          stderr,
          "mcp-live: 2 tools of 'sums' can be used, but should be reviewed: mcp-live pins diff sums\n"
        )
      }
    }).pipe(Effect.scoped)
  )

  it.live("off: nothing is kept", () =>
    Effect.gen(function* () {
      const folder = yield* inFolder
      yield* gateway(folder, "off")((runtime) => runtime.call(TURN, {}))
      const kept = yield* DefinitionLedger.use(({ list }) => list).pipe(
        Effect.provide(PinsLive({ dataDirectory: folder }))
      )
      assert.deepStrictEqual(kept, [])
    }).pipe(Effect.scoped)
  )

  it.live("a tool that depends on the host's features changes no pins", () =>
    Effect.gen(function* () {
      const folder = yield* inFolder
      const lines: Array<string> = []
      const listed = (canAsk: boolean) => {
        const server = { command: process.execPath, args: [inFixtures("hostTools.ts")], pin: "block" }
        return McpRuntime.use((runtime) => Effect.andThen(runtime.ready, named(runtime))).pipe(
          Effect.provide(
            McpLive({
              dataDirectory: folder,
              host: canAsk ? { elicit: () => Effect.succeed({ action: "decline" }) } : {},
              replace: { config: ConfigSourceLayer.layerObject({ mcp: { servers: { sums: server } } }) }
            }),
            { local: true }
          ),
          Effect.provide(capturing(lines))
        )
      }
      for (let times = 0; times < 2; times++) {
        assert.deepStrictEqual(yield* listed(false), [ADD])
        assert.deepStrictEqual(yield* listed(true), [ADD, "mcp_sums_ask"])
      }
      assert.deepStrictEqual(lines, [])
    }).pipe(Effect.scoped)
  )
})
