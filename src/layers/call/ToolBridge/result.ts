/**
 * A `tools/call` result as an agent sees it. One budget covers everything: first the text, then the structured content, then
 * the data that the text only describes. What exceeds it goes to the store, under handles that the result names; only what
 * the store cannot hold is lost, and the result says so.
 */
import { DEFAULT_CONTENT_POLICY, withheldFor } from "../../../schemas/content/ContentPolicy.ts"
import { kindOf } from "../../../schemas/content/ContentBlock.ts"
import { JSON_MAX_DEPTH } from "../../../schemas/defaults/Wire.ts"
import { removedBefore, type Finding } from "../../../schemas/content/Finding.ts"
import { exceeds, isObject, type Json, withinBounds } from "../../../schemas/data/Json.ts"
import { NOT_KEPT, readOn } from "./readMore.ts"
import type { Budget } from "../../../schemas/connection/ServerConfig.ts"
import { mergeFindings } from "../../../schemas/content/ServerText.ts"
import { fit, hasGrown, refit, SEPARATOR, type Advise } from "../../../schemas/content/TextBudget.ts"
import { externalContent, type ResultDetails, type ToolResult } from "../../../schemas/call/Tool.ts"
import type { ContentSanitizer } from "../../../services/content/ContentSanitizer.ts"
import type { ResultStore } from "../../../services/call/ResultStore.ts"
import type { ResultOrigin } from "../../../services/call/ToolBridge.ts"
import { readBlocks, restTexts } from "./content.ts"
import { toMalformedResult } from "./errors.ts"
import { originalsOf } from "./originals.ts"
import { mismatchOf } from "./outputSchema.ts"
import { contentOf, failing } from "./sentences.ts"
import { blocksOf, faultOf, leftOutOf } from "./validity.ts"
import { cleanJson, jsonWithoutControls } from "./values.ts"

type Sanitizer = ContentSanitizer["Service"]
type Store = Pick<ResultStore["Service"], "keep">
type Raw = Readonly<Record<string, unknown>>

export const toResult = (
  raw: unknown,
  origin: ResultOrigin,
  budget: Budget,
  sanitizer: Sanitizer,
  store: Store
): ToolResult => {
  if (!isObject(raw)) return toMalformedResult(origin, `it is ${kindOf(raw)} and not an object`, sanitizer)
  return (origin.content ?? DEFAULT_CONTENT_POLICY).withhold.length === 0
    ? shape(raw, origin, budget, sanitizer, store)
    : shapeOnceJudged(raw, origin, budget, sanitizer, store)
}

/** As long as a real handle, so that the text has the same length. */
const NO_HANDLE = "r-0000000000000000"

/**
 * A withheld result must not be kept, but the text that is judged contains the handle. So the result is made with a store
 * that keeps nothing, and made again if something has to be kept and may be.
 */
const shapeOnceJudged = (
  raw: Raw,
  origin: ResultOrigin,
  budget: Budget,
  sanitizer: Sanitizer,
  store: Store
): ToolResult => {
  let isAsked = false
  const keep = () => {
    isAsked = true
    return NO_HANDLE
  }
  const judged = shape(raw, origin, budget, sanitizer, { keep })
  return isAsked && !("withheld" in judged.details) ? shape(raw, origin, budget, sanitizer, store) : judged
}

