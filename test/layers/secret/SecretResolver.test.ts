import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { inspect } from "node:util"
import * as RedactorLayer from "../../../src/layers/content/Redactor.ts"
import * as SecretResolverLayer from "../../../src/layers/secret/SecretResolver.ts"
import {
  SECRET_FILE_MAX_BYTES,
  SECRET_TIMEOUT_MS,
  SECRETS_LEARNED_AT_ONCE
} from "../../../src/schemas/defaults/Secrets.ts"
import { Redactor } from "../../../src/services/content/Redactor.ts"
import { ownerOf, serverConfig } from "../../../src/schemas/connection/ServerConfig.ts"
import { SecretResolver } from "../../../src/services/secret/SecretResolver.ts"
import { inFolder as inDirectory } from "../../support/folder.ts"

const ENV = {
  TOKEN: "tok-1234567890",
  USER_NAME: "alice-the-user",
  _PRIVATE1: "private-value",
  PEM: "-----BEGIN KEY-----\nabcdefgh\n-----END KEY-----\n",
  EMPTY: "",
  BLANK: " \t\n ",
  NUL: "nul\0value",
  SHORT: "abc",
  NESTED: "secret://env/TOKEN",
  ABSENT: undefined
}

const live = (options: SecretResolverLayer.Options = { env: ENV, home: "/home/nobody" }) =>
  SecretResolverLayer.layer(options).pipe(Layer.provideMerge(RedactorLayer.layer))

const resolve = Effect.fnUntraced(function* (text: string) {
  return Redacted.value(yield* (yield* SecretResolver).resolve("fs", text))
})

const refusal = (text: string) => Effect.flip(resolve(text))

describe("resolving secret references", () => {
  const RESOLVED: ReadonlyArray<readonly [text: string, expected: string]> = [
    ["secret://env/TOKEN", "tok-1234567890"],
    ["secret://env/_PRIVATE1", "private-value"],
    ["secret://env/PEM", ENV.PEM],
    ["Bearer secret://env/TOKEN", "Bearer tok-1234567890"],
    ["secret://env/TOKEN ", "tok-1234567890 "],
    ["--token=secret://env/TOKEN", "--token=tok-1234567890"],
    ["-psecret://env/TOKEN", "-ptok-1234567890"],
    ["https://host/?key=secret://env/TOKEN&x=1", "https://host/?key=tok-1234567890&x=1"],
    ["https://secret://env/USER_NAME:secret://env/TOKEN@host/", "https://alice-the-user:tok-1234567890@host/"],
    ["secret://env/USER_NAME:secret://env/TOKEN", "alice-the-user:tok-1234567890"],
    ["secret://env/TOKEN,secret://env/TOKEN", "tok-1234567890,tok-1234567890"],
    ["secret://env/TOKEN\nsecret://env/_PRIVATE1", "tok-1234567890\nprivate-value"],
    [`{"token":"secret://env/TOKEN"}`, `{"token":"tok-1234567890"}`],
    ["'secret://env/TOKEN' `secret://env/TOKEN`", "'tok-1234567890' `tok-1234567890`"],
    [
      "(secret://env/TOKEN) [secret://env/TOKEN] <secret://env/TOKEN>|",
      "(tok-1234567890) [tok-1234567890] <tok-1234567890>|"
    ],
    ["https://{secret://env/USER_NAME}.example/", "https://alice-the-user.example/"],
    ["Password={secret://env/TOKEN};Database=x", "Password=tok-1234567890;Database=x"],
    ["{secret://env/TOKEN}{secret://env/TOKEN}", "tok-1234567890tok-1234567890"]
  ]
  for (const [text, expected] of RESOLVED) {
    it.effect(text.replaceAll("\n", "⏎"), () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* resolve(text), expected)
      }).pipe(Effect.provide(live()))
    )
  }

  it.effect("keeps a text without a reference", () =>
    Effect.gen(function* () {
      for (const text of ["", "plain", "https://host/secret:/x", "mysecret", "secret:", "{}", "${HOME}"]) {
        assert.strictEqual(yield* resolve(text), text)
      }
    }).pipe(Effect.provide(live()))
  )

  it.effect("does not resolve a value that looks like a reference", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* resolve("x=secret://env/NESTED"), "x=secret://env/TOKEN")
    }).pipe(Effect.provide(live()))
  )

  it.effect("reads the value again each time, so that a rotated one is used", () => {
    const env: Record<string, string> = { ROTATED: "value-of-monday" }
    return Effect.gen(function* () {
      assert.strictEqual(yield* resolve("secret://env/ROTATED"), "value-of-monday")
      env["ROTATED"] = "value-of-tuesday"
      assert.strictEqual(yield* resolve("secret://env/ROTATED"), "value-of-tuesday")
      assert.strictEqual((yield* Redactor).redact("value-of-monday"), "[REDACTED]")
    }).pipe(Effect.provide(live({ env })))
  })
})

