import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as RedactorLayer from "../../src/layers/Redactor.ts"
import { Redactor } from "../../src/services/Redactor.ts"

const MASK = "[REDACTED]"
const VALUE = 'p@ss/w+rd & "Grüße" <1>?\'`'
const bytes = Buffer.from(VALUE, "utf8")

/** How a value comes back from a server that was given it, and what is left of it once it is masked. */
const ECHOES: Record<string, string> = {
  "as it is": VALUE,
  "with white space around": `  ${VALUE}\n`,
  "URL-encoded": encodeURIComponent(VALUE),
  "URL-encoded with small letters": encodeURIComponent(VALUE).replace(/%../g, (escape) => escape.toLowerCase()),
  "URL-encoded without reserved characters": encodeURI(VALUE),
  "URL-encoded by the letter of the RFC": encodeURIComponent(VALUE).replace(/'/g, "%27"),
  "form-encoded": new URLSearchParams({ key: VALUE }).toString().slice("key=".length),
  "JSON-escaped": JSON.stringify(VALUE).slice(1, -1),
  "JSON-escaped beyond ASCII": JSON.stringify(VALUE).slice(1, -1).replace("ü", "\\u00fc").replace("ß", "\\u00df"),
  "JSON-escaped with slashes": JSON.stringify(VALUE).slice(1, -1).replaceAll("/", "\\/"),
  "HTML-escaped": "p@ss/w+rd &amp; &quot;Grüße&quot; &lt;1&gt;?&#39;`",
  base64: bytes.toString("base64"),
  "base64 without padding": bytes.toString("base64").replace(/=+$/, ""),
  base64url: bytes.toString("base64url"),
  hex: bytes.toString("hex"),
  "hex in capitals": bytes.toString("hex").toUpperCase()
}

layer(RedactorLayer.layer)("a registered value is masked", (it) => {
  for (const [how, echo] of Object.entries(ECHOES)) {
    it.effect(how, () =>
      Effect.gen(function* () {
        const { redact, register } = yield* Redactor
        assert.isTrue(register(VALUE))
        assert.strictEqual(redact(`got '${echo.trim()}', ok`), `got '${MASK}', ok`)
      })
    )
  }

  for (const [alignment, prefix] of ["", "u", "us"].entries()) {
    for (const encoding of ["base64", "base64url"] as const) {
      it.effect(`inside a longer ${encoding} text, at offset ${alignment}`, () =>
        Effect.gen(function* () {
          const { redact, register } = yield* Redactor
          register(">>>???opensesame-1234")
          const whole = Buffer.from(`${prefix}>>>???opensesame-1234:tail~~`).toString(encoding)
          const masked = redact(`Basic ${whole}`)
          assert.include(masked, MASK)
          const rest = masked.slice("Basic ".length).split(MASK)
          // At most the two characters that the neighbours share with the value are left on each side.
          const kept = rest.map((part) => Buffer.from(part, encoding).toString("latin1")).join(" ")
          assert.notMatch(kept, /open|sesa|same|1234/)
        })
      )
    }
  }
})

layer(RedactorLayer.layer)("a value of several lines is masked", (it) => {
  const pem = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC\nab\n-----END PRIVATE KEY-----\n"

  it.effect("whole, and line by line however the lines are broken", () =>
    Effect.gen(function* () {
      const { redact, register } = yield* Redactor
      register(pem)
      assert.strictEqual(redact(`key:\n${pem}`), `key:\n${MASK}\n`)
      assert.strictEqual(redact("a MIIEvQIBADANBgkq\r\n  hkiG9w0BAQEFAASC b"), `a ${MASK}\r\n  ${MASK} b`)
      assert.notInclude(redact(JSON.stringify({ pem })), "MIIE")
      assert.notInclude(redact(Buffer.from("hkiG9w0BAQEFAASC").toString("hex")), "686b")
    })
  )

  it.effect("but not the lines that everyone knows, nor tiny ones", () =>
    Effect.gen(function* () {
      const { redact, register } = yield* Redactor
      register(pem)
      for (const text of ["-----BEGIN PRIVATE KEY-----", "ab", "cab"]) assert.strictEqual(redact(text), text)
    })
  )
})

layer(RedactorLayer.layer)("Redactor", (it) => {
  it.effect("gives the same text back when there is nothing to mask", () =>
    Effect.gen(function* () {
      const { redact, register } = yield* Redactor
      assert.strictEqual(redact("nothing is known yet"), "nothing is known yet")
      register("some-secret-value")
      for (const text of ["", "short", "some-secret-valu", "ome-secret-value"]) assert.strictEqual(redact(text), text)
    })
  )

  it.effect("says of a value that is too short or blank that it is not masked", () =>
    Effect.gen(function* () {
      const { redact, register } = yield* Redactor
      for (const value of ["", "abc", "true", "12345", "   12345   ", "          ", "\n\n\n\n\n\n\n"])
        assert.isFalse(register(value))
      assert.isTrue(register("123456"))
      assert.strictEqual(redact("abc true 12345           123456"), `abc true 12345           ${MASK}`)
    })
  )

  it.effect("does not mask its own mask", () =>
    Effect.gen(function* () {
      const { redact, register } = yield* Redactor
      assert.isFalse(register("REDACTED"))
      assert.strictEqual(redact(MASK), MASK)
    })
  )

  it.effect("masks the longest of the values that start at one place", () =>
    Effect.gen(function* () {
      const { redact, register } = yield* Redactor
      for (const value of ["token-a", "token-abcdef", "token-abc"]) register(value)
      assert.strictEqual(redact("token-abcdef token-abcde token-ab"), `${MASK} ${MASK}de ${MASK}b`)
    })
  )

  it.effect("leaves no tail of values that overlap", () =>
    Effect.gen(function* () {
      const { redact, register } = yield* Redactor
      for (const value of ["first-part", "part-second", "second-third"]) register(value)
      assert.strictEqual(redact("<first-part-second-third>"), `<${MASK}>`)
      assert.strictEqual(redact("<first-partpart-second>"), `<${MASK}${MASK}>`)
    })
  )

  it.effect("masks every occurrence, at the very beginning and end too", () =>
    Effect.gen(function* () {
      const { redact, register } = yield* Redactor
      register("aaaaaaaa")
      register("hunter2-hunter2")
      assert.strictEqual(redact("hunter2-hunter2 x hunter2-hunter2"), `${MASK} x ${MASK}`)
      assert.strictEqual(redact("a".repeat(20)), `${MASK}${MASK}aaaa`)
    })
  )

  it.effect("does not look before the beginning of a text", () =>
    Effect.gen(function* () {
      const { redact, register } = yield* Redactor
      register("\0".repeat(8))
      assert.strictEqual(redact(`${"\0".repeat(8)}x`), `${MASK}x`)
    })
  )

  it.effect("knows a value in any script and with halves of characters in it", () =>
    Effect.gen(function* () {
      const { redact, register } = yield* Redactor
      for (const value of ["пароль-секрет", "密码密码密码密码", "🔑🔑🔑🔑", "half\ud800secret"]) {
        assert.isTrue(register(value))
        assert.strictEqual(redact(`x${value}y`), `x${MASK}y`)
      }
      assert.strictEqual(redact("xhalf\ufffdsecrety"), `x${MASK}y`)
    })
  )

  it.effect("masks a very long value, and long parts of it", () =>
    Effect.gen(function* () {
      const { redact, register } = yield* Redactor
      // No two parts are alike, and characters of two units stand at every possible cut.
      const value = Array.from({ length: 40_000 }, (_, index) => `${index.toString(36)}🔑`).join("")
      register(value)
      assert.match(redact(`<${value}>`), /^<(?:\[REDACTED\])+>$/)
      const part = redact(value.slice(50_000, 80_000))
      assert.isAtMost(part.replaceAll(MASK, "").length, 2 * 5000)
      assert.notMatch(redact(encodeURIComponent(value)), /%F0%9F%94%91/)
    })
  )

  it.effect("masks a very long value that is one character again and again", () =>
    Effect.gen(function* () {
      const { redact, register } = yield* Redactor
      const value = `${"x".repeat(1024 * 1024)}y`
      register(value)
      assert.match(redact(value), /^(?:\[REDACTED\])+$/)
    })
  )

  it.effect("masks a value of very many lines by its lines", () =>
    Effect.gen(function* () {
      const { redact, register } = yield* Redactor
      const lines = Array.from({ length: 5000 }, (_, index) => `line-${index}-secret`)
      register(lines.join("\n"))
      assert.strictEqual(redact(`a ${lines[0]} b ${lines[4999]} c`), `a ${MASK} b ${MASK} c`)
    })
  )

  it.effect("keeps many values apart", () =>
    Effect.gen(function* () {
      const { redact, register } = yield* Redactor
      const values = Array.from({ length: 300 }, (_, index) => `value-${index * 7919}-of-many`)
      for (const value of values) register(value)
      const text = values.map((value) => `k=${Buffer.from(value).toString("hex")};${value}`).join("\n")
      assert.strictEqual(redact(text), values.map(() => `k=${MASK};${MASK}`).join("\n"))
    })
  )

  it.effect.prop(
    "whatever value stands in whatever text is gone, and the rest stays",
    [Schema.String, Schema.String, Schema.String],
    ([value, before, after]) =>
      Effect.gen(function* () {
        const { redact, register } = yield* Redactor
        const secret = `s3cr3t-${value}-k3y`
        register(secret)
        const masked = redact(`${before}|${secret}|${after}`)
        assert.notInclude(masked, secret)
        assert.isTrue(masked.includes(`|${MASK}|`))
      })
  )
})
