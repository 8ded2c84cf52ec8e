/**
 * Reports wording that tries to give orders to a model. Telemetry, no defence: what is found stays as it is, and much will
 * not be found. Every pattern is compiled once, has only bounded gaps and no nested repetition.
 * What is cheap is tried first: most texts are done when no stem of an order was found in them.
 */
import { LATIN } from "./latinWording.ts"
import { OTHER } from "./otherWording.ts"
import { makeStemFinder, OTHER_LETTERS } from "./stems.ts"
import type { Tally } from "./tally.ts"
import type { Language, Wording } from "./wording.ts"

interface Pattern {
  readonly detail: string
  readonly expression: RegExp
}

/** A pattern that is worth trying where one of the stems stands. */
interface Group {
  readonly stems: ReadonlyArray<string>
  readonly pattern: Pattern
}

export const reportPatterns = (text: string, tally: Tally) => {
  let plain = text
  let found = findStems(text)
  if (found === 0) return
  if ((found & OTHER_LETTERS) !== 0 && COMPATIBILITY_LETTERS.test(text)) {
    plain = text.normalize("NFKC")
    found = findStems(plain)
  }
  const report = ({ detail, expression }: Pattern) => {
    const count = countOf(expression, plain)
    if (count > 0) tally.add("pattern", detail, count)
  }
  GROUPS.forEach(({ pattern }, group) => ((found >> group) & 1) === 1 && report(pattern))
  if ((found & OTHER_LETTERS) !== 0 && OTHER_SCRIPTS.test(plain)) {
    for (const { patterns, script } of OTHER_ORDERS) if (script.test(plain)) patterns.forEach(report)
  }
}

const countOf = (expression: RegExp, text: string) => {
  let count = 0
  expression.lastIndex = 0
  while (expression.test(text)) count++
  return count
}

/** Full-width and mathematical letters, in which orders are sometimes written, and the full-width colon. */
const COMPATIBILITY_LETTERS = /[\uff1a\uff21-\uff5a\u{1d400}-\u{1d7ff}]/u

// ---- the same in every language ----------------------------------------------------------------------------------------

const markup = (detail: string, expression: RegExp, ...stems: ReadonlyArray<string>): Group => ({
  stems,
  pattern: { detail, expression }
})

const TURN = "turn of a conversation"

const MARKUP: ReadonlyArray<Group> = [
  markup(
    TURN,
    /^[ \t]{0,3}(?:Human|Assistant|System|HUMAN|ASSISTANT|SYSTEM|Système|Sistema|Systeem|Sistem) ?:/gm,
    ..."human assistant system système sistema systeem sistem".split(" ").flatMap((role) => [`${role}:`, `${role} :`])
  ),
  markup(
    "heading of an instruction template",
    /^#{2,3} ?(?:instructions?|system|prompt|response) ?:/gim,
    ..."instruction system prompt response".split(" ").flatMap((word) => [`##${word}`, `## ${word}`])
  ),
  markup(
    "tool call markup",
    /<\/?(?:[a-z]{1,16}:)?(?:tool_(?:results?|use|calls?|response|output)|function_(?:calls?|results?)|invoke|system(?:[-_](?:prompt|reminder|message))?)(?:\s[^<>]{0,200})?>/gi,
    ..."tool_ function_ invoke system".split(" ").flatMap((word) => [`<${word}`, `/${word}`, `:${word}`])
  ),
  markup(
    "image that carries data to an address",
    /!\[[^[\]\n!]{0,200}\]\(\s{0,4}<?https?:\/\/[^\s()<>?#]{1,300}[?#][^\s()<>]{1,2000}/gi,
    "]("
  ),
  markup(
    "sending data to an address",
    /\b(?:send|post|upload|forward|exfiltrate|transmit|leak|e-?mail|submit)(?:ing|s)?\b[^.\n]{0,32}?\b(?:secrets?|credentials?|passwords?|tokens?|keys?|conversations?|history|messages?|contents?|files?|data|env|environment|variables|cookies?)\b[^.\n]{0,32}? to [^\n]{0,16}?(?:https?:\/\/|[\w.+-]{1,64}@[\w-])/gi,
    ..."send,post,upload,forward,exfiltrate,transmit,leak,email,e-mail,submit".split(",")
  ),
  markup(
    "command that sends data to an address",
    /\b(?:curl|wget)\b[^\n]{0,200}?(?:\$\(|`|\$\{?[A-Z_]{3}|@[~/]|--post-file)/g,
    "curl",
    "wget"
  )
]

// ---- by language -------------------------------------------------------------------------------------------------------

/** The three kinds of orders of a language, each with its name in a finding. */
const ordersOf = ({ name, override, prompt, role }: Language): ReadonlyArray<Group> => [
  order(`instruction override (${name})`, override),
  order(`new role for the reader (${name})`, role),
  order(`system prompt (${name})`, prompt)
]

const order = (detail: string, { patterns, stems }: Wording): Group => ({
  stems,
  pattern: { detail, expression: new RegExp(patterns.join("|"), "giu") }
})

const GROUPS = [...MARKUP, ...LATIN.flatMap(ordersOf)]
const findStems = makeStemFinder(GROUPS.map(({ stems }) => stems))

const OTHER_SCRIPTS = /[\p{sc=Cyrl}\p{sc=Arab}\p{sc=Deva}\p{sc=Kana}\p{sc=Hira}\p{sc=Hani}\p{sc=Hang}]/u
const OTHER_TURN = {
  detail: TURN,
  expression: /^[ \t]{0,3}(?:Система|系统|系統|システム|시스템|النظام|सिस्टम) ?[:：]/gmu
}
const OTHER_ORDERS: ReadonlyArray<{ readonly script: RegExp; readonly patterns: ReadonlyArray<Pattern> }> = [
  { script: OTHER_SCRIPTS, patterns: [OTHER_TURN] },
  ...OTHER.map((language) => ({
    script: language.script ?? OTHER_SCRIPTS,
    patterns: ordersOf(language).map(({ pattern }) => pattern)
  }))
]
