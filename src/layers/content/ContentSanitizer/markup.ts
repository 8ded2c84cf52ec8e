/** Reports markup that imitates a conversation, a tool call or an instruction, in every language. */
import type { Tally } from "./tally.ts"

export const reportMarkup = (text: string, tally: Tally) => {
  for (const { detail, expression } of MARKUP) {
    expression.lastIndex = 0
    for (let match = expression.exec(text); match !== null; match = expression.exec(text)) {
      const found = typeof detail === "string" ? detail : detail(match[0])
      if (found !== undefined) tally.add("pattern", found)
    }
  }
}

interface Markup {
  /** The name of a match; a function may reject the match. */
  readonly detail: string | ((match: string) => string | undefined)
  readonly expression: RegExp
}

const TURN = "turn of a conversation"

/** At the beginning of a line, after at most some signs of emphasis. */
const LINE = String.raw`(?<=^[ \t]{0,3}(?:[*_]{1,2})?)`
/** In a bug report, "system" is a machine: its name or a list follows. */
const MACHINE = String.raw`(?![ \t]*(?:\r?\n[ \t]+|(?:Linux|Ubuntu|Debian|Fedora|Windows|Win|macOS|Mac ?OS|OS ?X|Darwin|Android|iOS|Alpine|Arch|CentOS|x86|x64|arm|\d)))`

/** Elements for a call, its result or a thought of the model; and those that precede an instruction. */
const CALL =
  /^<\/?(?:[a-z]{1,16}:)?(?:tool_(?:results?|use|calls?|response|output)|function_(?:calls?|results?)|invoke|think|system(?:[-_](?:prompt|reminder|message))?)[\s>]/i
/** In lower case, some of these names are elements of data. */
const POSES =
  /^<(?:important|IMPORTANT|Important|CRITICAL|URGENT|MANDATORY|[a-z]{2,12}[_-](?:instructions?|override|directive)>)/i
const SMALL = /^<(?:critical|urgent|mandatory)/

const elementOf = (element: string): string | undefined =>
  CALL.test(element)
    ? "tool call markup"
    : POSES.test(element) && !SMALL.test(element)
      ? "block that poses as an instruction"
      : undefined

const MARKUP: ReadonlyArray<Markup> = [
  {
    detail: TURN,
    expression: new RegExp(
      String.raw`${LINE}(?:Human|Assistant|HUMAN|ASSISTANT|(?:System|SYSTEM|Système|Sistema|Systeem|Sistem)(?=(?:[*_]{1,2})? ?:(?:[*_]{1,2})?${MACHINE}))(?:[*_]{1,2})? ?:`,
      "gm"
    )
  },
  {
    detail: TURN,
    expression: new RegExp(String.raw`${LINE}(?:Система|系统|系統|システム|시스템|النظام|सिस्टम) ?[:：]`, "gm")
  },
  {
    detail: "heading of an instruction template",
    // A set with one character to find is searched faster than the character, here and below.
    expression: /[#\x00](?<=^#)#{1,2} ?(?:instructions?|system|prompt|response) ?:/gim
  },
  {
    detail: elementOf,
    expression:
      /[<\x00]\/?(?:[a-z]{1,16}[:_-])?(?:tool_|function_|invoke|think|system|important|critical|urgent|mandatory|instruction|override|directive)[a-z_-]{0,12}(?:\s[^<>]{0,200})?>/gi
  }
]
