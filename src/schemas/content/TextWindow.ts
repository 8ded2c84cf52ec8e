/**
 * A part of a long text, cleaned as it would be within the whole. Neither side alone would reveal a secret or forged marker
 * across an edge. So the part is cleaned together with margins; what belongs to the margins is found by cleaning them
 * separately, and removed.
 */
import { CUT_MARGIN_CHARS, CUT_MARGIN_LOOK_MAX_CHARS } from "../defaults/Texts.ts"
import { highest, type Finding } from "./Finding.ts"
import type { Clean } from "./TextBudget.ts"

export interface TextWindow {
  readonly text: string
  /** In the part, or across an edge of it. */
  readonly findings: ReadonlyArray<Finding>
  /** The position in the text, never inside a surrogate pair. */
  readonly start: number
  readonly end: number
  /** Whether something is left out because it is next to a long run of invisible characters. */
  readonly isCut: boolean
}

/**
 * The part from `start` to `end` of a text. A replacement across an edge belongs to the parts on both sides, so that
 * consecutive parts contain everything. Only where a margin is completely invisible, up to `CUT_MARGIN_CHARS` next to it are
 * left out: they might be the rest of something that can no longer be recognized.
 */
export const windowOf = (text: string, from: number, to: number, clean: Clean): TextWindow => {
  const start = onCharacter(text, Math.min(Math.max(0, from), text.length))
  const end = Math.max(onCharacter(text, Math.min(Math.max(from, to), text.length)), start)
  const near = { start: Math.max(0, start - MARGIN), end: Math.min(text.length, end + MARGIN) }
  const dirty = text.slice(near.start, near.end)
  const cleaned = clean(dirty)
  // The fast path for nearly every text.
  if (cleaned.text === dirty && cleaned.findings.length === 0) {
    return { text: text.slice(start, end), findings: NOTHING, start, end, isCut: false }
  }

  const before = widen((size) => text.slice(Math.max(0, start - size), start), start, clean)
  const after = widen((size) => text.slice(end, end + size), text.length - end, clean)
  const isNear = start - before.size === near.start && end + after.size === near.end
  const whole = isNear ? cleaned : clean(text.slice(start - before.size, end + after.size))
  // An edge may split something harmless. If the margins seem to have more findings than the whole, the findings in the part
  // alone count.
  const alone = clean(text.slice(start, end)).findings
  const findings = highest(alone, without(whole.findings, [...before.findings, ...after.findings]))
  const head = commonStart(before.text, whole.text)
  const tail = commonEnd(after.text, whole.text)
  const left = before.isUnsafe ? Math.max(head, CUT_MARGIN_CHARS) : head
  const right = whole.text.length - (after.isUnsafe ? Math.max(tail, CUT_MARGIN_CHARS) : tail)
  return {
    text: whole.text.slice(left, Math.max(left, right)),
    findings,
    start,
    end,
    isCut: left > head || right < whole.text.length - tail
  }
}

const NOTHING: ReadonlyArray<Finding> = []

/** What may be unrecognized at the far end of a margin, plus what may lie across the near one. */
const MARGIN = 2 * CUT_MARGIN_CHARS

interface Margin {
  /** Its size in the text. */
  readonly size: number
  /** Cleaned separately. */
  readonly text: string
  readonly findings: ReadonlyArray<Finding>
  /** Whether its far end, where something may have been split, is too near. */
  readonly isUnsafe: boolean
}

/** A margin that is still long enough after cleaning: invisible characters separate nothing. */
const widen = (take: (size: number) => string, available: number, clean: Clean): Margin => {
  for (let wanted = MARGIN; ; wanted *= 2) {
    const size = Math.min(wanted, available)
    const { findings, text } = clean(take(size))
    const isUnsafe = size < available && text.length < CUT_MARGIN_CHARS
    if (!isUnsafe || size >= CUT_MARGIN_LOOK_MAX_CHARS) return { size, text, findings, isUnsafe }
  }
}

/** The findings of the whole without those of the margins: in the part between them, or across an edge. */
const without = (findings: ReadonlyArray<Finding>, outside: ReadonlyArray<Finding>): ReadonlyArray<Finding> =>
  outside.length === 0
    ? findings
    : findings.flatMap((finding) => {
        const { detail, kind } = finding
        const same = outside.filter((other) => other.kind === kind && other.detail === detail)
        const count = same.reduce((left, other) => left - other.count, finding.count)
        return count > 0 ? [{ ...finding, count }] : []
      })

const commonStart = (some: string, other: string): number => {
  const most = Math.min(some.length, other.length)
  let length = 0
  while (length < most && some.charCodeAt(length) === other.charCodeAt(length)) length++
  return length
}

const commonEnd = (some: string, other: string): number => {
  const most = Math.min(some.length, other.length)
  let length = 0
  while (length < most && some.charCodeAt(some.length - 1 - length) === other.charCodeAt(other.length - 1 - length)) {
    length++
  }
  return length
}

/** The position, or the one before it if it is inside a surrogate pair. */
export const onCharacter = (text: string, place: number): number =>
  place > 0 && place < text.length && isHigh(text.charCodeAt(place - 1)) && isLow(text.charCodeAt(place))
    ? place - 1
    : place

const isHigh = (unit: number) => unit >= 0xd800 && unit < 0xdc00
const isLow = (unit: number) => unit >= 0xdc00 && unit < 0xe000
