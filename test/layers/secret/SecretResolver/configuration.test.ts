import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SecretResolverLayer from "../../../../src/layers/secret/SecretResolver.ts"
import { baseEnvironment } from "../../../../src/layers/secret/SecretResolver/secretCommand.ts"
import { DEFAULT_SECRETS, type SecretsConfig } from "../../../../src/schemas/secret/SecretsConfig.ts"
import { SecretResolver } from "../../../../src/services/secret/SecretResolver.ts"
import { recordingRedactor } from "./recordingRedactor.ts"

const ENV = { TOKEN: "tok-1234567890", ROLE: "role-1234567890", EMPTY: "" }

const setUp = (config: Partial<SecretsConfig>, options: SecretResolverLayer.Options = {}) => {
  const { layer: redactor, registered } = recordingRedactor()
  const layer = SecretResolverLayer.layer({ env: ENV, config: { ...DEFAULT_SECRETS, ...config }, ...options })
  return { registered, provided: Effect.provide(layer.pipe(Layer.provide(redactor))) }
}

const refusal = (text: string) =>
  SecretResolver.use((resolver) => Effect.flip(resolver.resolve("fs", text))).pipe(
    Effect.map((error) => `${error.reference}: ${error.detail}`)
  )

/** Nothing listens there; nobody is asked, as long as what is needed for it is not found. */
const vault = (token: string): Partial<SecretsConfig> => ({ vault: { address: "http://127.0.0.1:9", token } })

const exec = (env: Record<string, string>, args: ReadonlyArray<string> = []): Partial<SecretsConfig> => ({
  exec: { login: { command: "/nowhere/command-that-does-not-exist", args, env } }
})

describe("references in the configuration of a provider", () => {
  const CIRCLES: ReadonlyArray<readonly [what: string, config: Partial<SecretsConfig>, reference: string]> = [
    ["vault by itself", vault("secret://vault/kv/app/token"), "secret://vault/kv/app/token"],
    ["vault by 1Password", vault("secret://op/vault/item/field"), "secret://op/vault/item/field"],
    ["vault by another network", vault("x secret://gcp/name"), "secret://gcp/name"],
    ["vault by a provider of the program", vault("secret://custom/x"), "secret://custom/x"]
  ]
  for (const [what, config, inner] of CIRCLES) {
    it.effect(`may not lead to another remote provider: ${what}`, () => {
      const providers = { custom: { read: () => Effect.succeed("custom-value") } }
      const { provided } = setUp(config, { providers })
      return Effect.gen(function* () {
        const said = yield* refusal("secret://vault/kv/app/password")
        assert.include(said, `${inner}: `)
        assert.include(said, "may only refer to env, file, exec, keychain")
      }).pipe(provided)
    })
  }

  it.effect("that fail are errors of that provider only", () =>
    Effect.gen(function* () {
      const fault = (path: string) => ({ file: "openclaw.json", line: 2, path, message: "it is not set" })
      const faults = { vault: fault("mcp.secrets.vault.token"), "exec/login": fault("mcp.secrets.exec.login.command") }
      const { provided } = setUp({ ...vault("x"), ...exec({}), faults })
      for (const [asked, place] of [
        ["secret://vault/kv/app/x", "mcp.secrets.vault.token"],
        ["secret://exec/login", "mcp.secrets.exec.login.command"]
      ]) {
        assert.strictEqual(yield* refusal(asked!).pipe(provided), `${asked}: openclaw.json:2: ${place}: it is not set`)
      }
      const value = SecretResolver.use((resolver) => resolver.resolve("fs", "secret://env/TOKEN")).pipe(provided)
      assert.strictEqual(Redacted.value(yield* value), ENV.TOKEN)
    })
  )

  it.effect("of a command may lead to env and file only", () =>
    Effect.gen(function* () {
      for (const inner of ["secret://exec/login", "secret://keychain/service/account", "secret://vault/kv/app/x"]) {
        const { provided } = setUp(exec({ PASSWORD: inner }))
        assert.strictEqual(
          yield* refusal("secret://exec/login").pipe(provided),
          `secret://exec/login: ${inner}: the configuration of a provider may only refer to env, file`
        )
      }
    })
  )

  it.effect("are masked before they are used, and belong to no server", () => {
    const { provided, registered } = setUp(exec({ ONE: "secret://env/TOKEN", TWO: "Bearer secret://env/ROLE" }))
    return Effect.gen(function* () {
      yield* refusal("secret://exec/login")
      assert.deepStrictEqual(registered, [
        ["tok-1234567890", undefined],
        ["role-1234567890", undefined],
        ["Bearer role-1234567890", undefined]
      ])
    }).pipe(provided)
  })

  const REFUSED: ReadonlyArray<readonly [text: string, detail: RegExp]> = [
    ["secret://env/EMPTY", /secret:\/\/env\/EMPTY: it is empty/],
    ["secret://env/ABSENT", /secret:\/\/env\/ABSENT: the environment variable is not set/],
    ["secret://env", /secret:\/\/env: it names no provider/],
    ["Secret://env/TOKEN", /lower case/]
  ]
  for (const [text, detail] of REFUSED) {
    it.effect(`that fail are named in the error of the provider: ${text}`, () => {
      const { provided } = setUp(exec({ PASSWORD: text }))
      return Effect.gen(function* () {
        assert.match(yield* refusal("secret://exec/login"), detail)
      }).pipe(provided)
    })
  }

  it.effect("are resolved each time, so that a changed credential is used at once", () => {
    const env: Record<string, string> = {}
    const { provided } = setUp({ ...exec({ PASSWORD: "secret://env/LATER" }), ttlMs: 0 }, { env })
    return Effect.gen(function* () {
      assert.match(yield* refusal("secret://exec/login"), /is not set/)
      env["LATER"] = "value-that-came-later"
      assert.match(yield* refusal("secret://exec/login"), /is not installed/)
    }).pipe(provided)
  })
})

