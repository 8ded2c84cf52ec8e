/**
 * A server's words inside of our own text. They are measured before they are cleaned, so that a server cannot make us clean a
 * megabyte to show one line. The cleaning functions are passed in, as in `ContentSanitizer`.
 */
import { SECRET_MASK_MIN_CHARS } from "../defaults/Secrets.ts"
import { CUT_MARGIN_CHARS, CUT_NOTE_MAX_CHARS, LABEL_MAX_CHARS } from "../defaults/Texts.ts"
import { ownBeginning } from "../data/OwnCopy.ts"
import { removedBefore, type Finding } from "./Finding.ts"
import { fit, refit, type Clean, type Fitted } from "./TextBudget.ts"

export type Label = (text: string, maxChars: number) => string
export type Describe = (text: string, maxChars: number) => { readonly text: string }

/**
 * The part of a text that is worth cleaning if `maxChars` are shown: these and a margin. If something is left out, the result
 * is cleaned and its end removed: cleaning may shorten the text so much that the cut becomes visible, and half a secret
 * before it would not be recognized.
 */
export const beginningOf = (text: string, maxChars: number, clean: (text: string) => string): string => {
  const readChars = maxChars + CUT_MARGIN_CHARS
  if (text.length <= readChars) return text
  const cleaned = clean(text.slice(0, readChars))
  return `${cleaned.slice(0, Math.max(0, cleaned.length - CUT_MARGIN_CHARS)).toWellFormed()}…`
}

/** What to keep of a text of which `maxChars` are shown later: what is cleaned then, and a character that shows that more was left out. */
export const keptFor = (text: string, maxChars: number): string => ownBeginning(text, maxChars + CUT_MARGIN_CHARS + 1)

/** On one line, at most `maxChars`. */
export const inLine = (text: string, label: Label, maxChars: number = LABEL_MAX_CHARS): string =>
  label(
    beginningOf(text, maxChars, (read) => label(read, Number.POSITIVE_INFINITY)),
    maxChars
  )

/** Clean text as a quotation, so that none of its lines can pass for one of ours. */
export const quotedLines = (text: string): string =>
  text
    .split(/\r\n|[\r\n\u0085\u2028\u2029]/)
    .map((line) => `> ${line}`)
    .join("\n")

/** A value that may be missing or not a text. */
export const wordOf = (word: unknown, label: Label, maxChars?: number): string =>
  typeof word === "string" ? inLine(word, label, maxChars) : "unknown"

/** A number from a server; `undefined` for other values, and for digits that are a known secret. */
export const numberOf = (given: unknown, label: Label): number | undefined => {
  if (typeof given !== "number" || !Number.isFinite(given)) return undefined
  const digits = String(given)
  return digits.length < SECRET_MASK_MIN_CHARS || label(digits, digits.length) === digits ? given : undefined
}

/** A description of at most `maxChars` characters, including the note about a cut. */
export const inProse = (text: string, describe: Describe, maxChars: number): string => {
  const bounded = beginningOf(text, maxChars, (read) => describe(read, Number.POSITIVE_INFINITY).text)
  const whole = describe(bounded, maxChars).text
  return whole.length <= maxChars ? whole : describe(bounded, maxChars - CUT_NOTE_MAX_CHARS).text
}

/** Merges findings of the same kind and detail, adding their counts. */
export const mergeFindings = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> => {
  if (findings.length < 2) return findings
  const merged = new Map<string, Finding>()
  for (const finding of findings) {
    const key = `${finding.kind} ${finding.detail}`
    const known = merged.get(key)
    merged.set(key, known === undefined ? finding : { ...known, count: known.count + finding.count })
  }
  return [...merged.values()]
}

/** Divides `total` among parts of these sizes: small parts get all they need, large ones equal shares of the rest. */
export const shareOut = (sizes: ReadonlyArray<number>, total: number): ReadonlyArray<number> => {
  const shares = sizes.map(() => 0)
  let left = total
  const bySize = [...sizes.keys()].toSorted((a, b) => sizes[a]! - sizes[b]!)
  for (const [served, i] of bySize.entries()) {
    shares[i] = Math.max(0, Math.min(sizes[i]!, Math.floor(left / (sizes.length - served))))
    left -= shares[i]!
  }
  return shares
}

/** A text cut to its share of a budget, and cleaned; patterns are found again when it is wrapped. */
export const cleanWithin = (text: string, maxBytes: number, clean: Clean): Fitted => {
  const fitted = fit([text], maxBytes, clean)
  const cleaned = clean(fitted.text)
  const findings = [...fitted.findings, ...removedBefore(cleaned.findings)]
  if (Buffer.byteLength(cleaned.text) <= maxBytes) return { text: cleaned.text, findings, note: fitted.note }
  const { note, text: shorter } = refit(fitted.text, maxBytes, clean)
  return { text: shorter, findings, note }
}
