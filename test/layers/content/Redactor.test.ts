import { assert, describe, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as RedactorLayer from "../../../src/layers/content/Redactor.ts"
import { SECRETS_RELEASED_MAX } from "../../../src/schemas/defaults/Secrets.ts"
import { Redactor } from "../../../src/services/content/Redactor.ts"

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

  it.effect("as a whole, and by its lines with any line breaks", () =>
    Effect.gen(function* () {
      const { redact, register } = yield* Redactor
      register(pem)
      assert.strictEqual(redact(`key:\n${pem}`), `key:\n${MASK}\n`)
      assert.strictEqual(redact("a MIIEvQIBADANBgkq\r\n  hkiG9w0BAQEFAASC b"), `a ${MASK}\r\n  ${MASK} b`)
      assert.notInclude(redact(JSON.stringify({ pem })), "MIIE")
      assert.notInclude(redact(Buffer.from("hkiG9w0BAQEFAASC").toString("hex")), "686b")
    })
  )

  it.effect("without its PEM header and tiny lines", () =>
    Effect.gen(function* () {
      const { redact, register } = yield* Redactor
      register(pem)
      for (const text of ["-----BEGIN PRIVATE KEY-----", "ab", "cab"]) assert.strictEqual(redact(text), text)
    })
  )
})

