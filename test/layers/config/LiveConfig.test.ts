import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ConfigSourceLayer from "../../../src/layers/config/ConfigSource.ts"
import * as LiveConfigLayer from "../../../src/layers/config/LiveConfig.ts"
import { ConfigError } from "../../../src/schemas/config/ConfigError.ts"
import type { GatewayConfig } from "../../../src/schemas/config/GatewayConfig.ts"
import { ConfigSource } from "../../../src/services/config/ConfigSource.ts"
import { LiveConfig } from "../../../src/services/config/LiveConfig.ts"

const NOTHING = { renewed: [], pending: [], unread: [] }

const broken = (message: string) => new ConfigError({ issues: [{ file: "a", line: 1, path: "", message }] })

/** With what is read each time, and what was logged. */
const live = Effect.fnUntraced(function* (options: LiveConfigLayer.Options = {}) {
  const read = (servers: object, more: object = {}) =>
    ConfigSource.use(({ load }) => load).pipe(
      Effect.provide(ConfigSourceLayer.layerObject({ mcp: { servers, ...more } }))
    )
  let next: Effect.Effect<GatewayConfig, ConfigError> = read({ a: { command: "a" } })
  const log: Array<string> = []
  const source = Layer.succeed(ConfigSource, { load: Effect.suspend(() => next) })
  const logger = Logger.layer([Logger.make(({ message }) => void log.push(String(message)))])
  const context = yield* Layer.build(LiveConfigLayer.layer(options).pipe(Layer.provide(source), Layer.provide(logger)))
  const service = yield* Effect.provide(LiveConfig, context)
  return {
    ...service,
    reload: Effect.provide(service.reload, logger),
    log,
    read,
    give: (config: Effect.Effect<GatewayConfig, ConfigError>) => Effect.sync(() => void (next = config))
  }
})

describe("the configuration that runs", () => {
  it.effect("is what was read last and could be used", () =>
    Effect.gen(function* () {
      const { current, give, log, read, reload, state } = yield* live()
      const first = current()
      yield* give(Effect.fail(broken("broken")))
      assert.strictEqual((yield* Effect.flip(reload)).message, "a:1: broken")
      yield* Effect.flip(reload)
      assert.strictEqual(current(), first)
      assert.strictEqual(state().fault, "a:1: broken")
      // Said once.
      assert.lengthOf(
        log.filter((line) => line.includes("cannot be used")),
        1
      )
      yield* give(read({ b: { command: "b" } }))
      assert.deepStrictEqual((yield* reload).change.started, ["b"])
      assert.isNull(state().fault)
      assert.include(log, "the configuration can be used again")
    })
  )

  it.effect("is read without being applied, where somebody only wants to know", () =>
    Effect.gen(function* () {
      const { current, follow, give, preview, read } = yield* live()
      yield* follow(() => Effect.die("applied"))
      const first = current()
      yield* give(read({ b: { command: "b" } }))
      const { change } = yield* preview
      assert.deepInclude(change, { started: ["b"], stopped: ["a"] })
      assert.strictEqual(current(), first)
    })
  )

  it.effect("is of one file: another one that would be read now needs a restart", () =>
    Effect.gen(function* () {
      const { current, give, read, reload } = yield* live()
      yield* give(Effect.map(read({}), (config) => ({ ...config, file: "/other.json" })))
      assert.match((yield* Effect.flip(reload)).message, /^\/other\.json: would be read instead of configuration: /)
      assert.strictEqual(current().file, "configuration")
    })
  )

  it.effect("is reduced to what counts, each time", () =>
    Effect.gen(function* () {
      const narrow = (config: GatewayConfig) => ({
        ...config,
        agents: config.agents.map((agent) => ({ ...agent, servers: agent.servers.slice(0, 1) }))
      })
      const { current, give, read, reload } = yield* live({ narrow })
      yield* give(read({ c: { command: "c" }, d: { command: "d" } }))
      assert.deepStrictEqual((yield* reload).change.started, ["c"])
      assert.deepStrictEqual(
        current().agents[0]!.servers.map(({ name }) => name),
        ["c"]
      )
    })
  )

  it.effect("is applied by its followers, until they stop following", () =>
    Effect.gen(function* () {
      const { follow, give, read, reload, state } = yield* live()
      const seen: Array<number> = []
      const following = follow((config) =>
        Effect.sync(() => {
          seen.push(config.agents[0]!.servers.length)
          return { renewed: ["x"], pending: ["y"], unread: [] }
        })
      )
      yield* Effect.scoped(Effect.andThen(following, reload))
      assert.deepStrictEqual(state().pending, ["y"])
      yield* follow(() => Effect.succeed(NOTHING))
      yield* give(read({}))
      assert.deepStrictEqual((yield* reload).renewed, [])
      assert.deepStrictEqual(seen, [1])
      assert.deepStrictEqual(state().pending, [])
    })
  )

  it.effect("names, in the log too, the servers that keep an old secret", () =>
    Effect.gen(function* () {
      const { follow, log, reload, state } = yield* live()
      const unread = [{ server: "web", reference: "secret://env/KEY", detail: "it is not set" }]
      yield* Effect.scoped(
        Effect.andThen(
          follow(() => Effect.succeed({ ...NOTHING, unread })),
          reload
        )
      )
      assert.deepStrictEqual(state().unread, unread)
      assert.include(log, "server web keeps the old value of secret://env/KEY, which cannot be read now: it is not set")
      assert.deepStrictEqual((yield* reload).unread, [])
      assert.deepStrictEqual(state().unread, [])
    })
  )
})
