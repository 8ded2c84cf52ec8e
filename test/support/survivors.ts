/** Looks for what is left of hostile texts in anything that comes out of the runtime. */
import { inspect } from "node:util"
import { ORDER, SOURCE_LINE } from "../fixtures/channels/payloads.ts"

/** A text, and where it was found. */
export interface Found {
  readonly path: string
  readonly text: string
}

const isRecord = (value: unknown): value is Record<PropertyKey, unknown> => typeof value === "object" && value !== null

/** Every string in a value: keys, values, what errors say, what maps hold; numbers as their digits. */
export const stringsIn = (value: unknown, path = ""): ReadonlyArray<Found> => {
  const found: Array<Found> = []
  const seen = new Set<unknown>()
  const walk = (node: unknown, path: string): void => {
    if (typeof node === "string") return void found.push({ path, text: node })
    if (typeof node === "number" || typeof node === "bigint") return void found.push({ path, text: String(node) })
    if (!isRecord(node) || seen.has(node)) return
    seen.add(node)
    if (node instanceof Error) {
      found.push({ path: `${path}.toString()`, text: String(node) })
      found.push({ path: `${path}.inspect()`, text: inspect(node, { depth: 8 }) })
    }
    if (node instanceof Map) {
      for (const [key, child] of node) {
        walk(key, `${path}.key()`)
        walk(child, `${path}.get()`)
      }
      return
    }
    if (node instanceof Set || Array.isArray(node)) {
      let index = 0
      for (const child of node) walk(child, `${path}[${index++}]`)
      return
    }
    // Also what is not enumerable: the message of an error, and what stands behind a getter.
    for (const key of Reflect.ownKeys(node)) {
      if (typeof key === "string") found.push({ path: `${path}.key()`, text: key })
      walk(node[key], `${path}.${String(key)}`)
    }
  }
  walk(value, path)
  return found
}

// ---- boundaries ----------------------------------------------------------------------------------------------------

const WRAPPED =
  /<<<EXTERNAL_UNTRUSTED_CONTENT id="([0-9a-f]{16})">>>\n([^]*?)\n---\n([^]*?)\n<<<END_EXTERNAL_UNTRUSTED_CONTENT id="\1">>>/g

/** What stands between the boundaries of ours in a text, the lines above each, and what stands outside. */
const taken = (text: string) => {
  const introductions: Array<string> = []
  const bodies: Array<string> = []
  const outside = text.replace(WRAPPED, (_, __, introduction: string, body: string) => {
    introductions.push(introduction)
    bodies.push(body)
    return ""
  })
  return { introductions, bodies, outside }
}

// ---- what must not be left -----------------------------------------------------------------------------------------

/** As a lenient reader takes a text. */
const folded = (text: string) =>
  text
    .normalize("NFKC")
    .replace(/&lt;|&#60;|%3c|\\u003c/gi, "<")
    .replace(/[\u00ad\u200b-\u200f\u2060\ufeff]/g, "")
    .replaceAll("\u0415", "E")

const MARKER = /<[^a-z0-9]{0,12}(?:end[^a-z0-9]{1,4})?external[^a-z0-9]{0,4}untrusted[^a-z0-9]{0,4}content/i

/** Every ten characters of a secret, in all spellings of it: half a secret is one, too. */
const piecesOf = (secrets: ReadonlyArray<string>): ReadonlyArray<string> =>
  secrets.flatMap((secret) => {
    const spellings = [
      secret,
      encodeURIComponent(secret),
      Buffer.from(secret).toString("hex"),
      // The digits that do not depend on what stands before and behind.
      ...[0, 1, 2].map((offset) =>
        Buffer.from(`${"\0".repeat(offset)}${secret}`)
          .toString("base64")
          .slice(offset === 0 ? 0 : 4)
          .replace(/=*$/, "")
          .slice(0, -2)
      )
    ]
    return [...new Set(spellings)].flatMap((spelling) =>
      Array.from({ length: Math.max(1, spelling.length - PIECE + 1) }, (_, i) => spelling.slice(i, i + PIECE))
    )
  })
const PIECE = 10

export interface Search {
  /** Names of what is left in a text. */
  readonly survivors: (text: string) => ReadonlyArray<string>
}

export const makeSearch = (secrets: ReadonlyArray<string>): Search => {
  const pieces = piecesOf(secrets)
  return {
    survivors: (text) => {
      const { bodies, introductions, outside } = taken(text)
      const parts = [outside, ...introductions, ...bodies]
      const found: Array<string> = []
      if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/.test(text)) found.push("a control character")
      if (/[\u{e0000}-\u{e007f}]/u.test(text)) found.push("a tag character")
      if (/[\u202a-\u202e\u2066-\u2069]/.test(text)) found.push("a bidirectional control")
      if (/[\u200b\u2060\ufeff\u00ad]/.test(text)) found.push("an invisible character")
      if (/<\|\s*im_start\s*\|>/i.test(text)) found.push("a special token")
      if (parts.some((part) => MARKER.test(folded(part)))) found.push("a forged marker")
      if (pieces.some((piece) => text.includes(piece))) found.push("a secret")
      if (introductions.some((introduction) => SOURCE_LINE.test(introduction))) found.push("a forged source")
      return found
    }
  }
}

/** What a model would take for ours: an order or a source that stands outside of all boundaries. */
export const outsideSurvivors = (text: string): ReadonlyArray<string> => {
  const { outside } = taken(text)
  return [
    ...(outside.includes(ORDER) ? ["an order outside of the boundaries"] : []),
    ...(SOURCE_LINE.test(outside) ? ["a forged source outside of the boundaries"] : [])
  ]
}
