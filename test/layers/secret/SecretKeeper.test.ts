import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import * as SecretKeeperLayer from "../../../src/layers/secret/SecretKeeper.ts"
import * as SecretResolverLayer from "../../../src/layers/secret/SecretResolver.ts"
import { SecretKeeper } from "../../../src/services/secret/SecretKeeper.ts"
import { SecretResolver } from "../../../src/services/secret/SecretResolver.ts"
import { inFolder } from "../../support/folder.ts"
import * as RedactorLayer from "../../../src/layers/content/Redactor.ts"

const keepOne = (keeper: "file" | "keychain", server: string, name: string, value: string) =>
  SecretKeeper.use((service) => service.keep(keeper, { server, name, value: Redacted.make(value) }))

const keep = (...secret: Parameters<typeof keepOne>) => Effect.map(keepOne(...secret), ({ reference }) => reference)

const resolved = (home: string, reference: string) =>
  SecretResolver.use(({ resolve }) => resolve("x", `{${reference}}`)).pipe(
    Effect.map(Redacted.value),
    Effect.provide(SecretResolverLayer.layer({ home }).pipe(Layer.provide(RedactorLayer.layer)))
  )

describe("secrets kept in files", () => {
  it.live("are found by their references, and readable by this user only", () =>
    Effect.gen(function* () {
      const home = yield* inFolder
      const directory = join(home, ".mcp-live")
      const layer = SecretKeeperLayer.layer({ directory, home })
      yield* Effect.gen(function* () {
        const reference = yield* keep("file", "git hub/../x", "MY TOKEN", "value with\nlines\n")
        assert.strictEqual(reference, "secret://file/~/.mcp-live/secrets/git_hub_.._x/MY_TOKEN")
        assert.strictEqual(yield* resolved(home, reference), "value with\nlines\n")
        const file = join(directory, "secrets", "git_hub_.._x", "MY_TOKEN")
        assert.strictEqual(statSync(file).mode & 0o777, 0o600)
        // The same value has the same place, another one has another.
        assert.strictEqual(yield* keep("file", "git hub/../x", "MY TOKEN", "value with\nlines\n"), reference)
        assert.strictEqual(yield* keep("file", "git hub/../x", "MY TOKEN", "other"), `${reference}-2`)
        assert.strictEqual(readFileSync(file, "utf8"), "value with\nlines\n\n")
      }).pipe(Effect.provide(layer))
    }).pipe(Effect.scoped)
  )

  it.live("are forgotten by their references, and nothing else is", () =>
    Effect.gen(function* () {
      const home = yield* inFolder
      const directory = join(home, ".mcp-live")
      yield* Effect.gen(function* () {
        const { forget, referenceFor } = yield* SecretKeeper
        const one = yield* keepOne("file", "github", "TOKEN", "v1")
        assert.deepStrictEqual(one, {
          reference: referenceFor("file", { server: "github", name: "TOKEN" }),
          isNew: true
        })
        assert.isFalse((yield* keepOne("file", "github", "TOKEN", "v1")).isNew)
        const file = join(directory, "secrets", "github", "TOKEN")
        yield* forget("secret://file/~/.mcp-live/secrets/github/../TOKEN")
        yield* forget("secret://file/~/.mcp-live/secrets/github")
        yield* forget("secret://file/~/.mcp-live/secrets/github/TOKEN/x")
        yield* forget("secret://env/TOKEN")
        assert.isTrue(existsSync(file))
        yield* forget(one.reference)
        assert.isFalse(existsSync(file))
      }).pipe(Effect.provide(SecretKeeperLayer.layer({ directory, home })))
    }).pipe(Effect.scoped)
  )

  it.live("are not written through a link, nor to a path that no reference can have", () =>
    Effect.gen(function* () {
      const home = yield* inFolder
      mkdirSync(join(home, "elsewhere"))
      mkdirSync(join(home, "data"))
      symlinkSync(join(home, "elsewhere"), join(home, "data", "secrets"))
      const linked = yield* Effect.flip(keep("file", "a", "b", "value")).pipe(
        Effect.provide(SecretKeeperLayer.layer({ directory: join(home, "data"), home }))
      )
      assert.include(linked.message, "the directory is a link")
      const odd = yield* Effect.flip(keep("file", "a", "b", "value")).pipe(
        Effect.provide(SecretKeeperLayer.layer({ directory: join(home, "it's"), home }))
      )
      assert.include(odd.message, "set MCP_LIVE_HOME to another folder")
      assert.notInclude(odd.message, "value")
    }).pipe(Effect.scoped)
  )
})

describe("secrets kept in a keychain", () => {
  const memory = () => {
    const kept = new Map<string, string>()
    class AsyncEntry {
      readonly #key: string
      constructor(service: string, account: string) {
        this.#key = `${service}/${account}`
      }
      getPassword = () => Promise.resolve(kept.get(this.#key) ?? null)
      setPassword = (password: string) => Promise.resolve(void kept.set(this.#key, password))
      deletePassword = () => Promise.resolve(kept.delete(this.#key))
    }
    return { kept, load: Effect.succeed({ AsyncEntry }) }
  }

  it.live("have a service and an account, and another value gets another account", () =>
    Effect.gen(function* () {
      const { kept, load } = memory()
      const layer = SecretKeeperLayer.layer({ load })
      assert.strictEqual(
        yield* Effect.provide(keep("keychain", "a b", "K", "v1"), layer),
        "secret://keychain/mcp-live/a_b.K"
      )
      assert.strictEqual(
        yield* Effect.provide(keep("keychain", "a b", "K", "v1"), layer),
        "secret://keychain/mcp-live/a_b.K"
      )
      assert.strictEqual(
        yield* Effect.provide(keep("keychain", "a b", "K", "v2"), layer),
        "secret://keychain/mcp-live/a_b.K-2"
      )
      assert.deepStrictEqual(
        [...kept],
        [
          ["mcp-live/a_b.K", "v1"],
          ["mcp-live/a_b.K-2", "v2"]
        ]
      )
      yield* SecretKeeper.use(({ forget }) => forget("secret://keychain/mcp-live/a_b.K")).pipe(Effect.provide(layer))
      assert.deepStrictEqual([...kept.keys()], ["mcp-live/a_b.K-2"])
    })
  )

  it.live("fail without a keychain, and the error does not show the value", () =>
    Effect.gen(function* () {
      class AsyncEntry {
        getPassword = () => Promise.reject(new Error("entry canary-value is locked"))
        setPassword = () => Promise.resolve()
        deletePassword = () => Promise.resolve()
      }
      const locked = yield* Effect.flip(keep("keychain", "a", "b", "canary-value")).pipe(
        Effect.provide(SecretKeeperLayer.layer({ load: Effect.succeed({ AsyncEntry }) }))
      )
      assert.notInclude(locked.message, "canary")
      const missing = yield* Effect.flip(keep("keychain", "a", "b", "v")).pipe(
        Effect.provide(SecretKeeperLayer.layer({ load: Effect.fail("it needs the package x") }))
      )
      assert.strictEqual(missing.message, "it needs the package x")
    })
  )
})
