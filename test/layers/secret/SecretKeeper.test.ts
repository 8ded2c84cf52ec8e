import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import * as SecretKeeperLayer from "../../../src/layers/secret/SecretKeeper.ts"
import * as SecretResolverLayer from "../../../src/layers/secret/SecretResolver.ts"
import { SecretKeeper } from "../../../src/services/secret/SecretKeeper.ts"
import { SecretResolver } from "../../../src/services/secret/SecretResolver.ts"
import { inFolder } from "../../support/folder.ts"
import * as RedactorLayer from "../../../src/layers/content/Redactor.ts"

const keep = (keeper: "file" | "keychain", server: string, name: string, value: string) =>
  SecretKeeper.use((service) => service.keep(keeper, { server, name, value: Redacted.make(value) }))

const resolved = (home: string, reference: string) =>
  SecretResolver.use(({ resolve }) => resolve("x", `{${reference}}`)).pipe(
    Effect.map(Redacted.value),
    Effect.provide(SecretResolverLayer.layer({ home }).pipe(Layer.provide(RedactorLayer.layer)))
  )

describe("secrets in files", () => {
  it.live("are where their references find them, for this user only", () =>
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

  it.live("are not written through a link, and not where no reference leads", () =>
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

describe("secrets in a keychain", () => {
  const memory = () => {
    const kept = new Map<string, string>()
    class AsyncEntry {
      readonly #key: string
      constructor(service: string, account: string) {
        this.#key = `${service}/${account}`
      }
      getPassword = () => Promise.resolve(kept.get(this.#key) ?? null)
      setPassword = (password: string) => Promise.resolve(void kept.set(this.#key, password))
    }
    return { kept, load: Effect.succeed({ AsyncEntry }) }
  }

  it.live("have a service and an account", () =>
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
    })
  )

  it.live("are refused where there is none, without a word of theirs", () =>
    Effect.gen(function* () {
      class AsyncEntry {
        getPassword = () => Promise.reject(new Error("entry canary-value is locked"))
        setPassword = () => Promise.resolve()
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
