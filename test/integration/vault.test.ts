import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as VaultProvider from "../../src/layers/secret/SecretResolver/vaultProvider.ts"
import {
  SECRET_ANSWER_MAX_BYTES,
  SECRET_RETRY_MS,
  VAULT_LEASE_MARGIN_MS,
  VAULT_LOGIN_PAUSE_MS
} from "../../src/schemas/defaults/Secrets.ts"
import type { VaultConfig } from "../../src/schemas/secret/SecretsConfig.ts"
import { secretServer } from "../fixtures/secretServer.ts"
import { selfSigned } from "../fixtures/selfSigned.ts"
import { vaultServer } from "../fixtures/vaultServer.ts"
import { inFolder } from "../support/folder.ts"

const ALL = ["secret/data/*"]

/** A provider and what it masked. */
const providerOf = (config: VaultConfig, env: Record<string, string | undefined> = {}, home = "/nowhere") => {
  const masked: Array<string> = []
  const reveal = (text: string) =>
    text === "secret://env/GONE" ? Effect.fail("the environment variable is not set") : Effect.succeed(text)
  const provider = VaultProvider.make(config, { env, home, reveal, mask: (value) => masked.push(value) })
  return { read: provider.read, masked, kept: provider.kept }
}

const promise = (name: string, body: Effect.Effect<void, unknown, Scope.Scope>) =>
  it.effect(name, () => Effect.scoped(body))

/** A Vault with a secret of two versions, and a provider with a token for it. */
const withToken = Effect.gen(function* () {
  const vault = yield* vaultServer()
  vault.write("secret", "team/app", { password: "the-first" })
  vault.write("secret", "team/app", { password: "the-second", user: "alice" })
  const token = vault.issue({ policy: ALL })
  const provider = providerOf({ address: vault.origin, token })
  return { vault, token, ...provider }
})

const withRole = (options: Partial<Parameters<Effect.Success<ReturnType<typeof vaultServer>>["role"]>[0]> = {}) =>
  Effect.gen(function* () {
    const vault = yield* vaultServer()
    vault.write("secret", "team/app", { password: "the-first" })
    const role = vault.role({ policy: ALL, ttlSeconds: 600, ...options })
    const appRole = { roleId: role.roleId, secretId: role.secretId, mount: role.mount ?? "approle" }
    return { vault, role, appRole, ...providerOf({ address: vault.origin, appRole }) }
  })

/** Time passes while real requests come and go, so that what waits before it tries again need not be waited for. */
const hurried = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect)
    yield* TestClock.adjust(SECRET_RETRY_MS).pipe(
      Effect.andThen(Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))),
      Effect.repeat({ until: () => fiber.pollUnsafe() !== undefined })
    )
    return yield* Fiber.join(fiber)
  })

describe("a field of a secret", () => {
  promise(
    "the newest version, or the one that is named",
    Effect.gen(function* () {
      const { kept, read, token, vault } = yield* withToken
      assert.isTrue(kept)
      assert.strictEqual(yield* read("secret/team/app/password", undefined), "the-second")
      assert.strictEqual(yield* read("secret/team/app/password", "1"), "the-first")
      assert.deepStrictEqual(
        vault.requests.map(({ target, verb }) => [verb, target]),
        [
          ["GET", "/v1/secret/data/team/app"],
          ["GET", "/v1/secret/data/team/app?version=1"]
        ]
      )
      for (const { headers } of vault.requests) {
        assert.deepInclude(headers, { "x-vault-token": token, "x-vault-request": "true" })
        assert.isUndefined(headers["x-vault-namespace"])
      }
    })
  )

  promise(
    "what is no text comes as text: numbers as they were written, what is nested as JSON",
    Effect.gen(function* () {
      const { read, vault } = yield* withToken
      vault.interludes.push({
        status: 200,
        body: `{"data":{"data":{"n":12345678901234567890,"t":true,"o":{"b":[1.50,null]}},"metadata":{"version":1}}}`
      })
      assert.strictEqual(yield* read("secret/a/n", undefined), "12345678901234567890")
      vault.write("secret", "a", { n: -1.5, t: false, o: { b: [1, "x"] }, z: null })
      assert.strictEqual(yield* read("secret/a/n", undefined), "-1.5")
      assert.strictEqual(yield* read("secret/a/t", undefined), "false")
      assert.strictEqual(yield* read("secret/a/o", undefined), `{"b":[1,"x"]}`)
      assert.include(yield* Effect.flip(read("secret/a/z", undefined)), "the field is null")
    })
  )

  promise(
    "a missing field is said without naming the others",
    Effect.gen(function* () {
      const { read } = yield* withToken
      const said = yield* Effect.flip(read("secret/team/app/pasword", undefined))
      assert.strictEqual(said, "the secret was read, but it has no such field; it has 2, of other names")
    })
  )

  promise(
    "parts of a path with other characters arrive as they were written",
    Effect.gen(function* () {
      const { read, vault } = yield* withToken
      vault.write("secret", "a b/c+d:é", { "k (1)": "odd" })
      assert.strictEqual(yield* read("secret/a b/c+d:é/k (1)", undefined), "odd")
      vault.write("secret", "what?/%2e%2e", { k: "odder" })
      assert.strictEqual(yield* read("secret/what?/%2e%2e/k", undefined), "odder")
    })
  )
})

