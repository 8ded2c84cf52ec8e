import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as RedactorLayer from "../../../src/layers/content/Redactor.ts"
import * as SecretResolverLayer from "../../../src/layers/secret/SecretResolver.ts"
import { accessOf, type AccessOptions } from "../../../src/programs/serve/tokens.ts"
import { Redactor } from "../../../src/services/content/Redactor.ts"
import { SecretResolver } from "../../../src/services/secret/SecretResolver.ts"
import { inFolder as folder } from "../../support/folder.ts"

const live = SecretResolverLayer.layer({
  env: { ONE: "token-of-the-first", SHORT: "short", BLANK: "a token with blanks" }
}).pipe(Layer.provideMerge(RedactorLayer.layer))

const access = (options: Partial<AccessOptions> & Pick<AccessOptions, "dataDirectory">) =>
  Effect.flatMap(SecretResolver, (secrets) =>
    accessOf({ clients: [], tokenFile: undefined, hasLogins: false, ...options, secrets })
  )

const values = ({ tokens }: Effect.Success<ReturnType<typeof access>>) =>
  tokens.map(({ agent, principal, token }) => [principal, agent, Redacted.value(token)])

const refused = (options: Parameters<typeof access>[0]) =>
  Effect.map(Effect.flip(access(options)), ({ message }) => message)

describe("serve: tokens", () => {
  it.effect("one is made where there is none, for this user alone, and it is the same the next time", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* folder
      const first = yield* access({ dataDirectory })
      const path = join(dataDirectory, "serve", "token")
      assert.strictEqual(first.generatedAt, path)
      assert.strictEqual(statSync(path).mode & 0o777, 0o600)
      assert.strictEqual(statSync(join(dataDirectory, "serve")).mode & 0o777, 0o700)
      assert.match(readFileSync(path, "utf8"), /^[\w-]{43}$/)
      assert.deepStrictEqual(values(yield* access({ dataDirectory })), values(first))
    }).pipe(Effect.scoped, Effect.provide(live))
  )

  it.effect("nobody is let in where the token of a client cannot be had", () =>
    Effect.gen(function* () {
      const fault = { file: "openclaw.json", line: 3, path: "mcp.serve.clients[0].token", message: "it is not set" }
      const said = yield* refused({
        dataDirectory: yield* folder,
        clients: [{ name: "one", token: "${NONE_THAT_IS_SET}", fault }]
      })
      assert.include(said, "openclaw.json:3: mcp.serve.clients[0].token: it is not set")
    }).pipe(Effect.scoped, Effect.provide(live))
  )

  it.effect("two programs that begin at once have the same", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* folder
      const both = yield* Effect.all([access({ dataDirectory }), access({ dataDirectory })], { concurrency: 2 })
      assert.deepStrictEqual(values(both[0]), values(both[1]))
    }).pipe(Effect.scoped, Effect.provide(live))
  )

  it.effect("those of the configuration are resolved, and none is made; all are secrets from then on", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* folder
      const file = join(dataDirectory, "mine")
      writeFileSync(file, "  token-out-of-a-file\n", { mode: 0o600 })
      const given = yield* access({
        dataDirectory,
        tokenFile: file,
        clients: [
          { name: "one", token: "secret://env/ONE", agent: "a" },
          { name: "two", token: "token-in-plain-text" }
        ]
      })
      assert.isUndefined(given.generatedAt)
      assert.deepStrictEqual(values(given), [
        ["client one", "a", "token-of-the-first"],
        ["client two", undefined, "token-in-plain-text"],
        ["token file", undefined, "token-out-of-a-file"]
      ])
      const { redact } = yield* Redactor
      for (const token of ["token-of-the-first", "token-in-plain-text", "token-out-of-a-file"]) {
        assert.notInclude(redact(`it is ${token}.`), token)
      }
    }).pipe(Effect.scoped, Effect.provide(live))
  )

  it.effect("what is missing, too short, not to be sent, or the same as another one is refused by name", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* folder
      const client = (token: string, name = "one") => ({ name, token })
      for (const [token, words] of [
        ["secret://env/NONE", "is not available"],
        ["secret://env/SHORT", "at least 16"],
        ["secret://env/BLANK", "without blanks"],
        ["short", "at least 16"]
      ] as const) {
        const message = yield* refused({ dataDirectory, clients: [client(token)] })
        assert.include(message, "the token of the client 'one'")
        assert.include(message, words)
      }
      const same = [client("secret://env/ONE"), client("token-of-the-first", "two")]
      assert.strictEqual(yield* refused({ dataDirectory, clients: same }), "two clients have the same token")
      assert.include(
        yield* refused({ dataDirectory, tokenFile: join(dataDirectory, "none") }),
        "there is no token file"
      )
    }).pipe(Effect.scoped, Effect.provide(live))
  )

  it.effect("a file that others could have written or can read is not used; nor is one by them in place of ours", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* folder
      const file = join(dataDirectory, "open")
      writeFileSync(file, "token-out-of-a-file")
      chmodSync(file, 0o666)
      assert.include(yield* refused({ dataDirectory, tokenFile: file }), "can be written by others")
      for (const mode of [0o644, 0o640]) {
        chmodSync(file, mode)
        const message = yield* refused({ dataDirectory, tokenFile: file })
        assert.include(message, `can be read by others: chmod 600 ${file}`)
      }
      chmodSync(file, 0o600)
      mkdirSync(join(dataDirectory, "serve"))
      const made = join(dataDirectory, "serve", "token")
      symlinkSync(file, made)
      assert.include(yield* refused({ dataDirectory }), "it is not a file")
      rmSync(made)
      yield* access({ dataDirectory })
      chmodSync(made, 0o604)
      assert.include(yield* refused({ dataDirectory }), `can be read by others: chmod 600 ${made}`)
    }).pipe(Effect.scoped, Effect.provide(live))
  )

  it.effect("a file that a link of its operator's leads to is, as containers have them", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* folder
      const [file, link] = [join(dataDirectory, "file"), join(dataDirectory, "link")]
      writeFileSync(file, "token-out-of-a-file", { mode: 0o600 })
      symlinkSync(file, link)
      const given = values(yield* access({ dataDirectory, tokenFile: link }))
      assert.deepStrictEqual(given, [["token file", undefined, "token-out-of-a-file"]])
    }).pipe(Effect.scoped, Effect.provide(live))
  )

  it.effect("files are looked at before any secret is asked for", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* folder
      const clients = [{ name: "one", token: "secret://env/NONE" }]
      assert.include(
        yield* refused({ dataDirectory, clients, tokenFile: join(dataDirectory, "none") }),
        "no token file"
      )
    }).pipe(Effect.scoped, Effect.provide(live))
  )
})
