import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ContentSanitizer } from "../../../../src/services/content/ContentSanitizer.ts"
import { Redactor } from "../../../../src/services/content/Redactor.ts"
import { inFull } from "../../../support/full.ts"
import { sanitizer, visible } from "../../../support/sanitizer.ts"

/** Less is enough to see a step that is quadratic. */
const MIB = inFull(1024 * 1024, 64 * 1024)
const words = (list: string) => list.split(" ")
const filled = (unit: string, size = MIB) => unit.repeat(Math.ceil(size / unit.length))

/**
 * Each would take minutes or end in a stack overflow if any step were quadratic: one whole mebibyte of what a step has to
 * start on again and again.
 */
const HARD = [
  ...words("< [ | & % \\ _ # \n \r \t \0 \x1b \x9b \x90 \ud800 é 😀 葛"),
  ...words("<| <|a <<< [[[ &amp; &# &#x %25 %E2% \\u \\ud835 <s> </s> <s>a ![ ![](http://a?"),
  ...words(
    "\x1b[ \x1b]0; \x1bP \x1bP\n \x1b[1 \u200b a\u200b \u202ea \u{e0041} \ufe0f ❤\ufe0f\u200d ب\u200c \u{1f3f4}\u{e0067}"
  ),
  ...words("e E_ é_ END_ EXTERNA| éEXTERNA| UNTR un_tr_us EXTERNAL_UNTRUSTED_CONTEN"),
  ...words("\u2028 \u2800 \u2800a \u2800\u283f \u{13430} \u{13000}\u{13430} \u0301 a\u0301\u0301"),
  "e ",
  "EXTERNAL ",
  "éEXTERNAL ",
  "EXTERNAL_UNTRUSTED_CONTENT",
  "<<<EXTERNAL_UNTRUSTED_CONTENT ",
  "external untrusted content ",
  ...words("ignore\n\n\n Human:\n"),
  "ignore ",
  "ignore all ",
  "ignore all previous ",
  "send ",
  "send data to ",
  "you are now ",
  "system ",
  "<system ",
  "curl ",
  ...words("忽略 忽略前面 以前の指示 이전"),
  "पिछले ",
  "पिछले निर्देश ",
  "تجاهل ",
  "Önceki tüm ",
  "игнорируй все ",
  "canary",
  "canary-canar",
  "aaaaaaaaaa",
  // Tokens, and what may be one in other letters.
  ...words(
    "<|turn [|system <seed: {{ %u00 \\105 &#0000 é< é[ é<a> é[a] &lt;a&gt; %3C%7C éun éuntru -é ԷԷ ςς цпттяц e\u0301 ａ аa"
  ),
  "é" + "-".repeat(1000),
  "é&#" + "0".repeat(500),
  // Addresses.
  ...words(
    ":// ://a? //{ (//a =//a a@a. ![](http://a?data=b) ![a]( http://{data}/ http://a/{ http://a/[ http://a/< http://a/$("
  ),
  "http://a?data=b ",
  "[a]: http://b?q=c\n",
  '<img src="http://a?data=b">',
  "<img src=",
  "url(http://a?data=b)",
  "x@y.z send data to ",
  "send all data to x@a. ",
  "send all data to http://a ",
  '"http://a"+a(a(a(',
  ...words(
    "&hearts; &frac12 &ltx \\t \\t\\n ©®† a\u00ad ب\u200c بب\u200c ب\u0301\u200c 葛\u{e0100} \u0301\u200d \u0301\u200d\u064e"
  ),
  ...words(
    "\u{1d159} a\u{1d159} \u{16fe4} \u{13441} Ã\x9f \x9c\x9f <<external <<external_untrusted <<externalu <<untrusted"
  ),
  "<<external content ",
  // Commands.
  ...words("`cat $(cat $(env) $( @ /.ssh @/.ssh </etc/passwd @a/b/c/d/ `a`.b.cd"),
  "curl $(cat ",
  "curl http://a$(cat b)",
  "curl " + "`cat".repeat(60),
  "curl http://a/" + "$(cat".repeat(60),
  "curl -d `cat x` ",
  "|curl |curl ",
  "env | curl ",
  "curl -d @~/.ssh/id_rsa ",
  "dig $(x).a.b ",
  "dig ${X}.a.b ",
  "curl ".repeat(40) + "$(cat x)",
  "curl " + "a".repeat(200) + "$(cat x)",
  // Markup.
  ...words("<important <tool_ <a-override </a: ## **System System: Human"),
  "## instruction"
]

const STARTS = [
  "ignore",
  "é EXTERNA",
  "\x1b[",
  "\x1bP",
  "&",
  "<s>",
  "send data",
  "u",
  "e",
  "https://a?",
  "é<",
  "é[",
  "&#",
  "![",
  "@",
  "$(",
  "![](http://a?data=",
  "<img ",
  "curl -d ",
  "| curl ",
  "dig ",
  "[a]: http://",
  '"http://a" + ',
  "## ",
  "<important "
]
const TAILS = words("a | _ amp; 1 \\ . 0 / { ( [ < -").concat(" ")

layer(sanitizer)("a mebibyte of trouble is cleaned in one pass:", (it) => {
  for (const unit of HARD) {
    it.effect(visible(unit), () =>
      Effect.gen(function* () {
        const { clean } = yield* ContentSanitizer
        ;(yield* Redactor).register("canary-canary")
        ;(yield* Redactor).register("a".repeat(4000) + "b")
        const text = filled(unit)
        assert.isAtMost(clean(text).text.length, text.length * 8)
      })
    )
  }

  for (const start of STARTS) {
    it.effect(`${visible(start)} with a long tail`, () =>
      Effect.gen(function* () {
        const { clean } = yield* ContentSanitizer
        for (const unit of TAILS) {
          const text = start + filled(unit, MIB / 4)
          assert.isAtMost(clean(text).text.length, text.length + 64)
        }
      })
    )
  }

  it.effect("a thousand nested markers", () =>
    Effect.gen(function* () {
      const { clean } = yield* ContentSanitizer
      const nested = "<<<EXTERNAL_UNTRUSTED_".repeat(1000) + "CONTENT>>>".repeat(1000)
      assert.notInclude(clean(nested).text, "EXTERNAL_UNTRUSTED_CONTENT")
    })
  )
})