const shape = (raw: Raw, origin: ResultOrigin, budget: Budget, sanitizer: Sanitizer, store: Store): ToolResult => {
  const content = blocksOf(raw)
  const blocks = readBlocks(content, budget.blocks, sanitizer)
  const fault = faultOf(raw, blocks)
  if (fault !== undefined) return toMalformedResult(origin, fault, sanitizer)
  const leftOut = leftOutOf(raw, blocks)
  const notes: Array<string> = leftOut === undefined ? [] : [`left out, because it is invalid: ${leftOut}`]
  for (const note of blocks.notes) notes.push(note)
  const isError = raw["isError"] === true
  // `toolResult` is the field of the first revision, before there were blocks.
  const value = raw["structuredContent"] ?? raw["toolResult"]
  const isTextless = blocks.images.length === 0 && !blocks.texts.some(saysSomething)
  const told = isTextless && value !== undefined ? textOf(value, budget.bytes, sanitizer) : undefined
  const texts = told === undefined ? blocks.texts : [told.text]

  /** Keeps the whole text on the first request for its handle. */
  let kept: { readonly handle: string | undefined } | undefined
  const advise: Advise = (from) => {
    kept ??= { handle: store.keep([...texts, ...restTexts(content, budget.blocks)].join(SEPARATOR), origin) }
    return kept.handle === undefined ? NOT_KEPT : readOn(kept.handle, from)
  }
  const over = content.length - budget.blocks
  const shown = over > 0 ? [...texts, missingBlocks(over, content.length, texts, advise, budget, sanitizer)] : texts
  if (over > 0) notes.push(`content blocks left out: ${over} of ${content.length}`)

  const words = shown.some(saysSomething) ? wrapWithin(shown, origin, budget.bytes, sanitizer, advise) : undefined
  if (words?.note !== undefined) notes.push(words.note)
  let findings = words === undefined ? NO_FINDINGS : words.findings
  const text = words?.text ?? ""

  const given = raw["structuredContent"]
  let structured: Structured | undefined
  let structuredHandle: string | undefined
  if (given !== undefined) {
    structured = structuredOf(given, text, budget.bytes, sanitizer)
    findings = both(findings, structured.findings)
    if (structured.content === undefined) {
      const json = keepJson(given, texts, kept?.handle, origin, store)
      notes.push(json.note)
      structuredHandle = json.handle
    }
  }
  // Findings in removed parts count only if nothing else contains them.
  if (told !== undefined && structured?.content === undefined) findings = both(findings, removedBefore(told.findings))

  let originals: ResultDetails["originals"]
  if (blocks.words !== undefined) {
    if (blocks.found.length > 0) {
      const room = budget.bytes - Buffer.byteLength(text) - (structured?.bytes ?? 0)
      const handed = originalsOf(blocks.found, room, origin, blocks.words, store)
      originals = handed.originals
      notes.push(...handed.notes)
    }
    findings = both(findings, removedBefore(blocks.words.findings()))
  }

  if (origin.outputSchema !== undefined && !isError) {
    const mismatch = mismatchOf(given, origin.outputSchema, sanitizer)
    if (mismatch !== undefined) {
      notes.push(mismatch.note)
      findings = both(findings, mismatch.findings)
    }
  }
  if (words?.withheld === true || withheldFor(origin.content ?? DEFAULT_CONTENT_POLICY, findings).length > 0) {
    return toWithheld(origin, isError, findings, sanitizer)
  }

  const details: Mutable<ResultDetails> = {
    externalContent: externalContent(origin, words !== undefined),
    findings: mergeFindings(findings),
    notes
  }
  if (originals !== undefined) details.originals = originals
  if (kept?.handle !== undefined) details.handle = kept.handle
  if (structuredHandle !== undefined) details.structuredHandle = structuredHandle
  if (origin.annotations !== undefined) details.annotations = origin.annotations

  const everything = { text: words?.wrapped, images: blocks.images, isError, leftOut }
  const result = { content: contentOf(everything, origin, sanitizer), isError, details }
  return structured?.content === undefined ? result : { ...result, structuredContent: structured.content }
}

/** Contains nothing of the server, neither for a model nor for a program. */
const toWithheld = (
  origin: ResultOrigin,
  isError: boolean,
  findings: ReadonlyArray<Finding>,
  { wrap }: Sanitizer
): ToolResult => {
  const merged = mergeFindings(findings)
  const details: Mutable<ResultDetails> = {
    externalContent: externalContent(origin, false),
    withheld: true,
    findings: merged,
    notes: []
  }
  if (origin.annotations !== undefined) details.annotations = origin.annotations
  return { content: [{ type: "text", text: failing(isError, wrap("", origin, merged).text) }], isError, details }
}

type Mutable<A> = { -readonly [K in keyof A]: A[K] }

const NO_FINDINGS: ReadonlyArray<Finding> = []

const both = (some: ReadonlyArray<Finding>, more: ReadonlyArray<Finding>) =>
  some.length === 0 ? more : more.length === 0 ? some : [...some, ...more]

// ---- text ----------------------------------------------------------------------------------------------------------

interface Told {
  readonly text: string
  /** Findings in what was removed before the value became text: there it would be escaped and could not be found. */
  readonly findings: ReadonlyArray<Finding>
}

/** A JSON value as text. A value that is too large for indentation will be cut, so it is not indented. */
const textOf = (value: unknown, maxBytes: number, { clean }: Sanitizer): Told => {
  const asIs = (text: string): Told => ({ text, findings: NO_FINDINGS })
  if (typeof value === "string") return asIs(value)
  if (!withinBounds(value)) return asIs("[A value that is nested too deep, or has too many parts, to be shown]")
  const findings: Array<Finding> = []
  if (!withinBounds(value, JSON_MAX_DEPTH, maxBytes) || exceeds(value, maxBytes)) {
    return { text: jsonWithoutControls(value, clean, maxBytes, findings), findings: mergeFindings(findings) }
  }
  return { text: JSON.stringify(cleanJson(value as Json, clean, findings), null, 2), findings }
}

