/**
 * Looks at what an agent would show its model. Walks anything that JSON can hold without recursion, and looks at a bounded
 * part of long texts, so that the looking costs little beside what is measured.
 */
import { isCaught } from "../sanitizer/grade.ts"
import type { Harm, TextFacts } from "./observation.ts"

const EXCERPT_CHARS = 160
/** Of a text, what is searched for harm: this much of its beginning and as much of its end. */
const SEARCHED_CHARS = 128 * 1024
/** Texts and keys that are taken in. */
const LEAVES_MAX = 200_000

/** Every text in a value, keys included, in order. */
export const textsIn = (value: unknown): ReadonlyArray<string> => {
  const found: Array<string> = []
  const waiting: Array<unknown> = [value]
  while (waiting.length > 0 && found.length < LEAVES_MAX) {
    const next = waiting.pop()
    if (typeof next === "string") found.push(next)
    else if (Array.isArray(next)) for (let i = next.length; i-- > 0;) waiting.push(next[i])
    else if (typeof next === "object" && next !== null) {
      for (const [key, inner] of Object.entries(next).toReversed()) waiting.push(inner, key)
    }
  }
  return found
}

/** The forms in which one reads a secret at a glance. */
const formsOf = (secret: string): ReadonlyArray<string> => [
  secret,
  encodeURIComponent(secret),
  Buffer.from(secret).toString("base64").replace(/=+$/, ""),
  Buffer.from(secret).toString("base64url"),
  Buffer.from(secret).toString("hex")
]

const CONTROL = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/
/** Tag characters, bidirectional controls and those of no width; joiners that scripts and emoji need are no harm. */
const HIDDEN = /[\u{E0000}-\u{E007F}\u{202A}-\u{202E}\u{2066}-\u{2069}\u{200B}\u{2060}\u{FEFF}\u{AD}\u{3164}]/u
const TOKEN =
  /<\|\s*(?:im_start|im_end|eot_id|endoftext|start_header_id|end_header_id|system|user|assistant)\s*\|>|\[\/?INST\]/i
const MARKER = { id: "", language: "none", text: "", target: "EXTERNAL_UNTRUSTED_CONTENT" }

const searched = (text: string): string =>
  text.length <= 2 * SEARCHED_CHARS ? text : `${text.slice(0, SEARCHED_CHARS)}\n${text.slice(-SEARCHED_CHARS)}`

const harmsIn = (whole: string, secrets: ReadonlyArray<string>): ReadonlyArray<Harm> => {
  const text = searched(whole)
  const found: Readonly<Record<Harm, boolean>> = {
    control: CONTROL.test(text),
    hidden: HIDDEN.test(text),
    marker: !isCaught("marker", MARKER, { text, findings: [] }),
    token: TOKEN.test(text),
    // A cut through the middle of a character would be ours.
    surrogate: text.length === whole.length && !text.isWellFormed(),
    secret: secrets.flatMap(formsOf).some((form) => whole.includes(form))
  }
  return (Object.keys(found) as Array<Harm>).filter((harm) => found[harm])
}

export interface LookFor {
  readonly texts: ReadonlyArray<string>
  readonly secrets: ReadonlyArray<string>
}

export const inspect = (shown: unknown, { secrets, texts }: LookFor): TextFacts => {
  const whole = textsIn(shown).join("\n")
  return {
    chars: whole.length,
    excerpt: JSON.stringify(whole.slice(0, EXCERPT_CHARS).toWellFormed()).slice(1, -1),
    holds: texts.filter((text) => whole.includes(text)),
    harms: harmsIn(whole, secrets)
  }
}