describe("a malformed or unavailable reference fails, and the error names it", () => {
  const REFUSED: ReadonlyArray<readonly [text: string, reference: string, detail: RegExp]> = [
    ["secret://env/ABSENT", "secret://env/ABSENT", /not set/],
    ["secret://env/NEVER_HEARD_OF", "secret://env/NEVER_HEARD_OF", /not set/],
    ["secret://env/toString", "secret://env/toString", /not set/],
    ["secret://env/__proto__", "secret://env/__proto__", /not set/],
    ["Bearer secret://env/EMPTY", "secret://env/EMPTY", /empty/],
    ["secret://env/BLANK", "secret://env/BLANK", /empty/],
    ["secret://env/NUL", "secret://env/NUL", /NUL/],
    ["secret://env/TOKEN secret://env/EMPTY", "secret://env/EMPTY", /empty/],
    ["secret://exec/login", "secret://exec/login", /no commands are configured/],
    ["secret://exec/login#2", "secret://exec/login#2", /no versions/],
    ["secret://op/vault/item", "secret://op/vault/item", /not of the form secret:\/\/op\/VAULT\/ITEM\/FIELD/],
    [
      "{secret://op/My Vault/item/section/more/field}",
      "secret://op/My Vault/item/section/more/field",
      /not of the form/
    ],
    ["secret://op/vault/item/field#2", "secret://op/vault/item/field#2", /no versions/],
    ["secret://keychain/service", "secret://keychain/service", /form secret:\/\/keychain\/SERVICE\/ACCOUNT/],
    ["secret://keychain/service/account/x", "secret://keychain/service/account/x", /form secret:\/\/keychain/],
    ["secret://keychain/service/account#2", "secret://keychain/service/account#2", /no versions/],
    ["secret://azure/x", "secret://azure/x", /no provider 'azure'/],
    ["secret://constructor/x", "secret://constructor/x", /no provider 'constructor'/],
    ["secret://", "secret://", /names no provider/],
    ["secret:// env/TOKEN", "secret://", /names no provider/],
    ["secret://env", "secret://env", /names no provider/],
    ["secret://env/", "secret://env/", /empty part/],
    ["secret:///env/TOKEN", "secret:///env/TOKEN", /empty part/],
    ["secret://env//TOKEN", "secret://env//TOKEN", /empty part/],
    ["secret://env/TOKEN/", "secret://env/TOKEN/", /empty part/],
    ["secret://file//etc/passwd", "secret://file//etc/passwd", /empty part/],
    ["SECRET://env/TOKEN", "SECRET://env/TOKEN", /lower case/],
    ["Secret://env/TOKEN", "Secret://env/TOKEN", /lower case/],
    ["secret://ENV/TOKEN", "secret://ENV/TOKEN", /form/],
    ["secret://env/TOKEN;rm -rf /", "secret://env/TOKEN", /form/],
    ["secret://env/$(id)", "secret://env/$(id)", /form/],
    ["secret://env/`id`", "secret://env/", /empty part/],
    ["secret://env/TO-KEN", "secret://env/TO-KEN", /not the name of an environment variable/],
    ["secret://env/TOKEN.txt", "secret://env/TOKEN.txt", /not the name of an environment variable/],
    ["secret://env/1TOKEN", "secret://env/1TOKEN", /not the name of an environment variable/],
    ["secret://env/A/B", "secret://env/A/B", /not the name of an environment variable/],
    ["secret://file/C:/run/x:y", "secret://file/C:/run/x", /no such file/],
    ["secret://env/TOKEN?x=1", "secret://env/TOKEN?x=1", /form/],
    ["secret://env/TOKEN*", "secret://env/TOKEN*", /form/],
    ["secret://env/TOKEN\\", "secret://env/TOKEN\\", /form/],
    ["secret://env/TOKEN#", "secret://env/TOKEN#", /version/],
    ["secret://env/TOKEN#1 2", "secret://env/TOKEN#1", /no versions/],
    ["secret://env/TOKEN#latest", "secret://env/TOKEN#latest", /no versions/],
    ["secret://env/TOKEN##2", "secret://env/TOKEN##2", /version/],
    ["secret://env/TOKEN#$x", "secret://env/TOKEN#$x", /version/],
    ["secret://env/../TOKEN", "secret://env/../TOKEN", /\. or \.\./],
    ["secret://env/..", "secret://env/..", /\. or \.\./],
    ["secret://file/run/../etc/shadow", "secret://file/run/../etc/shadow", /\. or \.\./],
    ["secret://file/./x", "secret://file/./x", /\. or \.\./],
    ["secret://../x", "secret://../x", /\. or \.\./],
    ["secret://env/%54OKEN", "secret://env/%54OKEN", /percent/],
    ["secret://file/run/%2e%2e/x", "secret://file/run/%2e%2e/x", /percent/],
    ["secret%3A//x secret://env%2FTOKEN", "secret://env%2FTOKEN", /names no provider/],
    ["secret://env/TOKENsecret://env/TOKEN", "secret://env/TOKEN", /need something between them/],
    ["secret://secret://env/TOKEN", "secret://secret://env/TOKEN", /./],
    ["{secret://env/TOKEN", "secret://env/TOKEN", /brace/],
    ["${secret://env/TOKEN}", "secret://env/TOKEN}", /dollar/],
    ["{secret://env/TOKEN;x}", "secret://env/TOKEN", /form/],
    ["{secret://env/TOKEN secret://env/TOKEN}", "secret://env/TOKEN", /./],
    ["secret://env/TOKEN\u200b", "secret://env/TOKEN", /form/],
    ["secret://env/ТOKEN", "secret://env/ТOKEN", /not the name of an environment variable/],
    [`secret://${"a".repeat(10_000)}`, `secret://${"a".repeat(128 - "secret://".length)}`, /names no provider/]
  ]
  for (const [text, reference, detail] of REFUSED) {
    it.effect(text.slice(0, 60), () =>
      Effect.gen(function* () {
        const error = yield* refusal(text)
        assert.deepInclude(error, { _tag: "SecretUnavailable", server: "fs" })
        assert.strictEqual(error.reference, reference)
        assert.match(error.detail, detail)
        assert.isAtMost(error.message.length, 500)
      }).pipe(Effect.provide(live()))
    )
  }

  it.effect.prop("a resolved text never contains secret://", [Schema.String, Schema.String], ([before, after]) =>
    Effect.gen(function* () {
      for (const scheme of ["secret://", "SECRET://", "secret://env/", "secret://file/", "{secret://env/TOKEN"]) {
        const value = yield* resolve(before + scheme + after).pipe(Effect.orElseSucceed(() => ""))
        assert.notMatch(value, /secret:\/\//i)
      }
    }).pipe(Effect.provide(live()))
  )
})

describe("secret files", () => {
  const written = Effect.fnUntraced(function* (content: string | Uint8Array, name = "token") {
    const directory = yield* inDirectory
    writeFileSync(join(directory, name), content)
    return { directory, reference: `secret://file${join(directory, name).replaceAll("\\", "/")}` }
  })

  const CONTENTS: ReadonlyArray<readonly [what: string, content: string, value: string]> = [
    ["a line", "file-secret\n", "file-secret"],
    ["a line that ends with CRLF", "file-secret\r\n", "file-secret"],
    ["no line break", "file-secret", "file-secret"],
    ["white space and further line breaks, kept", "  file-secret \n\n", "  file-secret \n"],
    ["several lines", "one-line\ntwo-line\n", "one-line\ntwo-line"],
    ["a byte order mark, kept", "\ufefffile-secret", "\ufefffile-secret"],
    ["other scripts", "пароль-🔑\n", "пароль-🔑"],
    ["exactly the largest size", "x".repeat(SECRET_FILE_MAX_BYTES), "x".repeat(SECRET_FILE_MAX_BYTES)]
  ]
  for (const [what, content, value] of CONTENTS) {
    it.effect(`are read: ${what}`, () =>
      Effect.gen(function* () {
        const { reference } = yield* written(content)
        assert.isTrue((yield* resolve(`${reference}`)) === value)
      }).pipe(Effect.provide(live()))
    )
  }

  const REFUSED: ReadonlyArray<readonly [what: string, content: string | Uint8Array, detail: RegExp]> = [
    ["empty", "", /empty/],
    ["a line break only", "\n", /empty/],
    ["white space only", " \n\t\n", /empty/],
    ["no UTF-8", Uint8Array.of(0x63, 0x61, 0x6e, 0x61, 0x72, 0x79, 0xc3, 0x28), /not UTF-8/],
    ["a NUL inside", "canary\0value", /NUL/],
    ["too large", "canary".padEnd(SECRET_FILE_MAX_BYTES + 1, "x"), /larger than 1 MiB/]
  ]
  for (const [what, content, detail] of REFUSED) {
    it.effect(`are refused: ${what}`, () =>
      Effect.gen(function* () {
        const { reference } = yield* written(content)
        const error = yield* refusal(`Bearer ${reference}`)
        assert.strictEqual(error.reference, reference)
        assert.match(error.detail, detail)
        assert.notInclude(inspect(error, { depth: 9 }), "canary")
      }).pipe(Effect.provide(live()))
    )
  }

  it.effect("may be in the home directory, behind a link, or have spaces in their names", () =>
    Effect.gen(function* () {
      const { directory } = yield* written("file-secret\n", "my token")
      mkdirSync(join(directory, "..data"))
      symlinkSync(join(directory, "my token"), join(directory, "..data", "link"))
      const values = yield* Effect.gen(function* () {
        return [yield* resolve("{secret://file/~/my token}!"), yield* resolve("secret://file/~/..data/link,")]
      }).pipe(Effect.provide(live({ home: directory })))
      assert.deepStrictEqual(values, ["file-secret!", "file-secret,"])
    })
  )

  it.effect("that are missing, directories or devices fail with the reason", () =>
    Effect.gen(function* () {
      const { directory, reference } = yield* written("file-secret")
      assert.match((yield* refusal(`${reference}-2`)).detail, /no such file/)
      assert.match((yield* refusal(`${reference}/deeper`)).detail, /no such file/)
      assert.match((yield* refusal(`secret://file${directory}`)).detail, /not a regular file/)
      assert.match((yield* refusal("secret://file/dev/zero")).detail, /not a regular file/)
      assert.match((yield* refusal(`${reference}#2`)).detail, /no versions/)
    }).pipe(Effect.provide(live()))
  )
})

describe("a resolved value", () => {
  it.effect("is masked by the redactor, with its encodings and the text around it", () =>
    Effect.gen(function* () {
      const { redact } = yield* Redactor
      yield* resolve("Basic secret://env/USER_NAME:secret://env/TOKEN")
      assert.strictEqual(redact("tok-1234567890"), "[REDACTED]")
      assert.strictEqual(redact("Basic alice-the-user:tok-1234567890"), "[REDACTED]")
      assert.strictEqual(
        redact(Buffer.from("alice-the-user:tok-1234567890").toString("base64url")).includes("YWxpY2U"),
        false
      )
    }).pipe(Effect.provide(live()))
  )

  it.effect("does not make the other lines of the text secret", () =>
    Effect.gen(function* () {
      yield* resolve("a perfectly ordinary line\nsecret://env/TOKEN")
      assert.strictEqual((yield* Redactor).redact("a perfectly ordinary line"), "a perfectly ordinary line")
    }).pipe(Effect.provide(live()))
  )

  it.effect("is masked also when another reference of the text fails", () =>
    Effect.gen(function* () {
      yield* refusal("secret://env/TOKEN secret://env/ABSENT")
      assert.strictEqual((yield* Redactor).redact("tok-1234567890"), "[REDACTED]")
    }).pipe(Effect.provide(live()))
  )

  it.effect("is Redacted, so that printing it does not show it", () =>
    Effect.gen(function* () {
      const value = yield* (yield* SecretResolver).resolve("fs", "secret://env/TOKEN")
      const shown = `${String(value)} ${JSON.stringify({ value })} ${inspect(value, { depth: 9, showHidden: true })}`
      assert.notInclude(shown, "tok-1234567890")
    }).pipe(Effect.provide(live()))
  )

  it.effect("is masked together with the text around it, unless it is too short", () =>
    Effect.gen(function* () {
      const { redact } = yield* Redactor
      yield* resolve("--mode=secret://env/SHORT")
      assert.strictEqual(redact("--mode=abc"), "--mode=abc")
      yield* resolve("user:secret://env/TOKEN")
      assert.strictEqual(redact("user:tok-1234567890"), "[REDACTED]")
    }).pipe(Effect.provide([live(), Logger.layer([])]))
  )

  it.effect("is foreign to every server but its own, and errors have the server's name", () =>
    Effect.gen(function* () {
      const secrets = yield* SecretResolver
      const { holdsForeign, redact } = yield* Redactor
      const [one, other] = [[], ["--other"]].map((args) =>
        ownerOf(serverConfig("fs", { kind: "stdio", command: "x", args, env: {}, cwd: undefined }))
      )
      yield* secrets.resolve(one!, "secret://env/TOKEN")
      yield* secrets.know(other!, "plain-0123456789")
      assert.deepStrictEqual(
        ["tok-1234567890", "plain-0123456789"].map((text) => [holdsForeign(text, one!), holdsForeign(text, other!)]),
        [
          [false, true],
          [true, false]
        ]
      )
      assert.strictEqual(redact("plain-0123456789"), "[REDACTED]")
      const error = yield* Effect.flip(secrets.resolve(one!, "secret://env/ABSENT"))
      assert.strictEqual(error.server, "fs")
    }).pipe(Effect.provide(live()))
  )

  it.effect("that a provider uses itself may also belong to a server", () =>
    Effect.gen(function* () {
      const { holdsForeign, register } = yield* Redactor
      register("vault-token-0123456789")
      assert.isTrue(holdsForeign("vault-token-0123456789", "fs"))
      yield* (yield* SecretResolver).know("fs", "vault-token-0123456789")
      assert.isFalse(holdsForeign("vault-token-0123456789", "fs"))
      assert.isTrue(holdsForeign("vault-token-0123456789", "web"))
    }).pipe(Effect.provide(live()))
  )

  it.effect("that is too short to be masked is warned about once, without the value", () => {
    const lines: Array<string> = []
    const capture = Logger.layer([
      Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${String(message)}`))
    ])
    return Effect.gen(function* () {
      yield* resolve("x=secret://env/SHORT")
      yield* resolve("secret://env/SHORT")
      yield* resolve("secret://env/TOKEN")
      assert.strictEqual(lines.length, 1)
      assert.match(lines[0] ?? "", /^Warn .*secret:\/\/env\/SHORT.*too short/)
      assert.notInclude(lines[0] ?? "", "abc")
    }).pipe(Effect.provide(Layer.merge(live(), capture)))
  })
})

const provider = (read: (path: string, version: string | undefined) => Effect.Effect<string, string>) =>
  live({ env: ENV, providers: { custom: { read }, env: { read: () => Effect.succeed("usurped-value") } } })

describe("providers", () => {
  it.effect("of the embedding program get the path and version, and cannot replace built-in ones", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* resolve("k=secret://custom/a/b.c#v1.2,"), "k=a/b.c at v1.2,")
      assert.strictEqual(yield* resolve("secret://env/TOKEN"), "tok-1234567890")
    }).pipe(Effect.provide(provider((path, version) => Effect.succeed(`${path} at ${version}`))))
  )

  it.effect("time out after a limited time", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(refusal("Bearer secret://custom/slow"), { startImmediately: true })
      yield* TestClock.adjust(SECRET_TIMEOUT_MS - 1)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust(1)
      const error = yield* Fiber.join(fiber)
      assert.deepInclude(error, { _tag: "SecretUnavailable", reference: "secret://custom/slow" })
      assert.match(error.detail, /no answer within 10 s/)
    }).pipe(Effect.provide(provider(() => Effect.never)))
  )

  it.effect("that fail with a defect do not reveal the value", () =>
    Effect.gen(function* () {
      const error = yield* refusal("secret://custom/x")
      assert.match(error.detail, /provider 'custom' failed/)
      assert.notInclude(inspect(error, { depth: 9 }), "canary")
    }).pipe(Effect.provide(provider(() => Effect.die(new Error("canary-value")))))
  )
})

describe("thousands of secrets", () => {
  const COUNT = 5_000
  const many = Object.fromEntries(Array.from({ length: COUNT }, (_, at) => [`MANY_${at}`, `value-${at}-of-many`]))

  /** The most that were learned in one turn of the event loop. */
  const mostInATurn = (learn: Effect.Effect<unknown, unknown, SecretResolver>) =>
    Effect.gen(function* () {
      const { version } = yield* Redactor
      const learning = yield* Effect.forkChild(learn)
      let most = 0
      while (version() < COUNT) {
        const before = version()
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        most = Math.max(most, version() - before)
      }
      yield* Fiber.join(learning)
      return most
    }).pipe(Effect.provide(live({ env: many, home: "/home/nobody" })))

  it.live("are learned in several turns of the event loop", () =>
    Effect.gen(function* () {
      const resolving = Effect.forEach(Object.keys(many), (name) => resolve(`secret://env/${name}`), {
        concurrency: "unbounded"
      })
      assert.isAtMost(yield* mostInATurn(resolving), 2 * SECRETS_LEARNED_AT_ONCE)
      const knowing = Effect.flatMap(SecretResolver, ({ know }) =>
        Effect.forEach(Object.values(many), (value) => know("fs", value))
      )
      assert.isAtMost(yield* mostInATurn(knowing), 2 * SECRETS_LEARNED_AT_ONCE)
    })
  )
})
