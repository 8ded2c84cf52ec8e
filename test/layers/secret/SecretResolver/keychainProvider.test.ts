import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { type Keyring, make } from "../../../../src/layers/secret/SecretResolver/keychainProvider.ts"
import { loadOptional } from "../../../../src/system/optionalPackage.ts"

/** Stands in for the package, which tests do not install; it answers by what the package was seen to answer. */
const standIn = (getPassword: (signal?: AbortSignal) => Promise<string | null>) => {
  const asked: Array<string> = []
  const keyring: Keyring = {
    AsyncEntry: class {
      constructor(service: string, account: string) {
        asked.push(`${service} of ${account}`)
      }
      getPassword = getPassword
    }
  }
  return { asked, read: make(Effect.succeed(keyring)).read }
}

const failing = (message: string) => standIn(() => Promise.reject(new Error(message))).read

describe("the keychain", () => {
  it.effect("is read by service and account", () => {
    const { asked, read } = standIn(() => Promise.resolve("hunter2-hunter2"))
    return Effect.gen(function* () {
      assert.strictEqual(yield* read("my service/alice@example.com", undefined), "hunter2-hunter2")
      assert.deepStrictEqual(asked, ["my service of alice@example.com"])
    })
  })

  it.effect("fails when there is no such entry", () =>
    Effect.gen(function* () {
      const { read } = standIn(() => Promise.resolve(null))
      assert.match(yield* Effect.flip(read("service/account", undefined)), /there is no such entry/)
    })
  )

  const FAILURES: ReadonlyArray<readonly [message: string, words: string]> = [
    ["Platform failure: DBus error: Using X11 for dbus-daemon autolaunch was disabled", "cannot be reached"],
    ["Platform failure: DBus error: The name org.freedesktop.secrets was not provided", "cannot be reached"],
    ["Couldn't access platform storage: AccessDenied", "locked, or access to it is denied"],
    ["Couldn't access platform storage: SS error: prompt dismissed", "locked, or access to it is denied"],
    ["Entry is matched by multiple credentials: [canary]", "several entries"],
    ["Data is not UTF-8 encoded: [99, 97, 110, 97, 114, 121]", "not UTF-8 text"],
    ["", "cannot be reached"]
  ]
  for (const [message, words] of FAILURES) {
    it.effect(`fails with an explanation of ours instead of: ${message}`, () =>
      Effect.gen(function* () {
        const said = yield* Effect.flip(failing(message)("service/account", undefined))
        assert.include(said, words)
        assert.notMatch(said, /canary|99, 97|DBus/)
      })
    )
  }

  it.effect("gets an abort signal when the read is interrupted", () => {
    let isAborted = false
    const { read } = standIn((signal) => {
      signal?.addEventListener("abort", () => (isAborted = true))
      return new Promise(() => {})
    })
    return Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(read("service/account", undefined), { startImmediately: true })
      yield* Fiber.interrupt(fiber)
      assert.isTrue(isAborted)
    })
  })

  it.effect("fails with the command to install its package when that is missing", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* Effect.flip(make().read("service/account", undefined)),
        "it needs the package @napi-rs/keyring; beside mcp-live, run: npm install @napi-rs/keyring@2 (with -g if mcp-live is installed with -g)"
      )
    })
  )
})

describe("an optional package", () => {
  it.effect("is loaded when it is installed", () =>
    Effect.gen(function* () {
      const { default: json5 } = yield* loadOptional("json5", () => import("json5"))
      assert.strictEqual(json5.parse("'x'"), "x")
    })
  )

  it.effect("that throws while it is loaded fails without showing the exception", () =>
    Effect.gen(function* () {
      const broken = loadOptional("json5", () => Promise.reject(new Error("canary")))
      assert.strictEqual(yield* Effect.flip(broken), "the package json5 is installed, but cannot be loaded")
    })
  )
})
