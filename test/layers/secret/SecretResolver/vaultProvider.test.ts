import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as VaultProvider from "../../../../src/layers/secret/SecretResolver/vaultProvider.ts"
import type { VaultConfig } from "../../../../src/schemas/secret/SecretsConfig.ts"

/** What is said before anything is sent: nothing here may reach a network. */
const refusal = (config: VaultConfig, path = "secret/app/key", version?: string, env: Record<string, string> = {}) => {
  const context = { env, home: "/nowhere", reveal: Effect.succeed, mask: () => {} }
  return Effect.flip(VaultProvider.make(config, context).read(path, version))
}

describe("a reference to Vault", () => {
  for (const path of [
    "secret",
    "secret/key",
    "secret//key",
    "secret/../key",
    "secret/a/..",
    "../a/key",
    "secret/./key"
  ]) {
    it.effect(`is refused unless it has a mount, a path and a field: ${path}`, () =>
      Effect.gen(function* () {
        const said = yield* refusal({ address: "https://vault.example" }, path)
        assert.strictEqual(said, "it is not of the form secret://vault/MOUNT/PATH/FIELD")
      })
    )
  }

  for (const version of ["0", "latest", "-1", "1.5", "01", "99999999999", ""]) {
    it.effect(`is refused unless its version is a number: '${version}'`, () =>
      Effect.gen(function* () {
        const said = yield* refusal({ address: "https://vault.example" }, "secret/app/key", version)
        assert.strictEqual(said, "versions in Vault are numbers from 1 on")
      })
    )
  }
})

describe("the address of Vault", () => {
  const REFUSED: ReadonlyArray<readonly [address: string, expected: RegExp]> = [
    ["", /^the address of Vault is not known: set VAULT_ADDR/],
    [" ", /is not known/],
    ["vault.example:8200", /is not a URL that begins with https/],
    ["localhost:8200", /is not a URL that begins with https/],
    ["unix:///run/vault.sock", /is not a URL that begins with https/],
    ["https://", /is not a URL that begins with https/],
    ["https://user:hunter2@vault.example", /must contain only host, port and path/],
    ["https://vault.example/?token=hunter2", /must contain only host, port and path/],
    ["https://vault.example/#hunter2", /must contain only host, port and path/],
    [
      "http://vault.example:8200",
      /must begin with https:\/\/: over http:\/\/ to vault\.example:8200, the token could be/
    ],
    ["http://127.0.0.1.example", /must begin with https/],
    ["http://localhost.example", /must begin with https/],
    ["http://10.0.0.1", /must begin with https/],
    ["http://0.0.0.0", /must begin with https/],
    ["http://[::ffff:127.0.0.1]", /must begin with https/]
  ]
  for (const [address, expected] of REFUSED) {
    it.effect(`is refused: '${address}'`, () =>
      Effect.gen(function* () {
        for (const said of [
          yield* refusal({ address, token: "hvs.token" }),
          yield* refusal({ token: "hvs.token" }, undefined, undefined, { VAULT_ADDR: address })
        ]) {
          assert.match(said, expected)
          assert.notInclude(said, "hunter2")
        }
      })
    )
  }

  for (const address of [
    "http://127.0.0.1:1",
    "http://localhost:1",
    "http://[::1]:1",
    "http://127.1:1",
    "https://a.example"
  ]) {
    it.effect(`is accepted: ${address}`, () =>
      Effect.gen(function* () {
        // The next thing that is missing is the token.
        assert.match(yield* refusal({ address }), /^there is no token for Vault/)
      })
    )
  }

  it.effect("is not used with an invalid namespace, and the error does not quote it", () =>
    Effect.gen(function* () {
      const said = yield* refusal({ address: "https://vault.example", namespace: "a\nb", token: "t" })
      assert.strictEqual(said, "the namespace of Vault is invalid")
    })
  )
})
