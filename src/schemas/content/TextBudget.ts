/**
 * Cuts the text of a result to its budget: keeps the beginning and the end, with a line between them about what is missing.
 * Examines only what may be kept of a long text, and keeps no reference to the rest.
 */
import { CUT_HEAD_SHARE, CUT_MARGIN_CHARS } from "../defaults/Texts.ts"
import { removedBefore, type Finding } from "./Finding.ts"

export interface Fitted {
  readonly text: string
  /** The findings in the parts that were cleaned before the cut. */
  readonly findings: ReadonlyArray<Finding>
  readonly note: string | undefined
}

/** Removes from a text what a model must not see, as `ContentSanitizer.clean` does. */
export type Clean = (text: string) => { readonly text: string; readonly findings: ReadonlyArray<Finding> }

/**
 * Advice for the reader of a cut text, for the line at the cut. `from` is where the missing part begins, if known. Called
 * only for a cut, possibly more than once.
 */
export type Advise = (from: number | undefined) => string

const ASK_FOR_LESS: Advise = () => "ask for less or in parts"

export const SEPARATOR = "\n"
/** The most UTF-8 bytes of one UTF-16 code unit. */
const BYTES_PER_UNIT = 3

/** The texts joined, cut to `maxBytes` bytes. Not cleaned unless something was cut: whoever shows it cleans it. */
export const fit = (texts: ReadonlyArray<string>, maxBytes: number, clean: Clean, advise = ASK_FOR_LESS): Fitted => {
  const total = lengthOf(texts)
  const fits =
    total * BYTES_PER_UNIT <= maxBytes || (total <= maxBytes && Buffer.byteLength(texts.join(SEPARATOR)) <= maxBytes)
  return fits
    ? { text: texts.join(SEPARATOR), findings: [], note: undefined }
    : cut(texts, total, maxBytes, clean, advise)
}

/** For a text that became too long by cleaning, for example with many forged markers: measures the cleaned text. */
export const refit = (text: string, maxBytes: number, clean: Clean, advise = ASK_FOR_LESS): Fitted =>
  cut([text], text.length, maxBytes, clean, advise)

/**
 * Whether a text that fits would not fit after it was cleaned to this many characters. Cleaning only inserts ASCII, so a text
 * grows by at most one byte per character.
 */
export const hasGrown = (text: string, cleanedChars: number, maxBytes: number): boolean =>
  cleanedChars > text.length && Buffer.byteLength(text) + cleanedChars - text.length > maxBytes

const lengthOf = (texts: ReadonlyArray<string>) => {
  let length = Math.max(0, texts.length - 1) * SEPARATOR.length
  for (const text of texts) length += text.length
  return length
}

/**
 * The cut comes before wrapping, and so before cleaning. Neither half alone would reveal a secret or forged marker across the
 * cut. So each half is cleaned with a margin beyond the cut, and the margin is then removed.
 */
const cut = (texts: ReadonlyArray<string>, total: number, maxBytes: number, clean: Clean, advise: Advise): Fitted => {
  if (total <= maxBytes + 2 * CUT_MARGIN_CHARS) {
    const dirty = texts.join(SEPARATOR)
    const whole = clean(dirty)
    if (Buffer.byteLength(whole.text) <= maxBytes) {
      return { text: whole.text, findings: removedBefore(whole.findings), note: undefined }
    }
    const { headBytes, tailBytes } = shares(whole.text.length, maxBytes, advise)
    const [head, tail] = [firstBytes(whole.text, headBytes), lastBytes(whole.text, tailBytes)]
    return joined(head, tail, whole.text.length, maxBytes, whole.findings, advise(fromOf(head, whole.text, dirty)))
  }
  const { headBytes, tailBytes } = shares(total, maxBytes, advise)
  const dirty = firstChars(texts, headBytes + CUT_MARGIN_CHARS)
  const start = clean(dirty)
  const end = clean(lastChars(texts, tailBytes + CUT_MARGIN_CHARS))
  const head = firstBytes(start.text.slice(0, Math.max(0, start.text.length - CUT_MARGIN_CHARS)), headBytes)
  return joined(
    head,
    lastBytes(end.text.slice(CUT_MARGIN_CHARS), tailBytes),
    total,
    maxBytes,
    [...start.findings, ...end.findings],
    advise(fromOf(head, start.text, dirty))
  )
}

/** The rest of the budget after the line at the cut. */
const shares = (total: number, maxBytes: number, advise: Advise) => {
  const room = Math.max(0, maxBytes - Buffer.byteLength(missingLine(total, total, advise(total))))
  const headBytes = Math.floor(room * CUT_HEAD_SHARE)
  return { headBytes, tailBytes: room - headBytes }
}

/** A position in cleaned text is the same in the original only if cleaning changed nothing. */
const fromOf = (head: string, cleaned: string, dirty: string): number | undefined =>
  cleaned === dirty ? head.length : undefined

const joined = (
  head: string,
  tail: string,
  total: number,
  maxBytes: number,
  findings: ReadonlyArray<Finding>,
  advice: string
): Fitted => {
  const missing = Math.max(0, total - head.length - tail.length)
  const text = head + missingLine(missing, total, advice) + tail
  return {
    // If not even the line fits, it is cut.
    text: Buffer.byteLength(text) <= maxBytes ? text : firstBytes(text.trim(), maxBytes),
    findings: removedBefore(findings),
    note: `characters of text left out: ${grouped(missing)} of ${grouped(total)}`
  }
}

const grouped = (count: number) => count.toLocaleString("en-US")

const missingLine = (missing: number, total: number, advice: string) =>
  `\n[… ${grouped(missing)} characters left out of ${grouped(total)}: ${advice} …]\n`

// ---- ends of texts -------------------------------------------------------------------------------------------------

const firstChars = (texts: ReadonlyArray<string>, count: number): string => {
  const taken: Array<string> = []
  for (let i = 0, left = count; i < texts.length && left > 0; i++) {
    taken.push(texts[i]!.slice(0, left))
    left -= texts[i]!.length + SEPARATOR.length
  }
  return taken.join(SEPARATOR)
}

const lastChars = (texts: ReadonlyArray<string>, count: number): string => {
  const taken: Array<string> = []
  for (let i = texts.length - 1, left = count; i >= 0 && left > 0; i--) {
    taken.push(texts[i]!.slice(-left))
    left -= texts[i]!.length + SEPARATOR.length
  }
  return taken.toReversed().join(SEPARATOR)
}

/**
 * The longest prefix of whole characters, copied. A lone surrogate at the end of the slice is written as three bytes and
 * never fits.
 */
const firstBytes = (text: string, maxBytes: number): string => {
  const bytes = Buffer.allocUnsafe(maxBytes)
  return bytes.toString("utf8", 0, bytes.write(text.slice(0, maxBytes), "utf8"))
}

/** The longest suffix of whole characters, copied. */
const lastBytes = (text: string, maxBytes: number): string => {
  const bytes = Buffer.from(text.slice(-maxBytes))
  let start = Math.max(0, bytes.length - maxBytes)
  while (start > 0 && start < bytes.length && (bytes[start]! & 0xc0) === 0x80) start++
  return bytes.toString("utf8", start)
}
