/**
 * A part of a long text, cleaned as it would be within the whole. What lies across an edge of it, a secret or a forged
 * marker, is seen by neither side alone: more than the part is cleaned, and what belongs to the margins is found by
 * cleaning them by themselves and taken off again.
 */
import { CUT_MARGIN_CHARS, CUT_MARGIN_LOOK_MAX_CHARS } from "../defaults/Texts.ts"
import { highest, type Finding } from "./Finding.ts"
import type { Clean } from "./TextBudget.ts"

export interface TextWindow {
  readonly text: string
  /** In it, or across an edge of it. */
  readonly findings: ReadonlyArray<Finding>
  /** Where it begins and ends in the text: not between two halves of a character. */
  readonly start: number
  readonly end: number
  /** Whether some of it is left out, because it stands beside a long run of what cannot be seen. */
  readonly isCut: boolean
}

/**
 * `start` to `end` of a text. What is replaced across an edge belongs to the parts on both sides of it, so that parts one
 * after the other have everything. Only where a margin consists of nothing that can be seen, up to `CUT_MARGIN_CHARS`
 * beside it are left out: they might be the rest of something that cannot be recognised any more.
 */
export const windowOf = (text: string, from: number, to: number, clean: Clean): TextWindow => {
  const start = onCharacter(text, Math.min(Math.max(0, from), text.length))
  const end = Math.max(onCharacter(text, Math.min(Math.max(from, to), text.length)), start)
  const near = { start: Math.max(0, start - MARGIN), end: Math.min(text.length, end + MARGIN) }
  const dirty = text.slice(near.start, near.end)
  const cleaned = clean(dirty)
  // What nearly every text is.
  if (cleaned.text === dirty && cleaned.findings.length === 0) {
    return { text: text.slice(start, end), findings: NOTHING, start, end, isCut: false }
  }

  const before = widen((size) => text.slice(Math.max(0, start - size), start), start, clean)
  const after = widen((size) => text.slice(end, end + size), text.length - end, clean)
  const isNear = start - before.size === near.start && end + after.size === near.end
  const whole = isNear ? cleaned : clean(text.slice(start - before.size, end + after.size))
  // An edge may cut in two what nobody hid: where the margins seem to have more than there is, the part itself tells.
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

/** What may be unrecognised at the far end of a margin, and what may lie across the near one. */
const MARGIN = 2 * CUT_MARGIN_CHARS

interface Margin {
  /** Of the text. */
  readonly size: number
  /** Cleaned, by itself. */
  readonly text: string
  readonly findings: ReadonlyArray<Finding>
  /** Whether its far end, where something may have been cut in two, is not far enough. */
  readonly isUnsafe: boolean
}

/** A margin that is long enough after cleaning, too: characters that cannot be seen keep nothing apart. */
const widen = (take: (size: number) => string, available: number, clean: Clean): Margin => {
  for (let wanted = MARGIN; ; wanted *= 2) {
    const size = Math.min(wanted, available)
    const { findings, text } = clean(take(size))
    const isUnsafe = size < available && text.length < CUT_MARGIN_CHARS
    if (!isUnsafe || size >= CUT_MARGIN_LOOK_MAX_CHARS) return { size, text, findings, isUnsafe }
  }
}

/** What was found in the whole and not in its margins: in the part between them, or across an edge of it. */
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

/** The place itself, or the one before it when it lies between the halves of a character. */
export const onCharacter = (text: string, place: number): number =>
  place > 0 && place < text.length && isHigh(text.charCodeAt(place - 1)) && isLow(text.charCodeAt(place))
    ? place - 1
    : place

const isHigh = (unit: number) => unit >= 0xd800 && unit < 0xdc00
const isLow = (unit: number) => unit >= 0xdc00 && unit < 0xe000