/** Nearly every text begins with a printable character of ASCII. */
const saysSomething = (text: string) => {
  const first = text.charCodeAt(0)
  return (first > 0x20 && first < 0x7f) || /\S/.test(text)
}

/** Names the blocks that were not read. Their offset is only known while all text before them is shown unchanged. */
const missingBlocks = (
  over: number,
  count: number,
  texts: ReadonlyArray<string>,
  advise: Advise,
  { bytes }: Budget,
  { clean }: Sanitizer
): string => {
  const shown = texts.reduce((length, text) => length + text.length, 0) <= bytes ? texts.join(SEPARATOR) : undefined
  const from = shown !== undefined && clean(shown).text === shown ? shown.length + SEPARATOR.length : undefined
  return `[… ${over} of ${count} content blocks left out: ${advise(from)} …]`
}

interface Words {
  /** Cut to the budget, before it is cleaned and wrapped. */
  readonly text: string
  readonly wrapped: string
  readonly withheld: boolean
  readonly findings: ReadonlyArray<Finding>
  readonly note: string | undefined
}

/** All texts as one, cut to the budget, between one pair of boundaries. */
const wrapWithin = (
  texts: ReadonlyArray<string>,
  origin: ResultOrigin,
  maxBytes: number,
  { clean, wrap }: Sanitizer,
  advise: Advise
): Words => {
  const { findings, note, text } = fit(texts, maxBytes, clean, advise)
  const wrapped = wrap(text, origin, findings)
  if (!hasGrown(text, wrapped.chars, maxBytes)) {
    return { text, note, wrapped: wrapped.text, withheld: wrapped.withheld, findings: both(findings, wrapped.findings) }
  }
  const shorter = refit(text, maxBytes, clean, advise)
  const before = both(findings, shorter.findings)
  const rewrapped = wrap(shorter.text, origin, before)
  return {
    text: shorter.text,
    note: shorter.note,
    wrapped: rewrapped.text,
    withheld: rewrapped.withheld,
    findings: both(before, rewrapped.findings)
  }
}

// ---- structured content --------------------------------------------------------------------------------------------

interface Structured {
  /** Cleaned; `undefined` when there is no room for it. */
  readonly content: Json | undefined
  /** The bytes of the budget that it uses. */
  readonly bytes: number
  readonly findings: ReadonlyArray<Finding>
}

const NO_ROOM: Structured = { content: undefined, bytes: 0, findings: [] }

/**
 * The structured value, if it fits next to the text. It is free when the text says the same: servers repeat it there for
 * older clients.
 */
const structuredOf = (value: unknown, text: string, maxBytes: number, sanitizer: Sanitizer): Structured => {
  if (!withinBounds(value, JSON_MAX_DEPTH, maxBytes) || exceeds(value, maxBytes)) return NO_ROOM
  const json = JSON.stringify(value)
  const findings: Array<Finding> = []
  const cleaned = cleanJson(value as Json, sanitizer.clean, findings)
  const cleanedJson = cleaned === value ? json : JSON.stringify(cleaned)
  const isRepeated = isJsonOf(text, value, json) || (cleaned !== value && isJsonOf(text, cleaned, cleanedJson))
  const bytes = Buffer.byteLength(cleanedJson)
  if (bytes > (isRepeated ? maxBytes : maxBytes - Buffer.byteLength(text))) return { ...NO_ROOM, findings }
  return { content: cleaned, bytes: isRepeated ? 0 : bytes, findings }
}

const isJsonOf = (text: string, value: unknown, json: string): boolean =>
  text === json || (text.length > json.length && text === JSON.stringify(value, null, 2))

/** Keeps structured content that did not fit, and says under which handle. `handle` is that of the text: they may match. */
const keepJson = (
  value: unknown,
  texts: ReadonlyArray<string>,
  handle: string | undefined,
  origin: ResultOrigin,
  store: Store
): { readonly note: string; readonly handle?: string } => {
  if (!withinBounds(value))
    return { note: "the structured content is nested too deep, or has too many parts, to be kept" }
  const json = JSON.stringify(value)
  const isText = handle !== undefined && texts.length === 1 && texts[0] === json
  const kept = isText ? handle : store.keep(json, origin)
  return kept === undefined
    ? { note: "the structured content is too large to be kept" }
    : { note: `the structured content is too large: kept as JSON, handle ${kept}`, handle: kept }
}
