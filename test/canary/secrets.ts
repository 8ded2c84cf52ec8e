/**
 * One secret for each slot that a configuration has, and the forms in which servers give them back. The forms are spelled
 * here once more, on purpose: what the run searches for must not depend on what it tests.
 */
import { randomBytes } from "node:crypto"

/** What a secret may hold where it stands. */
const LETTERS = { any: "+/&\"<é%='\\", header: "+/&\"<%='", url: "-._~" } as const

export const SLOTS = {
  env: "any",
  lines: "any",
  arg: "any",
  // No reference: a variable that was put into the configuration.
  literal: "any",
  header: "header",
  url: "url",
  bearer: "url",
  clientSecret: "url",
  // Nobody writes it down: an authorization server gives it.
  accessToken: "url",
  model: "url"
} as const satisfies Record<string, keyof typeof LETTERS>
export type Slot = keyof typeof SLOTS

const fresh = (slot: Slot): string => {
  // What an authorization server chose is a secret only if it looks random.
  const word = () => randomBytes(slot === "accessToken" ? 16 : 6).toString("hex")
  const secret = `c4n4ry-${word()}${LETTERS[SLOTS[slot]]}${word()}`
  return slot === "lines" ? `${secret}\n${fresh("env")}` : secret
}

export const freshSecrets = (): Readonly<Record<Slot, string>> =>
  Object.fromEntries(Object.keys(SLOTS).map((slot) => [slot, fresh(slot as Slot)])) as Record<Slot, string>

const base64At = (offset: number) => (secret: string) => {
  const bytes = Buffer.from(`${"x".repeat(offset)}${secret}`)
  const encoded = bytes.toString("base64")
  // Digits that also depend on what stands before or behind.
  return encoded.slice(Math.ceil((offset * 4) / 3), Math.floor((bytes.length * 4) / 3))
}
const urlSafe = (encoded: string) => encoded.replaceAll("+", "-").replaceAll("/", "_")
const hexOf = (byte: number) => byte.toString(16).padStart(2, "0")
const json = (secret: string) => JSON.stringify(secret).slice(1, -1)

/** Forms that `Redactor` promises to know. */
export const FORMS = {
  raw: (secret) => secret,
  line: (secret) => secret.split("\n").at(-1)!,
  percent: encodeURIComponent,
  percentLower: (secret) => encodeURIComponent(secret).replace(/%../g, (escape) => escape.toLowerCase()),
  form: (secret) => new URLSearchParams({ x: secret }).toString().slice(2),
  json,
  jsonAscii: (secret) =>
    json(secret).replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
  html: (secret) =>
    secret.replace(/[&<>"']/g, (char) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[char] ?? "&#39;"),
  base64: base64At(0),
  base64Second: base64At(1),
  base64Third: base64At(2),
  base64url: (secret) => urlSafe(base64At(0)(secret)),
  hex: (secret) => Buffer.from(secret).toString("hex"),
  hexUpper: (secret) => Buffer.from(secret).toString("hex").toUpperCase(),
  percentTwice: (secret) => encodeURIComponent(encodeURIComponent(secret)),
  jsonTwice: (secret) => json(json(secret)),
  backslashX: (secret) => [...Buffer.from(secret)].map((byte) => `\\x${hexOf(byte)}`).join(""),
  bytesDecimal: (secret) => [...Buffer.from(secret)].join(", "),
  bytesHex: (secret) => [...Buffer.from(secret)].map(hexOf).join(" "),
  quotedPrintable: (secret) =>
    [...Buffer.from(secret)]
      .map((byte) => (byte > 126 || byte === 61 ? `=${hexOf(byte).toUpperCase()}` : String.fromCharCode(byte)))
      .join(""),
  base64Lines: (secret) => base64At(0)(secret).replace(/.{76}(?=.)/g, "$&\n"),
  latin1: (secret) => [...Buffer.from(secret)].map((byte) => String.fromCharCode(byte)).join("")
} as const satisfies Record<string, (secret: string) => string>
export type Form = keyof typeof FORMS

/** How often a form of one of the secrets stands in these bytes. */
export const countIn = (bytes: Buffer, secrets: Readonly<Record<string, string>>): ReadonlyMap<string, number> => {
  const found = new Map<string, number>()
  for (const [slot, secret] of Object.entries(secrets)) {
    for (const [form, encode] of Object.entries(FORMS)) {
      const wanted = Buffer.from(encode(secret))
      let count = 0
      for (let at = bytes.indexOf(wanted); at !== -1; at = bytes.indexOf(wanted, at + 1)) count++
      if (count > 0) found.set(`${slot} as ${form}`, count)
    }
  }
  return found
}
