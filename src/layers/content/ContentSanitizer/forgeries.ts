/**
 * Neutralizes what only we, or the model's own template, may write: the names of our boundary markers and the special tokens
 * of chat templates, also when spelled with look-alike letters, with signs between letters, or in escapes. Comparisons use
 * the folded view, so that one rule covers all spellings.
 */
import { mayHoldForgeries } from "./suspects.ts"
import { TOKEN } from "./tokens.ts"
import type { Tally } from "./tally.ts"
import { type Span, type View, viewOf } from "./foldedView.ts"

const MARKER_REPLACEMENT = "[[MARKER_SANITIZED]]"
const TOKEN_REPLACEMENT = "[[TOKEN_SANITIZED]]"

export const neutralise = (text: string, isPlain: boolean, tally: Tally): string => {
  return mayHoldForgeries(text, isPlain) ? replaceForgeries(text, tally) : text
}

/** The same without the quick check. */
export const replaceForgeries = (text: string, tally: Tally): string => {
  const view = viewOf(text)
  const unmarked = replaceMarkers(text, view, tally)
  return replaceTokens(unmarked, unmarked === text ? view : viewOf(unmarked), tally)
}

// ---- boundary markers --------------------------------------------------------------------------------------------------

/** Signs and spaces between two letters. Letters are excluded, so that no text is scanned more than a few times. */
const GAP = "[^a-z0-9~&%]*"

/** A letter in the view and what else looks like it, after a gap. The first of several bars looks like an l, too. */
const LETTER: Record<string, string> = {
  a: `${GAP}[a4]`,
  c: `${GAP}[c%]`,
  e: `${GAP}[e3&]`,
  l: String.raw`(?:${GAP}[li1]|[^a-z0-9~&%|]*\|)`,
  o: `${GAP}[o0]`,
  s: `${GAP}[s5%]`,
  t: `${GAP}[t7&]`,
  u: `${GAP}[uv]`
}

const spelled = (word: string) => [...word].map((letter) => LETTER[letter] ?? GAP + letter).join("")

const NAME = `(?:[e3&]${spelled("nd")}${GAP})?[e3&]${spelled("xte")}(?:${spelled("rn")}|${GAP}m)${spelled("aluntrustedcontent")}`
const MARKER = new RegExp(NAME, "g")
const NAMED = new RegExp(NAME)
const FORGED = "imitations of our boundary markers"

/**
 * In brackets like ours, with two words of the name correct, however the other one is spelled. A middle word must have the
 * right beginning or end: other words in brackets are a placeholder.
 */
const APART = String.raw`[^a-z0-9~<>\n]{0,8}`
const MIDDLE = String.raw`(?:[uv~][^<>\n]{4,24}|[^<>\n]{4,24}[e3~][d~])`
const MANGLED = new RegExp(
  String.raw`(?<!<)<<+[^<>\n]{0,48}(?:untrusted${APART}content|external${APART}(?:untrusted[^<>\n]{5}|${MIDDLE}${APART}content))[^<>\n]{0,96}>>+`,
  "g"
)

const replaceMarkers = (text: string, view: View, tally: Tally): string => {
  const unmangled = replaceMangled(text, view, tally)
  return unmangled === text ? replaceNames(text, view, tally) : replaceNames(unmangled, viewOf(unmangled), tally)
}

const replaceMangled = (text: string, view: View, tally: Tally): string => {
  const spans: Array<Span> = []
  for (const match of view.text.matchAll(MANGLED)) {
    // If the name is correct, it is found like the others.
    if (NAMED.test(match[0])) continue
    tally.add("forgedMarker", FORGED)
    addSpan(spans, view.toSource({ start: match.index, end: match.index + match[0].length }))
  }
  return replaceSpans(text, spans, MARKER_REPLACEMENT)
}

/**
 * The name written from right to left, in a text with a direction override: without the override nobody would read it, and
 * with it nobody would see it.
 */
export const neutraliseTurned = (text: string, tally: Tally): string =>
  text.replace(TURNED, () => {
    tally.add("forgedMarker", FORGED)
    return MARKER_REPLACEMENT
  })
const TURNED = /tnetnoc[\W_]{0,8}detsurtnu[\W_]{0,8}lanretxe(?:[\W_]{0,8}dne)?/gi

const replaceNames = (text: string, view: View, tally: Tally): string => {
  const spans: Array<Span> = []
  let count = 0
  for (const match of view.text.matchAll(MARKER)) {
    const name = { start: match.index, end: match.index + match[0].length }
    const whole = withBrackets(view.text, name)
    const hasBrackets = whole.start < name.start || whole.end > name.end
    if (!hasBrackets && isProse(sourceOf(text, view, name))) continue
    count++
    addSpan(spans, view.toSource(whole))
  }
  if (count > 0) tally.add("forgedMarker", FORGED, count)
  return replaceSpans(text, spans, MARKER_REPLACEMENT)
}

