import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ConfigSourceLayer from "../../src/layers/config/ConfigSource.ts"
import { McpLive } from "../../src/layers/McpLive.ts"
import { DEFAULT_SECRETS, type SecretsConfig } from "../../src/schemas/secret/SecretsConfig.ts"
import { SecretResolver } from "../../src/services/secret/SecretResolver.ts"

const agent = { id: "main", model: undefined, servers: [], rules: [], toolIndexThreshold: 0 }

const configured = (secrets?: SecretsConfig) =>
  McpLive({
    replace: {
      config: ConfigSourceLayer.layerFrom({
        file: "f.json",
        agents: [agent],
        defaultAgent: "main",
        secrets,
        warnings: []
      })
    }
  })

const command = (name: string): SecretsConfig => ({
  ...DEFAULT_SECRETS,
  exec: { [name]: { command: "/nowhere/at-all", args: [], env: {} } }
})

const why = (reference: string) =>
  SecretResolver.use((resolver) => Effect.flip(resolver.resolve("fs", reference))).pipe(
    Effect.map(({ detail }) => detail)
  )

const quiet = Layer.provideMerge(Logger.layer([]))

describe("McpLive", () => {
  it.effect("resolves secrets as the configuration says, also one that a program passes in", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* why("secret://exec/login"), "its command is not installed")
      assert.include(yield* why("secret://exec/logout"), "(there are login)")
    }).pipe(Effect.provide(configured(command("login")).pipe(quiet)))
  )

  it.effect("resolves secrets without any such configuration", () =>
    Effect.gen(function* () {
      assert.include(yield* why("secret://exec/login"), "no commands are configured")
    }).pipe(Effect.provide(configured().pipe(quiet)))
  )

  it.effect("does not mix the configurations of two, one within the other", () =>
    Effect.gen(function* () {
      assert.include(yield* why("secret://exec/x"), "(there are outer)")
      const inner = why("secret://exec/x").pipe(Effect.provide(configured(command("inner")).pipe(quiet)))
      assert.include(yield* inner, "(there are inner)")
    }).pipe(Effect.provide(configured(command("outer")).pipe(quiet)))
  )

  it.effect("says once where its configuration is from", () => {
    const lines: Array<string> = []
    const capture = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
    return Effect.gen(function* () {
      yield* SecretResolver
      assert.deepStrictEqual(lines, ["configuration: f.json"])
    }).pipe(Effect.provide(configured().pipe(Layer.provideMerge(capture))))
  })
})

describe("options that a compiler would not let pass", () => {
  for (const [options, problem] of [
    [{ confg: "x" }, 'options.confg is unknown, did you mean "config"?'],
    [{ naming: "libary" }, 'options.naming must be one of "gateway", "session", "library", is "libary"'],
    [{ config: { servers: {} } }, "options.config must be a string, is an object"],
    [{ approve: true }, "options.approve must be a function, is true"],
    [{ replace: { polcy: Layer.empty } }, 'options.replace.polcy is unknown, did you mean "policy"?'],
    [{ replace: { policy: {} } }, "options.replace.policy must be a Layer, is an object"]
  ] as const) {
    it(`say: ${problem}`, () => {
      assert.throws(() => McpLive(options as never), TypeError, `McpLive: ${problem}`)
    })
  }

  it("are left out when they are undefined", () => {
    assert.isTrue(
      Layer.isLayer(McpLive({ config: undefined, replace: { policy: undefined! }, naming: { separator: "-" } }))
    )
  })
})
