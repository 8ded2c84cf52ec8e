/** Reads what stands between the boundaries of wrapped texts, and what does not. */
import { assert } from "@effect/vitest"

const WRAPPED =
  /<<<EXTERNAL_UNTRUSTED_CONTENT id="([0-9a-f]{16})">>>\n([^]*?)\n---\n([^]*?)\n<<<END_EXTERNAL_UNTRUSTED_CONTENT id="\1">>>/g
const MARKER = /<<<(?:END_)?EXTERNAL_UNTRUSTED_CONTENT/g

export interface Wrapped {
  readonly id: string
  /** The lines that say where it comes from. */
  readonly introduction: string
  readonly body: string
}

/** Every wrapped text, in order; no marker stands anywhere else. */
export const wrappedIn = (text: string): ReadonlyArray<Wrapped> => {
  const found = [...text.matchAll(WRAPPED)].map(([, id, introduction, body]) => ({
    id: id!,
    introduction: introduction!,
    body: body!
  }))
  assert.strictEqual(text.match(MARKER)?.length ?? 0, found.length * 2, text.slice(0, 2_000))
  assert.strictEqual(new Set(found.map(({ id }) => id)).size, found.length)
  return found
}

export const bodyOf = (text: string): string => {
  const found = wrappedIn(text)
  assert.lengthOf(found, 1)
  return found[0]!.body
}

/** What no boundaries are around. */
export const outsideOf = (text: string): string => text.replace(WRAPPED, "")

/** Control characters but tab and line breaks, and characters that cannot be seen. */
export const UNSEEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u

/** Everything that is not JSON as it should be, for places where a server sends something else. */
export const NONSENSE: ReadonlyArray<unknown> = [
  undefined,
  null,
  true,
  0,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  "",
  "text",
  [],
  {},
  [[]],
  [null],
  { length: 3 },
  { toString: 1 },
  JSON.parse('{"__proto__":{"type":"text","text":"x"}}'),
  JSON.parse(`${"[".repeat(5_000)}${"]".repeat(5_000)}`)
]
