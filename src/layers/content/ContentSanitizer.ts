/**
 * All text of servers passes through here to a model. Known secrets are masked first, and again at the end: removing
 * invisible characters can join the parts of a value that they had split.
 *
 * In short: CRLF stays, a lone carriage return becomes a line feed; private-use characters of all planes are removed;
 * joiners, selectors and flags stay where a script needs them (invisible.ts); `external untrusted content` stays as words of
 * a sentence (forgeries.ts); wording that looks like an instruction is reported and stays (patterns.ts).
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { DEFAULT_CONTENT_POLICY, withheldFor } from "../../schemas/content/ContentPolicy.ts"
import { ORIGIN_MAX_CHARS, WITHHELD_NAME_MAX_CHARS } from "../../schemas/defaults/Texts.ts"
import { type Finding, highest } from "../../schemas/content/Finding.ts"
import type { InTurns } from "../../schemas/data/InTurns.ts"
import { inOneLine } from "../../schemas/data/Whitespace.ts"
import type { Origin } from "../../schemas/call/Origin.ts"
import { ContentSanitizer, type Sanitized, type Wrapped } from "../../services/content/ContentSanitizer.ts"
import { Redactor } from "../../services/content/Redactor.ts"
import { inTurns } from "../../system/inTurns.ts"
import { makeIds } from "./ContentSanitizer/boundary.ts"
import { reportChannels } from "./ContentSanitizer/channels.ts"
import { stripControls } from "./ContentSanitizer/controls.ts"
import { neutralise, neutraliseTurned } from "./ContentSanitizer/forgeries.ts"
import { stripInvisible } from "./ContentSanitizer/invisible.ts"
import { CONTROLS, INVISIBLES, isPlain, kindsOf, STRAYS } from "./ContentSanitizer/kinds.ts"
import { prepareOrders } from "./ContentSanitizer/injection/report.ts"
import { reportPatterns } from "./ContentSanitizer/patterns.ts"
import { type Present, presenterOf, withheld } from "./ContentSanitizer/presentation.ts"
import { stripStrays } from "./ContentSanitizer/strays.ts"
import * as Tally from "./ContentSanitizer/tally.ts"

const make = Effect.gen(function* () {
  const redactor = yield* Redactor
  // Otherwise the first text would take a fifth of a second.
  yield* Effect.forkScoped(inTurns(prepareOrders()))

  const mask = (text: string, tally: Tally.Tally): string => {
    const masked = redactor.redact(text)
    if (masked !== text) tally.add("secretEcho", "known secret values", Math.max(1, masks(masked) - masks(text)))
    return masked
  }

  const purify = (text: string, tally: Tally.Tally): string => {
    let [dirty, clean] = [text, tidy(mask(text, tally), tally, true)]
    // Removing characters may join a secret, and masking may leave something to remove. Both only shorten the text, so a few
    // rounds are enough; for almost every text the first round changes nothing.
    for (let round = 0; round < ROUNDS_MAX && clean !== dirty; round++) {
      dirty = clean
      clean = tidy(mask(clean, tally), tally, false)
    }
    return clean
  }

  const clean = (text: string): Sanitized => {
    const tally = Tally.make()
    const pure = purify(text, tally)
    reportPatterns(pure, tally)
    return { text: pure, findings: tally.findings() }
  }

  /** One line. Replacing white space by one space may join a value, a token or a marker. */
  const lineOf = (text: string): string => {
    const pure = purify(text, Tally.make())
    const line = collapse(pure)
    return line === pure ? line : collapse(purify(line, Tally.make()))
  }

  /** The first `maxChars` units of a clean text, without splitting a character, a sequence or a pair of tokens. */
  const cut = (text: string, maxChars: number): string =>
    purify(text.slice(0, maxChars).replace(HALF, ""), Tally.make()).slice(0, maxChars).replace(HALF, "")

  const label = (text: string, maxChars: number): string => {
    const line = lineOf(text)
    return line.length <= maxChars ? line : maxChars < 1 ? "" : `${cut(line, maxChars - 1).trimEnd()}…`
  }

  const freshId = makeIds()
  // An origin stands for one tool or resource, and the same object comes with each of its results.
  const presenters = new WeakMap<Origin, Present>()
  const presenterFor = (origin: Origin): Present => {
    const known = presenters.get(origin)
    if (known !== undefined) return known
    const row = (value: string | undefined) => (value === undefined ? undefined : label(value, ORIGIN_MAX_CHARS))
    const server = label(origin.server, ORIGIN_MAX_CHARS)
    const { mode } = origin.content ?? DEFAULT_CONTENT_POLICY
    const made = presenterOf(
      mode,
      { server, tool: row(origin.tool), uri: row(origin.uri) },
      (name) => harmless(name) !== undefined,
      freshId
    )
    presenters.set(origin, made)
    return made
  }

  /** A name outside of any boundary must be one word of ordinary letters that says nothing else. */
  const harmless = (name: string | undefined): string | undefined =>
    name !== undefined && HARMLESS.test(name) && saysNothing(name) && saysNothing(name.replace(SEPARATORS, " "))
      ? name
      : undefined
  const saysNothing = (name: string) => clean(name).findings.length === 0

  const wrap = (text: string, origin: Origin, before: ReadonlyArray<Finding> = NO_FINDINGS): Wrapped => {
    const { findings, text: body } = clean(text)
    const reasons = withheldFor(origin.content ?? DEFAULT_CONTENT_POLICY, highest(before, findings))
    if (reasons.length === 0) return { text: presenterFor(origin)(body), findings, chars: body.length, withheld: false }
    const names = { server: harmless(origin.server), tool: harmless(origin.tool), hasUri: origin.uri !== undefined }
    return { text: withheld(names, reasons), findings, chars: 0, withheld: true }
  }

  const describe = (text: string, maxChars: number): Sanitized => {
    const { findings, text: whole } = clean(text)
    if (whole.length <= maxChars) return { text: whole, findings }
    const kept = cut(whole, maxChars)
    return { text: `${kept} […${whole.length - kept.length} more characters]`, findings }
  }

  const holdsSecret = (text: string): boolean => redactor.redact(text) !== text

  function* holdsSecretInTurns(text: string): InTurns<boolean> {
    return (yield* redactor.redactInTurns(text)) !== text
  }

  return ContentSanitizer.of({ wrap, clean, holdsSecret, holdsSecretInTurns, label, describe })
})

