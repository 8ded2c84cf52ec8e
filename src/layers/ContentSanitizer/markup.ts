/** Reports markup that imitates a conversation, or the call of a tool, in every language. */
import type { Tally } from "./tally.ts"

export const reportMarkup = (text: string, tally: Tally) => {
  for (const { detail, expression } of MARKUP) {
    expression.lastIndex = 0
    while (expression.test(text)) tally.add("pattern", detail)
  }
}

const TURN = "turn of a conversation"
const TOOL = "tool call markup"

/** At the beginning of a line, with no more than signs of emphasis before it. */
const LINE = String.raw`(?<=^[ \t]{0,3}(?:[*_]{1,2})?)`
/** A system in a report of a fault is the reader's machine. */
const MACHINE = String.raw`(?![ \t]*(?:\r?\n[ \t]+|$(?![\s\S])|(?:Linux|Ubuntu|Debian|Fedora|Windows|Win|macOS|Mac ?OS|OS ?X|Darwin|Android|iOS|Alpine|Arch|CentOS|x86|x64|arm|\d)))`

const MARKUP = [
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
    expression: /^#{2,3} ?(?:instructions?|system|prompt|response) ?:/gim
  },
  {
    detail: TOOL,
    expression:
      /<\/?(?:[a-z]{1,16}:)?(?:tool_(?:results?|use|calls?|response|output)|function_(?:calls?|results?)|invoke|system(?:[-_](?:prompt|reminder|message))?)(?:\s[^<>]{0,200})?>/gi
  },
  {
    detail: "block that poses as an instruction",
    expression:
      /<(?:IMPORTANT|CRITICAL|URGENT|MANDATORY|important|Important|(?:[A-Za-z]{2,12}[_-])(?:instructions?|override|directive|INSTRUCTIONS?|OVERRIDE|DIRECTIVE))>/g
  }
]