const OPENER = /[<[][<[|/_ ]*$/
const CLOSER = /^ *(?:id *= *"?[a-z0-9~&%]{0,64}"? *)?\/?\|?[>\]]+(?: ?[>\]]+){0,4}/
const ID = /^[ _]{0,4}id ?[=_]/
const BRACKETS_MAX = 32
const ATTRIBUTES_MAX = 128

/** The name with the brackets and id around it. They are harmless alone, but show that it is not prose. */
const withBrackets = (view: string, name: Span): Span => {
  const before = view.slice(Math.max(0, name.start - BRACKETS_MAX), name.start)
  const after = view.slice(name.end, name.end + ATTRIBUTES_MAX)
  const opener = OPENER.exec(before)?.[0] ?? ""
  const closer = CLOSER.exec(after)?.[0] ?? ID.exec(after)?.[0] ?? ""
  return { start: name.start - opener.length, end: name.end + closer.length }
}

/**
 * The words in a sentence: in lower case or capitalized, separated by white space, the start of a comment line and at most
 * the punctuation of a sentence; in any case with a comma between them. Everything else is an imitation: capitals,
 * underscores, dashes or dots between the words, look-alike letters, brackets, an id.
 */
const isProse = (words: string) => SENTENCE.test(words) || LIST.test(words)

const BETWEEN = String.raw`[.,:;!?)"'”’]{0,2}\s+(?:(?:[*#>]|//|--)\s+)?["'“‘(]?`
const SENTENCE = new RegExp(`^(?:[Ee]nd${BETWEEN})?[Ee]xternal${BETWEEN}[Uu]ntrusted${BETWEEN}[Cc]ontent$`)
const LIST = /^(?:end\s+)?external(?:,\s+untrusted|\s+untrusted,)\s+content$/i

// ---- special tokens ----------------------------------------------------------------------------------------------------

/**
 * `<s>` begins a text for some models and is strike-through in HTML. A pair of them around plain text on one line stays, and
 * so does a capital one (a type parameter) or an escaped one; everything else counts as the token, whatever invisible
 * characters follow. In curly brackets or with a dot it is a variable or a table of a configuration. Bars around signs only
 * are an arrow in a diagram.
 */
const isMarkup = (token: string, source: string) => {
  if (token.startsWith("[")) return VARIABLE.test(source)
  return BARE.test(token) ? !STARTS_BARE.test(source) : token.startsWith("<s>") || ARROW.test(token)
}
const BARE = /^<\/?s>$/
const STARTS_BARE = /^<\/?s>/
const ARROW = /^<\|_+\|>$/

/** From bracket to bracket, without invisible escapes inside. */
const VARIABLE = /^(?:\{[^{}[\]\\&%]*[}\]]|\[[^{}[\]\\&%]*\}|\[[^{}[\]\\&%]*\.[^{}[\]\\&%]*\])$/

const replaceTokens = (text: string, view: View, tally: Tally): string => {
  const spans: Array<Span> = []
  let count = 0
  for (const match of view.text.matchAll(TOKEN)) {
    const token = { start: match.index, end: match.index + match[0].length }
    if (isMarkup(match[0], sourceOf(text, view, token))) continue
    count++
    addSpan(spans, view.toSource(token))
  }
  if (count > 0) tally.add("specialToken", "special tokens of chat templates", count)
  return replaceSpans(text, spans, TOKEN_REPLACEMENT)
}

// ---- spans -------------------------------------------------------------------------------------------------------------

const sourceOf = (text: string, view: View, span: Span) => {
  const { end, start } = view.toSource(span)
  return text.slice(start, end)
}

/** Adjacent and overlapping spans become one, so that a row of short tokens does not become a row of long texts. */
const addSpan = (spans: Array<Span>, span: Span) => {
  const last = spans.at(-1)
  if (last === undefined || span.start > last.end) spans.push(span)
  else spans[spans.length - 1] = { start: last.start, end: Math.max(last.end, span.end) }
}

/** `spans` are in order and do not overlap. */
const replaceSpans = (text: string, spans: ReadonlyArray<Span>, replacement: string) => {
  if (spans.length === 0) return text
  const kept = spans.map((span, index) => text.slice(spans[index - 1]?.end ?? 0, span.start))
  return [...kept, text.slice(spans.at(-1)?.end)].join(replacement)
}