const NO_FINDINGS: ReadonlyArray<Finding> = []
const HARMLESS = new RegExp(`^[A-Za-z][\\w.:/@-]{0,${WITHHELD_NAME_MAX_CHARS - 1}}$`)
const SEPARATORS = /[_.:/@-]+|(?<=[a-z])(?=[A-Z])/g

const ROUNDS_MAX = 4
const collapse = (text: string) => inOneLine(text).trim()

/** Half a character or line break at the end of a cut. */
const HALF = /[\ud800-\udbff\r]$/

const OVERRIDE = "\u202e"

/** Reported findings that stay in the text are searched only in the first round, or each round would count them again. */
const tidy = (text: string, tally: Tally.Tally, isFirst: boolean): string => {
  if (isPlain(text)) return neutralise(text, true, tally)
  const kinds = kindsOf(text)
  const formed = wellFormed(text, tally)
  const printable = (kinds & CONTROLS) === 0 ? formed : stripControls(formed, tally)
  const straying = (kinds & INVISIBLES) === 0 ? printable : stripInvisible(printable, tally)
  if (isFirst && (kinds & INVISIBLES) !== 0) reportChannels(straying, tally)
  const visible = (kinds & STRAYS) === 0 ? straying : stripStrays(straying, tally)
  return neutralise(text.includes(OVERRIDE) ? neutraliseTurned(visible, tally) : visible, false, tally)
}

const wellFormed = (text: string, tally: Tally.Tally): string => {
  if (text.isWellFormed()) return text
  tally.add("control", "halves of surrogate pairs")
  return text.toWellFormed()
}

const masks = (text: string) => text.split("[REDACTED]").length - 1

/** Our sanitizer; it masks the secrets that `Redactor` knows. */
export const layer: Layer.Layer<ContentSanitizer, never, Redactor> = Layer.effect(ContentSanitizer, make)
