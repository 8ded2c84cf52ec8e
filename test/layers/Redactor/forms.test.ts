import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as RedactorLayer from "../../../src/layers/Redactor.ts"
import { Redactor } from "../../../src/services/Redactor.ts"
import { generator, type Generator } from "../../support/random.ts"

const MASK = "[REDACTED]"

const redactor = () => Effect.runSync(Redactor.pipe(Effect.provide(RedactorLayer.layer)))

// ---- the forms of the contract -----------------------------------------------------------------------------------------

const utf8 = (text: string) => Buffer.from(text, "utf8")
const hexOf = (code: number, digits: number) => code.toString(16).padStart(digits, "0")
const eachByte = (text: string, show: (byte: number) => string, separator = "") =>
  [...utf8(text)].map(show).join(separator)
const eachUnit = (text: string, show: (unit: number) => string) =>
  Array.from({ length: text.length }, (_, index) => show(text.charCodeAt(index))).join("")
const json = (text: string) => JSON.stringify(text).slice(1, -1)
const inLines = (text: string, width: number, lineBreak: string) =>
  text.replace(new RegExp(`.{${width}}(?!$)`, "gs"), `$&${lineBreak}`)
const html = (text: string, escapes: Readonly<Record<string, string>>) =>
  text.replace(/[&<>"'`=/]/g, (char) => escapes[char] ?? char)

/** How a value comes back in the middle of a text. Each may be told only of values that it can be told of. */
const FORMS: Readonly<Record<string, (value: string) => string>> = {
  "as it is": (value) => value,
  "read as Latin-1": (value) => utf8(value).toString("latin1"),
  base64: (value) => utf8(value).toString("base64"),
  "base64 without padding": (value) => utf8(value).toString("base64").replace(/=+$/, ""),
  base64url: (value) => utf8(value).toString("base64url"),
  "base64 of Latin-1": (value) => Buffer.from(value, /[^\x00-\xff]/.test(value) ? "utf8" : "latin1").toString("base64"),
  "base64 with one character escaped": (value) => {
    const encoded = utf8(value).toString("base64")
    const middle = encoded.length >> 1
    return `${encoded.slice(0, middle)}%${hexOf(encoded.charCodeAt(middle), 2)}${encoded.slice(middle + 1)}`
  },
  "base64 of credentials": (value) => utf8(`user:${value}`).toString("base64"),
  "base64 of a file": (value) => utf8(`{"key":${JSON.stringify("x")},\n"y":"${value}"}`).toString("base64"),
  "base64 in lines": (value) =>
    inLines(utf8(`${".".repeat(50)} ${value} ${"~".repeat(50)}`).toString("base64"), 76, "\n"),
  "base64 in lines of JSON": (value) =>
    json(inLines(utf8(`${".".repeat(51)} ${value} ${"~".repeat(50)}`).toString("base64"), 60, "\n")),
  "base64 in lines of a mail": (value) =>
    inLines(utf8(`${".".repeat(52)} ${value} ${"~".repeat(50)}`).toString("base64"), 76, "\r\n"),
  "base64 in lines of YAML": (value) =>
    inLines(utf8(`${".".repeat(52)} ${value} ${"~".repeat(50)}`).toString("base64"), 64, "\n    "),
  hex: (value) => utf8(value).toString("hex"),
  "hex in capitals": (value) => utf8(value).toString("hex").toUpperCase(),
  "URL-encoded": (value) => encodeURIComponent(value),
  "URL-encoded in small letters": (value) =>
    encodeURIComponent(value).replace(/%../g, (escape) => escape.toLowerCase()),
  "URL-encoded twice": (value) => encodeURIComponent(encodeURIComponent(value)),
  "URL-encoded wholly": (value) => eachByte(value, (byte) => `%${hexOf(byte, 2)}`),
  "URL-encoded wholly, twice": (value) => eachByte(value, (byte) => `%25${hexOf(byte, 2).toUpperCase()}`),
  "form-encoded": (value) => new URLSearchParams({ k: value }).toString().slice(2),
  "form-encoded, then URL-encoded": (value) => encodeURIComponent(new URLSearchParams({ k: value }).toString()),
  JSON: (value) => json(value),
  "JSON, twice": (value) => json(json(value)),
  "JSON beyond ASCII": (value) => json(value).replace(/[^\x00-\x7f]/g, (unit) => `\\u${hexOf(unit.charCodeAt(0), 4)}`),
  "JSON of Go": (value) => json(value).replace(/[<>&]/g, (unit) => `\\u${hexOf(unit.charCodeAt(0), 4)}`),
  "JSON of PHP": (value) => json(value).replaceAll("/", "\\/"),
  "JSON of PHP, twice": (value) => json(json(value).replaceAll("/", "\\/")).replaceAll("/", "\\/"),
  "units of JSON": (value) => eachUnit(value, (unit) => `\\u${hexOf(unit, 4)}`),
  "units of JSON, twice": (value) => json(eachUnit(value, (unit) => `\\u${hexOf(unit, 4).toUpperCase()}`)),
  "JSON in a page": (value) => html(json(value), { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;" }),
  "bytes of C": (value) => eachByte(value, (byte) => `\\x${hexOf(byte, 2)}`),
  "octal bytes": (value) => eachByte(value, (byte) => `\\${byte.toString(8).padStart(3, "0")}`),
  "code points of JavaScript": (value) =>
    Array.from(value, (char) => `\\u{${char.codePointAt(0)!.toString(16)}}`).join(""),
  "HTML of Python": (value) => html(value, { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;" }),
  "HTML of Go": (value) => html(value, { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;", "'": "&#39;" }),
  "HTML of PHP": (value) => html(value, { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#039;" }),
  "HTML of templates": (value) =>
    html(value, {
      "&": "&amp;",
      "<": "&lt;",
      ">": "&gt;",
      '"': "&quot;",
      "'": "&#39;",
      "/": "&#x2F;",
      "`": "&#x60;",
      "=": "&#x3D;"
    }),
  XML: (value) => html(value, { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" }),
  "HTML by number": (value) => Array.from(value, (char) => `&#${char.codePointAt(0)};`).join(""),
  "HTML by number in hex": (value) => Array.from(value, (char) => `&#x${char.codePointAt(0)!.toString(16)};`).join(""),
  "HTML by number, within HTML": (value) => Array.from(value, (char) => `&amp;#${char.codePointAt(0)};`).join(""),
  "within single quotes of a shell": (value) => value.replaceAll("'", "'\\''"),
  "quoted-printable": (value) =>
    eachByte(value, (byte) =>
      byte === 0x3d || byte > 0x7e || byte < 0x20 ? `=${hexOf(byte, 2).toUpperCase()}` : String.fromCharCode(byte)
    ).replace(/=0D|=0A|=09/g, (escape) => ({ "=0D": "\r", "=0A": "\n" })[escape] ?? "\t"),
  "Python in single quotes": (value) => json(value).replaceAll('\\"', '"').replaceAll("'", "\\'")
}

/** Of few bytes nothing is said. */
const LISTS: Readonly<Record<string, (value: string) => string>> = {
  "hex with spaces": (value) => eachByte(value, (byte) => hexOf(byte, 2), " "),
  "hex with colons, in capitals": (value) => eachByte(value, (byte) => hexOf(byte, 2).toUpperCase(), ":"),
  "hex with hyphens": (value) => eachByte(value, (byte) => hexOf(byte, 2), "-"),
  "hex in pairs": (value) => utf8(value).toString("hex").replace(/..../g, "$& "),
  "numbers of C": (value) => eachByte(value, (byte) => `0x${hexOf(byte, 2)}`, ", "),
  "a list of numbers": (value) => JSON.stringify([...utf8(value)]),
  "a list of numbers with spaces": (value) => [...utf8(value)].join(", "),
  "a list of numbers, indented": (value) => JSON.stringify([...utf8(value)], null, 2)
}

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
const ROUNDS = 4
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
    it(`of values of ${alphabet}, 6 to 5000 characters long`, () => {
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
  it("come back as the same string", () => {
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