describe("commands of secret://exec", () => {
  it.effect("that are not configured fail with the names of those that are", () => {
    const { provided } = setUp(exec({}))
    return Effect.gen(function* () {
      assert.include(yield* refusal("secret://exec/logout"), "there is no command of this name (there are login)")
      assert.include(yield* refusal("secret://exec/toString"), "there is no command of this name")
    }).pipe(provided)
  })

  it.effect("are not run with a reference among their arguments", () => {
    const { provided } = setUp(exec({}, ["--password", "SECRET://env/TOKEN"]))
    return Effect.gen(function* () {
      assert.include(yield* refusal("secret://exec/login"), "only its env may contain references")
    }).pipe(provided)
  })

  it("get a short list of environment variables, and those with a configured prefix", () => {
    const env = {
      PATH: "/bin",
      HOME: "/home/alice",
      LC_ALL: "C",
      OP_ACCOUNT: "work",
      OPEN: "x",
      GITHUB_TOKEN: "canary",
      AWS_SECRET_ACCESS_KEY: "canary",
      LD_PRELOAD: "canary",
      NODE_OPTIONS: "canary",
      path: "canary",
      LANG: undefined,
      TERM: "() { canary; }"
    }
    const base = { PATH: "/bin", HOME: "/home/alice", LC_ALL: "C" }
    assert.deepStrictEqual(baseEnvironment(env, [], "linux"), base)
    assert.deepStrictEqual(baseEnvironment(env, ["OP_"], "linux"), { ...base, OP_ACCOUNT: "work" })
    assert.deepStrictEqual(
      baseEnvironment({ Path: "C:\\", SystemRoot: "C:\\W", Op_X: "1", T: "canary" }, ["OP_"], "win32"),
      {
        Path: "C:\\",
        SystemRoot: "C:\\W",
        Op_X: "1"
      }
    )
  })
})

describe("built-in providers", () => {
  /** What each of ours refuses before it asks anybody. */
  const REFUSED = [
    "secret://env/x#1",
    "secret://file/x#1",
    "secret://exec/x#1",
    "secret://gcp/a/b",
    "{secret://aws/my secret}",
    "secret://vault/x",
    "secret://op/x#1",
    "secret://keychain/x#1"
  ]
  it.effect("cannot be replaced by the embedding program", () => {
    const usurper = { read: () => Effect.succeed("usurped-value") }
    const names = REFUSED.map((reference) => /:\/\/(\w+)/.exec(reference)?.[1] ?? "")
    const { provided } = setUp({}, { providers: Object.fromEntries(names.map((name) => [name, usurper])) })
    return Effect.gen(function* () {
      for (const reference of REFUSED) yield* refusal(reference)
    }).pipe(provided)
  })
})