describe("what is not there", () => {
  promise(
    "a deleted, a destroyed, a missing version, secret and mount are told apart",
    Effect.gen(function* () {
      const { read, vault } = yield* withToken
      const said = (path: string, version?: string) => Effect.flip(read(path, version))
      vault.delete("secret", "team/app", 2)
      assert.match(yield* said("secret/team/app/password"), /^the newest version of the secret was deleted/)
      assert.strictEqual(yield* read("secret/team/app/password", "1"), "the-first")
      vault.destroy("secret", "team/app", 1)
      assert.strictEqual(yield* said("secret/team/app/password", "1"), "version 1 of the secret was destroyed")
      assert.match(yield* said("secret/team/app/password", "3"), /no such secret, or not that version of it/)
      assert.match(yield* said("secret/team/other/password"), /^Vault has no such secret \(/)
      const token = vault.issue({ policy: ["*"] })
      const elsewhere = providerOf({ address: vault.origin, token })
      assert.match(yield* Effect.flip(elsewhere.read("kv/app/password", undefined)), /no secrets engine mounted there/)
    })
  )
})

describe("the token", () => {
  promise(
    "comes from the configuration, else VAULT_TOKEN, else what the command line left behind; it is masked",
    Effect.gen(function* () {
      const { token, vault } = yield* withToken
      const home = yield* inFolder
      writeFileSync(join(home, ".vault-token"), `${token}\n`)
      const address = vault.origin
      for (const { masked, read } of [
        providerOf({ address, token }, { VAULT_TOKEN: "another" }, home),
        providerOf({ address }, { VAULT_TOKEN: token }, "/nowhere"),
        providerOf({}, { VAULT_ADDR: address }, home)
      ]) {
        assert.strictEqual(yield* read("secret/team/app/user", undefined), "alice")
        assert.deepStrictEqual(masked, [token])
      }
      const before = vault.requests.length
      const { read } = providerOf({ address })
      assert.match(yield* Effect.flip(read("secret/team/app/user", undefined)), /no token for Vault: set VAULT_TOKEN/)
      const unresolved = providerOf({ address, token: "secret://env/GONE" })
      assert.strictEqual(
        yield* Effect.flip(unresolved.read("secret/team/app/user", undefined)),
        "the token of Vault: the environment variable is not set"
      )
      assert.lengthOf(vault.requests, before)
    })
  )

  promise(
    "one that no header takes is refused without being quoted",
    Effect.gen(function* () {
      const { vault } = yield* withToken
      for (const token of ["hvs.with\nbreak", "hvs.é", "  "]) {
        const { masked, read } = providerOf({ address: vault.origin, token })
        const said = yield* Effect.flip(read("secret/team/app/user", undefined))
        assert.strictEqual(said, "the token of Vault is empty, or contains invalid characters")
        assert.deepStrictEqual(masked, token.trim() === "" ? [] : [token])
      }
      assert.lengthOf(vault.requests, 0)
    })
  )

  promise(
    "a wrong one, a used up one and one without the right are refused in our words",
    Effect.gen(function* () {
      const { vault } = yield* withToken
      const tokens = ["hvs.wrong", vault.issue({ policy: ["other/*"] }), vault.issue({ policy: ALL, uses: 1 })]
      const readers = tokens.map((token) => providerOf({ address: vault.origin, token }))
      assert.strictEqual(yield* readers[2]!.read("secret/team/app/user", undefined), "alice")
      for (const { read } of readers) {
        const said = yield* Effect.flip(read("secret/team/app/user", undefined))
        assert.match(said, /^Vault refused the token \(HTTP 403\): it is wrong, expired or used up, or its policies/)
        assert.notInclude(said, "permission denied")
      }
    })
  )

  promise(
    "a namespace goes along, from the configuration or VAULT_NAMESPACE",
    Effect.gen(function* () {
      const { vault } = yield* withToken
      vault.write("secret", "app", { k: "of the team" }, "admin/team")
      const token = vault.issue({ policy: ALL, namespace: "admin/team" })
      const address = vault.origin
      for (const { read } of [
        providerOf({ address, token, namespace: "admin/team" }, { VAULT_NAMESPACE: "other" }),
        providerOf({ address, token }, { VAULT_NAMESPACE: "admin/team" })
      ]) {
        assert.strictEqual(yield* read("secret/app/k", undefined), "of the team")
      }
      const { read } = providerOf({ address, token, namespace: "admin" })
      assert.match(yield* Effect.flip(read("secret/app/k", undefined)), /HTTP 403/)
    })
  )
})

describe("AppRole", () => {
  promise(
    "logs in once for all who ask at once, and keeps the token; all credentials are masked",
    Effect.gen(function* () {
      const { masked, read, role, vault } = yield* withRole()
      const values = yield* Effect.all(
        Array.from({ length: 8 }, () => read("secret/team/app/password", undefined)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(new Set(values), new Set(["the-first"]))
      yield* read("secret/team/app/password", undefined)
      assert.strictEqual(vault.logins(), 1)
      const login = vault.requests.find(({ target }) => target === "/v1/auth/approle/login")
      assert.isUndefined(login?.headers["x-vault-token"])
      const token = vault.requests.at(-1)?.headers["x-vault-token"]
      assert.deepStrictEqual(masked, [role.roleId, role.secretId, token])
    })
  )

  promise(
    "VAULT_ROLE_ID and VAULT_SECRET_ID do as well, and another mount; a token of the configuration goes first",
    Effect.gen(function* () {
      const { role, vault } = yield* withRole()
      const env = { VAULT_ADDR: vault.origin, VAULT_ROLE_ID: role.roleId, VAULT_SECRET_ID: role.secretId }
      assert.strictEqual(yield* providerOf({}, env).read("secret/team/app/password", undefined), "the-first")
      const token = vault.issue({ policy: ALL })
      assert.strictEqual(yield* providerOf({ token }, env).read("secret/team/app/password", undefined), "the-first")
      assert.strictEqual(vault.logins(), 1)

      const other = yield* withRole({ mount: "ci/apps" })
      assert.strictEqual(yield* other.read("secret/team/app/password", undefined), "the-first")
      assert.strictEqual(other.vault.requests[0]?.target, "/v1/auth/ci/apps/login")
    })
  )

  promise(
    "logs in anew shortly before the lease ends, not sooner",
    Effect.gen(function* () {
      const { read, vault } = yield* withRole({ ttlSeconds: 600 })
      yield* read("secret/team/app/password", undefined)
      yield* TestClock.adjust(600_000 - VAULT_LEASE_MARGIN_MS - 1)
      yield* read("secret/team/app/password", undefined)
      assert.strictEqual(vault.logins(), 1)
      yield* TestClock.adjust(1)
      yield* read("secret/team/app/password", undefined)
      assert.strictEqual(vault.logins(), 2)
      assert.isTrue(vault.requests.every(({ target }) => !target.includes("lookup")))

      const endless = yield* withRole({ ttlSeconds: 0 })
      yield* endless.read("secret/team/app/password", undefined)
      yield* TestClock.adjust("365 days")
      yield* endless.read("secret/team/app/password", undefined)
      assert.strictEqual(endless.vault.logins(), 1)

      const short = yield* withRole({ ttlSeconds: 10 })
      yield* short.read("secret/team/app/password", undefined)
      yield* TestClock.adjust(8_999)
      yield* short.read("secret/team/app/password", undefined)
      assert.strictEqual(short.vault.logins(), 1)
      yield* TestClock.adjust(1)
      yield* short.read("secret/team/app/password", undefined)
      assert.strictEqual(short.vault.logins(), 2)
    })
  )

  promise(
    "a token of few uses is replaced when they are up, before it is refused",
    Effect.gen(function* () {
      const { read, vault } = yield* withRole({ uses: 2 })
      for (let count = 0; count < 5; count++) yield* read("secret/team/app/password", undefined)
      assert.strictEqual(vault.logins(), 3)
      const once = yield* withRole({ uses: 1 })
      const reads = Array.from({ length: 4 }, () => once.read("secret/team/app/password", undefined))
      yield* Effect.all(reads, { concurrency: "unbounded" })
      assert.strictEqual(once.vault.logins(), 4)
    })
  )

  promise(
    "logs in once more when a kept token is refused",
    Effect.gen(function* () {
      const { read, vault } = yield* withRole()
      yield* read("secret/team/app/password", undefined)
      vault.revokeAll()
      const reads = Array.from({ length: 4 }, () => read("secret/team/app/password", undefined))
      assert.deepStrictEqual(new Set(yield* Effect.all(reads, { concurrency: "unbounded" })), new Set(["the-first"]))
      assert.strictEqual(vault.logins(), 2)
    })
  )

  promise(
    "does not spend logins on what it may not read: a new token is believed, and a login in vain not repeated at once",
    Effect.gen(function* () {
      const { read, vault } = yield* withRole({ policy: ["secret/data/team/*"] })
      vault.write("secret", "private", { k: "v" })
      const forbidden = Effect.flip(read("secret/private/k", undefined))
      assert.match(yield* forbidden, /HTTP 403/)
      assert.strictEqual(vault.logins(), 1)
      for (let count = 0; count < 3; count++) assert.match(yield* forbidden, /HTTP 403/)
      assert.strictEqual(vault.logins(), 2)
      assert.strictEqual(yield* read("secret/team/app/password", undefined), "the-first")
      yield* TestClock.adjust(VAULT_LOGIN_PAUSE_MS)
      assert.match(yield* forbidden, /HTTP 403/)
      assert.strictEqual(vault.logins(), 3)
    })
  )

  promise(
    "a used up secret id, a wrong one and a mount that is not there are told apart",
    Effect.gen(function* () {
      const { read, vault } = yield* withRole({ secretIdUses: 1 })
      yield* read("secret/team/app/password", undefined)
      vault.revokeAll()
      assert.strictEqual(
        yield* Effect.flip(read("secret/team/app/password", undefined)),
        "Vault refused the token (HTTP 403), and a new one was not to be had: Vault refused the AppRole: its role id or secret id is wrong, expired or used up (HTTP 400)"
      )
      const { roleId } = vault.role({ policy: ALL })
      for (const [mount, expected] of [
        ["approle", /role id or secret id is wrong, expired or used up \(HTTP 400\)/],
        ["other", /no AppRole mounted at auth\/other in this namespace \(HTTP 404\)/]
      ] as const) {
        const wrong = providerOf({ address: vault.origin, appRole: { roleId, secretId: "wrong", mount } })
        assert.match(yield* Effect.flip(wrong.read("secret/team/app/password", undefined)), expected)
      }
    })
  )

  promise(
    "a refused login is one login for all who wait for it",
    Effect.gen(function* () {
      const { appRole, vault } = yield* withRole()
      const { read } = providerOf({ address: vault.origin, appRole: { ...appRole, secretId: "wrong" } })
      const reads = Array.from({ length: 8 }, () => Effect.flip(read("secret/team/app/password", undefined)))
      const said = yield* Effect.all(reads, { concurrency: "unbounded" })
      assert.lengthOf(new Set(said), 1)
      assert.strictEqual(vault.logins(), 1)
    })
  )

  promise(
    "who gives up while logging in does not take the others along",
    Effect.gen(function* () {
      const { read, vault } = yield* withRole()
      vault.interludes.push("hang")
      const first = yield* Effect.forkChild(read("secret/team/app/password", undefined))
      yield* vault.received(1)
      const second = yield* Effect.forkChild(read("secret/team/app/password", undefined), { startImmediately: true })
      yield* Fiber.interrupt(first)
      assert.strictEqual(yield* Fiber.join(second), "the-first")
      assert.strictEqual(vault.logins(), 2)
    })
  )

  promise(
    "a login whose answer makes no sense fails, and is not taken for a token",
    Effect.gen(function* () {
      const { read, vault } = yield* withRole()
      for (const body of [
        "",
        "[]",
        "{}",
        `{"auth":7}`,
        `{"auth":{"client_token":["x"]}}`,
        `{"auth":{"client_token":"a\\nb"}}`
      ]) {
        vault.interludes.push({ status: 200, body })
        assert.match(
          yield* Effect.flip(read("secret/team/app/password", undefined)),
          /failed \(HTTP|the token of Vault is empty/
        )
      }
      // A lease that is no number: good for one use.
      const token = vault.issue({ policy: ALL })
      for (const lease of [`"long"`, "-1", "null", "{}"]) {
        const body = `{"auth":{"client_token":"${token}","lease_duration":${lease},"num_uses":"many"}}`
        vault.interludes.push({ status: 200, body })
        assert.strictEqual(yield* read("secret/team/app/password", undefined), "the-first")
      }
    })
  )
})

describe("another node", () => {
  promise(
    "a standby node's redirect to the active one is followed, for reads and logins",
    Effect.gen(function* () {
      const { appRole, token, vault } = yield* Effect.map(withRole(), (made) => ({
        ...made,
        token: made.vault.issue({ policy: ALL })
      }))
      const standby = yield* vaultServer()
      standby.state.active = vault.origin
      const second = yield* vaultServer()
      second.state.active = standby.origin
      for (const config of [{ token }, { appRole }]) {
        const { read } = providerOf({ address: second.origin, ...config })
        assert.strictEqual(yield* read("secret/team/app/password", undefined), "the-first")
      }
      assert.strictEqual(vault.logins(), 1)
    })
  )

  promise(
    "redirects in a circle end",
    Effect.gen(function* () {
      const { read, vault } = yield* withToken
      vault.state.active = vault.origin
      const said = yield* Effect.flip(read("secret/team/app/password", undefined))
      assert.strictEqual(said, "Vault sent the request on more than 3 times")
      assert.lengthOf(vault.requests, 4)
    })
  )

  promise(
    "the token does not follow to another page, another scheme, or off this machine without TLS",
    Effect.gen(function* () {
      const { read, vault } = yield* withToken
      const thief = yield* secretServer(() => ({ status: 200, body: "{}" }))
      const path = "/v1/secret/data/team/app"
      for (const location of [
        `${thief.origin}/login?next=${path}`,
        `${thief.origin}${path}?version=1`,
        `${thief.origin.replace("127.0.0.1", "user:pw@127.0.0.1")}${path}`,
        `http://192.0.2.1${path}`,
        `https://127.0.0.1${path}`,
        `ftp://127.0.0.1${path}`,
        "http://["
      ]) {
        vault.interludes.push({ status: 307, headers: { location } })
        const said = yield* Effect.flip(read("secret/team/app/password", undefined))
        assert.match(said, /^(?:Vault sent the request on|the request to Vault's address was redirected)/, location)
        assert.notInclude(said, "192.0.2.1")
      }
      vault.interludes.push({ status: 302 })
      assert.match(yield* Effect.flip(read("secret/team/app/password", undefined)), /without saying where to/)
      assert.lengthOf(thief.requests, 0)
    })
  )
})

describe("a Vault in trouble", () => {
  const cases: ReadonlyArray<readonly [status: number, expected: RegExp]> = [
    [503, /^Vault is sealed, in maintenance or without an active node \(HTTP 503\)$/],
    [429, /^Vault limits the rate of requests, or this node is a standby \(HTTP 429\)$/],
    [412, /^this node of Vault lags behind/],
    [500, /^Vault is in trouble \(HTTP 500\)$/]
  ]
  for (const [status, expected] of cases) {
    promise(
      `HTTP ${status} is tried again, and then said in our words`,
      Effect.gen(function* () {
        const { read, vault } = yield* withToken
        const sick = { status, body: `{"errors":["the value is hvs.leak"]}` }
        vault.interludes.push(sick)
        assert.strictEqual(yield* hurried(read("secret/team/app/user", undefined)), "alice")

        const dead = yield* secretServer(() => sick)
        const failing = providerOf({ address: dead.origin, token: "t" }).read("secret/team/app/user", undefined)
        const said = yield* hurried(Effect.flip(failing))
        assert.match(said, expected)
        assert.lengthOf(dead.requests, 3)
      })
    )
  }

  promise(
    "a sealed one is said to be sealed",
    Effect.gen(function* () {
      const { read, vault } = yield* withToken
      vault.state.sealed = true
      assert.match(yield* hurried(Effect.flip(read("secret/team/app/user", undefined))), /Vault is sealed/)
    })
  )

  promise(
    "a read that broke off is tried again, a login is not: it may have been counted",
    Effect.gen(function* () {
      const { read, vault } = yield* withToken
      vault.interludes.push("reset")
      assert.strictEqual(yield* hurried(read("secret/team/app/user", undefined)), "alice")
      const role = yield* withRole()
      role.vault.interludes.push("reset")
      assert.match(yield* Effect.flip(role.read("secret/team/app/password", undefined)), /closed the connection/)
      role.vault.interludes.push({ status: 502, body: "" })
      assert.match(yield* Effect.flip(role.read("secret/team/app/password", undefined)), /in trouble \(HTTP 502\)/)
      assert.lengthOf(role.vault.requests, 2)
      role.vault.interludes.push({ status: 503, body: "" })
      assert.strictEqual(yield* hurried(role.read("secret/team/app/password", undefined)), "the-first")
    })
  )

  promise(
    "an answer without end, or without sense, is no value",
    Effect.gen(function* () {
      const { read, vault } = yield* withToken
      const nested = `${"[".repeat(200_000)}${"]".repeat(200_000)}`
      const metadata = `"metadata":{"version":1}`
      for (const [body, expected] of [
        ["x".repeat(SECRET_ANSWER_MAX_BYTES + 1), /larger than 1 MiB/],
        ["<html>login</html>", /is not a secret of KV version 2/],
        [`{"data":{"password":"v1"}}`, /is not a secret of KV version 2/],
        [`{"data":{"data":null,${metadata}}}`, /is not a secret of KV version 2/],
        [`{"data":{"data":["x"],${metadata}}}`, /not a JSON object/],
        [`{"data":{"data":{"password":${nested}},${metadata}}}`, /is not a secret of KV version 2/],
        [`{"data":{"data":{"__proto__":{"password":"x"}},${metadata}}}`, /no such field; it has 1, of another name/]
      ] as const) {
        vault.interludes.push({ status: 200, body })
        assert.match(yield* Effect.flip(read("secret/team/app/password", undefined)), expected)
      }
      for (const status of [400, 401, 405, 303]) {
        vault.interludes.push({ status, body: `{"errors":["hvs.leak"]}` })
        const said = yield* Effect.flip(read("secret/team/app/password", undefined))
        assert.strictEqual(said, `Vault rejected the request (HTTP ${status})`)
      }
    })
  )

  promise(
    "one that never answers is left when the caller has had enough, and nothing stays open",
    Effect.gen(function* () {
      const { read, vault } = yield* withToken
      vault.interludes.push("hang")
      const fiber = yield* Effect.forkChild(read("secret/team/app/password", undefined))
      yield* vault.received(1)
      yield* Fiber.interrupt(fiber)
      yield* vault.hungUp
      assert.strictEqual(yield* read("secret/team/app/password", undefined), "the-second")
      yield* vault.connections.pipe(
        Effect.repeat({ until: (count) => count === 0 }),
        Effect.timeout("30 seconds"),
        TestClock.withLive
      )
    })
  )
})

describe("the way to Vault", () => {
  const path = "secret/team/app/user"

  const overTls = Effect.fnUntraced(function* (certificate: ReturnType<typeof selfSigned>) {
    const vault = yield* vaultServer(certificate)
    vault.write("secret", "team/app", { user: "alice" })
    const folder = yield* inFolder
    const file = join(folder, "ca.pem")
    writeFileSync(file, certificate.cert)
    const config = { address: vault.origin, token: vault.issue({ policy: ALL }) }
    return { vault, file, folder, config }
  })

  promise(
    "an authority that VAULT_CACERT names is trusted, any other is not, whatever else is asked for",
    Effect.gen(function* () {
      const { config, file, vault } = yield* overTls(selfSigned())
      const trusting = providerOf(config, { VAULT_CACERT: file })
      assert.strictEqual(yield* trusting.read(path, undefined), "alice")
      const strict = providerOf(config, { VAULT_SKIP_VERIFY: "true" })
      assert.match(
        yield* Effect.flip(strict.read(path, undefined)),
        /not signed by an authority that this machine trusts \([A-Z_]+\); VAULT_CACERT names the file/
      )
      assert.lengthOf(vault.requests, 1)
    })
  )

  promise(
    "a certificate for another name, or one that has expired, is said to be so",
    Effect.gen(function* () {
      for (const [options, expected] of [
        [{ name: "vault.example" }, /is for another host \(ERR_TLS_CERT_ALTNAME_INVALID\)/],
        [{ expired: true }, /has expired \(CERT_HAS_EXPIRED\)/]
      ] as const) {
        const { config, file, vault } = yield* overTls(selfSigned(options))
        const { read } = providerOf(config, { VAULT_CACERT: file })
        assert.match(yield* Effect.flip(read(path, undefined)), expected)
        assert.lengthOf(vault.requests, 0)
      }
    })
  )

  promise(
    "a file without a certificate, or that is not there, is said to be so",
    Effect.gen(function* () {
      const { config, file, folder } = yield* overTls(selfSigned())
      writeFileSync(file, "nothing")
      const said = (VAULT_CACERT: string) => Effect.flip(providerOf(config, { VAULT_CACERT }).read(path, undefined))
      assert.strictEqual(yield* said(file), "VAULT_CACERT: there is no certificate in the file")
      assert.strictEqual(yield* said(join(folder, "gone.pem")), "VAULT_CACERT: there is no such file")
    })
  )

  promise(
    "where https is spoken of and plain HTTP is spoken, that is said",
    Effect.gen(function* () {
      const { token, vault } = yield* withToken
      const { read } = providerOf({ address: vault.origin.replace("http:", "https:"), token })
      assert.match(yield* Effect.flip(read(path, undefined)), /does not speak TLS as an https address must/)
    })
  )

  promise(
    "where nobody listens, that is said",
    Effect.gen(function* () {
      const address = yield* Effect.scoped(
        Effect.map(
          secretServer(() => "hang"),
          ({ origin }) => origin
        )
      )
      const { read } = providerOf({ address, token: "t" })
      const said = yield* hurried(Effect.flip(read(path, undefined)))
      assert.strictEqual(said, `${address} does not answer: nobody listens there (ECONNREFUSED)`)
    })
  )

  promise(
    "an address below a path is kept, in front of what is asked for",
    Effect.gen(function* () {
      const { token, vault } = yield* withToken
      vault.interludes.push({ status: 404, body: `{"errors":[]}` })
      const { read } = providerOf({ address: `${vault.origin}/proxied/vault/`, token })
      yield* Effect.flip(read(path, undefined))
      assert.strictEqual(vault.requests[0]?.target, "/proxied/vault/v1/secret/data/team/app")
    })
  )
})
