import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as RedactorLayer from "../../../../src/layers/content/Redactor.ts"
import { Redactor } from "../../../../src/services/content/Redactor.ts"
import { inFull } from "../../../support/full.ts"
import { generator, type Generator } from "../../../support/random.ts"
import { FORMS, LISTS, utf8 } from "../../../support/secretForms.ts"

const MASK = "[REDACTED]"

const redactor = () => Effect.runSync(Redactor.pipe(Effect.provide(RedactorLayer.layer)))

// ---- values ------------------------------------------------------------------------------------------------------------

const ALPHABETS: Readonly<Record<string, string>> = {
  letters: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
  base64: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=",
  base64url: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
  punctuation: "abc123!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
  quotes: "ab\"'\\/`%",
  escapes: "%4127\\nux0&#;lt=ampquo",
  lines: "abcdefgh0123456789\"'\n",
  unicode: "aüßéñ中文пароль🔑🎉€",
  latin: "abcüßéñÿ&\"'"
}

/** What stands in something longer, of which something is left. */
const EMBEDDED = /credentials|file|in lines|form-encoded, then/
const ROUNDS = inFull(4, 1)
const LENGTHS = [6, 7, 8, 9, 11, 16, 24, 40, 63, 100, 255, 256, 257, 600, 1700, 4096, 5000]

const textOf = (chars: ReadonlyArray<string>, length: number, { pick }: Generator) => {
  let text = ""
  while (text.length < length) text += pick(chars)
  return text
}

/** Not beginning or ending in white space, which is no part of a value. */
const valueOf = (alphabet: string, length: number, random: Generator): string => {
  const chars = Array.from(ALPHABETS[alphabet]!)
  const solid = chars.filter((char) => char.trim() !== "")
  return random.pick(solid) + textOf(chars, length - 2, random) + random.pick(solid)
}

/** A little of everything, but nothing that a value could merge with. */
const WORDS = [
  "The",
  "key",
  '{"a":1}',
  "50%",
  "a&b",
  "x\\y",
  "line\n",
  "→",
  "Ω",
  "<b>",
  "0x",
  "=",
  "ok.",
  "12, 13",
  "\ttab"
]

const surroundings = (random: Generator): string =>
  `${textOf(
    WORDS.map((word) => `${word} `),
    60,
    random
  )} `

/** Whether six characters of the value in a row can be read in a text, as they are or from base64 or hex. */
const canBeRead = (value: string, text: string): boolean => {
  const known = utf8(value).toString("latin1")
  const readings = text
    .split(MASK)
    .flatMap((part) => [
      utf8(part).toString("latin1"),
      ...[0, 1, 2, 3].map((from) => Buffer.from(part.replace(/\s|\\n/g, "").slice(from), "base64").toString("latin1")),
      ...[0, 1].map((from) => Buffer.from(part.slice(from), "hex").toString("latin1")),
      decodeURIComponent(part.replace(/%(?![0-9a-f]{2})/gi, "%25").replace(/%[89a-f]./gi, "?"))
    ])
  const left = readings.filter((reading) => reading.length >= 6)
  for (let at = 0; at + 6 <= known.length; at++) {
    const piece = known.slice(at, at + 6)
    if (piece.trim().length === 6 && left.some((reading) => reading.includes(piece))) return true
  }
  return false
}

describe("Redactor: every form of the contract", () => {
  for (const [seed, alphabet] of Object.keys(ALPHABETS).entries()) {
    it(`is masked for values of ${alphabet}, 6 to 5000 characters long`, () => {
      const random = generator(seed)
      for (const length of LENGTHS) {
        for (let round = 0; round < (length < 300 ? ROUNDS : 1); round++) {
          const value = valueOf(alphabet, length, random)
          const { redact, register } = redactor()
          assert.isTrue(register(value))
          const forms = Object.entries(utf8(value).length < 8 ? FORMS : { ...FORMS, ...LISTS })
          for (const [name, form] of forms) {
            const [before, after] = [surroundings(random), surroundings(random)]
            const masked = redact(`${before}"${form(value)}"${after}`)
            const shown = `${name} of ${JSON.stringify(value.slice(0, 100))}: ${masked.slice(0, 1000)}`
            assert.isTrue(masked.startsWith(`${before}"`) && masked.endsWith(`"${after}`), shown)
            const inside = masked.slice(before.length + 1, -after.length - 1)
            assert.include(inside, MASK, shown)
            assert.isFalse(canBeRead(value, inside), shown)
            // A line of a few characters is left where only the others are found.
            if (!EMBEDDED.test(name) && !value.includes("\n"))
              assert.isAtMost(inside.replaceAll(MASK, "").length, 4 * inside.split(MASK).length, shown)
            assert.strictEqual(redact(masked), masked, shown)
          }
        }
      }
    })
  }
})

describe("Redactor: texts without a known value", () => {
  it("are returned unchanged", () => {
    const random = generator(7)
    const { redact, register } = redactor()
    for (const alphabet of Object.keys(ALPHABETS))
      for (const length of LENGTHS.slice(2)) register(valueOf(alphabet, length, random))
    for (let round = 0; round < 2_000; round++) {
      const alphabet = random.pick(Object.keys(ALPHABETS))
      const form = random.pick(Object.values({ ...FORMS, ...LISTS }))
      const text = surroundings(random) + form(valueOf(alphabet, 8 + random.below(300), random)) + surroundings(random)
      assert.strictEqual(redact(text), text)
    }
  })
})