layer(RedactorLayer.layer)("Redactor", (it) => {
  it.effect("returns the same text when it contains no known value", () =>
    Effect.gen(function* () {
      const { redact, register } = yield* Redactor
      assert.strictEqual(redact("nothing is known yet"), "nothing is known yet")
      register("some-secret-value")
      for (const text of ["", "short", "some-secret-valu", "ome-secret-value"]) assert.strictEqual(redact(text), text)
    })
  )

  it.effect("returns false for a value that is too short or blank, and does not mask it", () =>
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

  it.effect("masks the longest value that starts at a place", () =>
    Effect.gen(function* () {
      const { redact, register } = yield* Redactor
      for (const value of ["token-a", "token-abcdef", "token-abc"]) register(value)
      assert.strictEqual(redact("token-abcdef token-abcde token-ab"), `${MASK} ${MASK}de ${MASK}b`)
    })
  )

  it.effect("leaves no tail of overlapping values", () =>
    Effect.gen(function* () {
      const { redact, register } = yield* Redactor
      for (const value of ["first-part", "part-second", "second-third"]) register(value)
      assert.strictEqual(redact("<first-part-second-third>"), `<${MASK}>`)
      assert.strictEqual(redact("<first-partpart-second>"), `<${MASK}${MASK}>`)
    })
  )

  it.effect("masks every occurrence, also at the beginning and at the end", () =>
    Effect.gen(function* () {
      const { redact, register } = yield* Redactor
      register("aaaaaaaa")
      register("hunter2-hunter2")
      assert.strictEqual(redact("hunter2-hunter2 x hunter2-hunter2"), `${MASK} x ${MASK}`)
      assert.strictEqual(redact("a".repeat(20)), `${MASK}${MASK}aaaa`)
    })
  )

  it.effect("masks a value of NUL characters at the beginning of a text", () =>
    Effect.gen(function* () {
      const { redact, register } = yield* Redactor
      register("\0".repeat(8))
      assert.strictEqual(redact(`${"\0".repeat(8)}x`), `${MASK}x`)
    })
  )

  it.effect("masks values in any script, and with lone surrogates", () =>
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

  it.effect("masks a very long value of one repeated character", () =>
    Effect.gen(function* () {
      const { redact, register } = yield* Redactor
      const value = `${"x".repeat(1024 * 1024)}y`
      register(value)
      assert.match(redact(value), /^(?:\[REDACTED\])+$/)
    })
  )

  it.effect("masks a value of 5000 lines by its lines", () =>
    Effect.gen(function* () {
      const { redact, register } = yield* Redactor
      const lines = Array.from({ length: 5000 }, (_, index) => `line-${index}-secret`)
      register(lines.join("\n"))
      assert.strictEqual(redact(`a ${lines[0]} b ${lines[4999]} c`), `a ${MASK} b ${MASK} c`)
    })
  )

  it.effect("masks each of 300 values", () =>
    Effect.gen(function* () {
      const { redact, register } = yield* Redactor
      const values = Array.from({ length: 300 }, (_, index) => `value-${index * 7919}-of-many`)
      for (const value of values) register(value)
      const text = values.map((value) => `k=${Buffer.from(value).toString("hex")};${value}`).join("\n")
      assert.strictEqual(redact(text), values.map(() => `k=${MASK};${MASK}`).join("\n"))
    })
  )

  it.effect.prop(
    "any value in any text is masked, and the rest stays",
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

layer(RedactorLayer.layer)("Redactor: what is put together", (it) => {
  it.effect("a mask is never part of a value, and masking twice changes nothing", () =>
    Effect.gen(function* () {
      const { redact, register } = yield* Redactor
      for (const value of ["first-value", "D]after-it", "before[RED"]) register(value)
      for (const text of ["first-valueafter-it", "beforefirst-value", `${MASK}after-it before${MASK}`]) {
        const masked = redact(text)
        assert.strictEqual(redact(masked), masked)
        assert.include(masked, MASK)
      }
      assert.strictEqual(redact("first-valueafter-it"), `${MASK}after-it`)
    })
  )

  it.effect("each list of bytes is masked, and the text between lists stays", () =>
    Effect.gen(function* () {
      const { redact, register } = yield* Redactor
      register("a-secret-value")
      register("bbb-secret-value")
      const [a, b] = ["a-secret-value", "bbb-secret-value"].map((value) => Buffer.from(value))
      // The first begins in hex and goes on in decimal numbers.
      assert.strictEqual(
        redact(`${[...a!].map((byte) => byte.toString(16)).join(", ")}, ${[...b!].join(", ")}`),
        `${MASK}, ${MASK}`
      )
      const text = `[1, 2, ${[...a!].join(", ")}, 3] and ${b!.toString("hex").replace(/../g, "$& ")}- [${[...b!].join(",")}]`
      assert.strictEqual(redact(text), `[1, 2, ${MASK}, 3] and ${MASK} - [${MASK}]`)
    })
  )

  it.effect("a value that contains a mask is refused", () =>
    Effect.gen(function* () {
      const { register } = yield* Redactor
      for (const value of [MASK, `Bearer ${MASK}`, "REDACTED"]) assert.isFalse(register(value))
    })
  )

  it.effect("tiny lines of a value are not masked in escaped or encoded form", () =>
    Effect.gen(function* () {
      const { redact, register } = yield* Redactor
      register("a long first line\n'\n\"\nabc\nanother line of it")
      for (const text of ["&#x27;", "&quot;", "616263", "%22%22", "YWJjYWJj"]) assert.strictEqual(redact(text), text)
    })
  )

  it.effect("a value is masked in mixed and nested escapes", () =>
    Effect.gen(function* () {
      const { redact, register } = yield* Redactor
      register('p4ss w0rd/+"x')
      const told = [
        "p4ss%20w0rd\\u002f+&quot;x",
        "%70\\x34ss&#32;w0rd/&#x2b;\\u{22}x",
        'p4ss w0rd\\/+\\"x',
        'p4ss w0rd\\\\\\/+\\\\\\"x',
        'p4s\u200bs w0rd/\u2060+"x',
        'p4ss w0rd/=\r\n+"x',
        "\\\\u0070\\\\u0034ss w0rd/+\\\\u0022x",
        "p4ss%2520w0rd%252F%252B%2522x"
      ]
      for (const text of told) assert.strictEqual(redact(`<${text}>`), `<${MASK}>`, text)
    })
  )
})

layer(RedactorLayer.layer)("Redactor: a value that was replaced by another", (it) => {
  it.effect("stays masked, and keeps its owner", () =>
    Effect.gen(function* () {
      const { holdsForeign, redact, register } = yield* Redactor
      register("token-of-monday-1234", "web")
      register("token-of-tuesday-5678", "web")
      assert.strictEqual(redact("token-of-monday-1234, token-of-tuesday-5678"), `${MASK}, ${MASK}`)
      for (const value of ["token-of-monday-1234", "token-of-tuesday-5678"]) {
        assert.isFalse(holdsForeign(value, "web"))
        assert.isTrue(holdsForeign(value, "other"))
      }
    })
  )
})

layer(RedactorLayer.layer)("Redactor: a value that is broken by what cannot be seen", (it) => {
  it.effect("is masked, for each kind of such character", () =>
    Effect.gen(function* () {
      const { redact, register } = yield* Redactor
      register("opensesame-1234")
      for (const char of ["\0", "\x07", "\x7f", "\u034f", "\u115f", "\u180e", "\u202e", "\u2066", "\u3164", "\ufe0f"]) {
        assert.strictEqual(redact(`<open${char}sesame${char}${char}-1234>`), `<${MASK}>`, JSON.stringify(char))
      }
      assert.strictEqual(redact("<open\u{e0041}sesame-\u{e0100}1234>"), `<${MASK}>`)
      const others = "open\u{1f600}sesame-1234 open sesame-1234 open\tsesame-1234"
      assert.strictEqual(redact(others), others)
    })
  )
})

describe("Redactor: owners", () => {
  const redactorWith = (...values: ReadonlyArray<readonly [value: string, owner?: string]>) => {
    const redactor = Effect.runSync(Redactor.pipe(Effect.provide(RedactorLayer.layer)))
    for (const [value, owner] of values) redactor.register(value, owner)
    return redactor
  }
  const A = "aaa-secret-of-a-111"
  const B = "bbb-secret-of-b-222"

  it("a text is foreign to all but the owner of the value in it", () => {
    const { holdsForeign } = redactorWith([A, "a"], [B, "b"])
    assert.deepStrictEqual(
      ["a", "b", "c", ""].map((owner) => holdsForeign(`x ${A} y`, owner)),
      [false, true, true, true]
    )
    assert.isTrue(holdsForeign(`${A} ${B}`, "a"))
    assert.isTrue(holdsForeign(`${A} ${B}`, "b"))
    assert.isFalse(holdsForeign("nothing", "c"))
  })

  it("a value without an owner is foreign to all, until it gets one", () => {
    const redactor = redactorWith([A])
    assert.isTrue(redactor.holdsForeign(A, "a"))
    redactor.register(A, "a")
    assert.isFalse(redactor.holdsForeign(A, "a"))
    assert.isTrue(redactor.holdsForeign(A, "b"))
    redactor.register(A)
    assert.isFalse(redactor.holdsForeign(A, "a"))
  })

  it("a value may have several owners", () => {
    const { holdsForeign } = redactorWith([A, "a"], [A, "b"])
    assert.deepStrictEqual(
      ["a", "b", "c"].map((owner) => holdsForeign(A, owner)),
      [false, false, true]
    )
  })

  it("every form of a value is foreign to others, and none to its owner", () => {
    const { holdsForeign } = redactorWith(['p@ss/w+rd & "Grüße" <1>?\'`', "a"])
    const undone = ["p@ss%2Fw%2Brd%20%26 &quot;Gr\\u00fc\\xdfe&#34; <1>?&#x27;`", [...bytes].join(", ")]
    for (const echo of [...Object.values(ECHOES), ...undone]) {
      assert.isTrue(holdsForeign(`<${echo}>`, "b"), echo)
      assert.isFalse(holdsForeign(`<${echo}>`, "a"), echo)
    }
  })

  it("another's value inside one's own is not foreign, but beside it is", () => {
    const url = `postgres://app:${B}@host/db`
    const { holdsForeign } = redactorWith([url, "a"], [B, "b"])
    for (const form of [url, encodeURIComponent(url), Buffer.from(url).toString("base64"), JSON.stringify(url)]) {
      assert.isFalse(holdsForeign(`x ${form} y`, "a"), form)
      assert.isTrue(holdsForeign(`x ${form} y`, "b"), form)
    }
    assert.isTrue(holdsForeign(B, "a"))
    assert.isTrue(holdsForeign(`${url} ${B}`, "a"))
    assert.isTrue(holdsForeign(`${B} ${url}`, "a"))
    assert.isFalse(holdsForeign(B, "b"))
  })

  it("a value that overlaps one's own is foreign unless it lies wholly inside one of them", () => {
    const { holdsForeign } = redactorWith(["first-part", "a"], ["part-second", "b"], ["second-third", "a"])
    assert.isTrue(holdsForeign("first-part-second-third", "a"))
    assert.isFalse(holdsForeign("first-part second-third", "a"))
    const adjacent = redactorWith(["first-", "a"], ["second", "a"], ["first-second", "b"])
    assert.isTrue(adjacent.holdsForeign("first-second", "a"))
    assert.isFalse(adjacent.holdsForeign("first-second", "b"))
  })

  it("a line that two values share belongs to the owners of both", () => {
    const { holdsForeign } = redactorWith(["l1ne-in-common\nl1ne-of-a", "a"], ["l1ne-in-common\nl1ne-of-b", "b"])
    for (const owner of ["a", "b"]) assert.isFalse(holdsForeign("l1ne-in-common", owner))
    assert.isTrue(holdsForeign("l1ne-in-common", "c"))
    assert.isTrue(holdsForeign("l1ne-of-a", "b"))
  })

  it("a value and a longer one that begins with it keep their own owners", () => {
    const { holdsForeign } = redactorWith(["token-abc", "a"], ["token-abcdef", "b"])
    assert.isFalse(holdsForeign("token-abc", "a"))
    assert.isTrue(holdsForeign("token-abcdef", "a"))
    assert.isFalse(holdsForeign("token-abcdef", "b"))
    assert.isTrue(holdsForeign("token-abc", "b"))
  })

  it("a value is foreign to none once its last owner releases it, and stays masked", () => {
    const redactor = redactorWith([A, "a"], [A, "b"], [B, "b"], [B])
    redactor.release("b")
    assert.isTrue(redactor.holdsForeign(A, "c"))
    assert.isTrue(redactor.holdsForeign(B, "c"))
    redactor.release("a")
    assert.isFalse(redactor.holdsForeign(A, "c"))
    assert.strictEqual(redactor.redact(A), MASK)
    redactor.register(A, "d")
    assert.isTrue(redactor.holdsForeign(A, "c"))
  })

  it("the oldest released values are forgotten, and no others", () => {
    const redactor = redactorWith([A, "a"], [B])
    const of = (index: number) => `released-value-${index}-x`
    for (let index = 0; index < 2 * SECRETS_RELEASED_MAX; index++) {
      redactor.register(of(index), "gone")
      redactor.release("gone")
    }
    assert.strictEqual(redactor.redact(of(0)), of(0))
    assert.strictEqual(redactor.redact(of(2 * SECRETS_RELEASED_MAX - 1)), MASK)
    assert.strictEqual(redactor.redact(`${A} ${B}`), `${MASK} ${MASK}`)
    assert.isTrue(redactor.holdsForeign(A, "c"))
  })

  it("a value registered as not guarded is masked, and foreign to none", () => {
    const redactor = redactorWith()
    redactor.register(A, "a", { guarded: false })
    assert.isFalse(redactor.holdsForeign(A, "b"))
    assert.strictEqual(redactor.redact(A), MASK)
    redactor.register(A, "c")
    assert.isTrue(redactor.holdsForeign(A, "b"))
  })

  it("nothing is foreign without known values, or with only too short ones", () => {
    const redactor = redactorWith(["12345", "a"])
    assert.isTrue(redactor.isEmpty())
    assert.isFalse(redactor.holdsForeign("12345", "b"))
    redactor.register(A)
    assert.isFalse(redactor.isEmpty())
  })
})
