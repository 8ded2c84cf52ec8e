import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ContentSanitizer } from "../../../../src/services/content/ContentSanitizer.ts"
import { kinds, sanitizer, visible } from "../../../support/sanitizer.ts"

type Row = readonly [dirty: string, clean: string, findings: ReadonlyArray<string>]

const SEQUENCES: ReadonlyArray<Row> = [
  ["a\x1b[31mred\x1b[0m b", "ared b", ["ansi×2"]],
  ["up\x1b[1A\x1b[2Kgone", "upgone", ["ansi×2"]],
  ["\x1b[38:2::255:0:0mtrue colour", "true colour", ["ansi×1"]],
  ["\x1b[?25l\x1b[>4;2m\x1b[!p", "", ["ansi×3"]],
  ["8 bit \x9b31m and 7", "8 bit  and 7", ["ansi×1"]],
  ["t\x1b]0;a title\x07itle", "title", ["ansi×1"]],
  ["t\x9d2;a title\x9citle", "title", ["ansi×1"]],
  ["\x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\ text", "link text", ["ansi×2"]],
  ["\x1b]52;c;cm0gLXJmIC8=\x07clipboard", "clipboard", ["ansi×1"]],
  ["\x1bPq#0;2;0;0;0\nsixel\x1b\\image", "image", ["ansi×1"]],
  ["\x1b_Gf=24;AAAA\x1b\\kitty", "kitty", ["ansi×1"]],
  ["\x1b^private\x1b\\message\x1bXstart\x1b\\s", "messages", ["ansi×2"]],
  ["\x90dcs\x9c\x9fapc\x9c\x9epm\x9c\x98sos\x9cleft", "left", ["ansi×4"]],
  ["\x1b]0;never closed\nthe next line stays", "\nthe next line stays", ["ansi×1"]],
  ["\x1bPnever closed\nthe next line stays", "\nthe next line stays", ["ansi×1"]],
  ["\x1b]0;never closed\r\nthe next line stays", "\r\nthe next line stays", ["ansi×1"]],
  ["charset\x1b(B and reset\x1bc.", "charset and reset.", ["ansi×2"]],
  ["cut off\x1b[3", "cut off", ["ansi×1"]],
  ["lone\x1b", "lone", ["ansi×1"]],
  ["twice\x1b\x1b[0m.", "twice.", ["ansi×2"]],
  ["one byte \x90takes no other line\nthan its own\x9c.", "one byte \nthan its own.", ["ansi×1", "control×1"]],
  [
    "German as Latin-1: Stra\u00c3\u009fe, gro\u00c3\u009f\nzwei\u00c2\u009c",
    "German as Latin-1: Stra\u00c3e, gro\u00c3\nzwei\u00c2",
    ["control×3"]
  ],
  [
    "signs as Latin-1: \u00e2\u009c\u0098 and \u00e2\u0086\u0090 left",
    "signs as Latin-1: \u00e2 and \u00e2 left",
    ["control×4"]
  ],
  ["Cyrillic as Latin-1: \u00d0\u009b\u00d0\u0090 stays", "Cyrillic as Latin-1: \u00d0\u00d0 stays", ["control×2"]]
]

const CONTROLS: ReadonlyArray<Row> = [
  ["nul\0, bell\x07, backspace\x08, del\x7f", "nul, bell, backspace, del", ["control×4"]],
  ["vt\vff\fso\x0eus\x1f", "vt\nff\nsous", ["control×4"]],
  ["nel\x85high\x80\x81\x91", "nel\nhigh", ["control×4"]],
  ["progress 10%\rprogress 20%", "progress 10%\nprogress 20%", ["control×1"]],
  ["\r\r\n", "\n\r\n", ["control×1"]],
  ["a\r\0\nb", "a\n\nb", ["control×2"]],
  ["no next line: \u00c3\u0085rhus", "no next line: \u00c3rhus", ["control×1"]],
  ["lone \ud83d and \ude00", "lone \ufffd and \ufffd", ["control×1"]]
]

const INVISIBLE: ReadonlyArray<Row> = [
  ["ze\u200bro\u200c wi\u200ddth", "zero width", ["hiddenUnicode×3"]],
  ["\ufeffbom, word\u2060joiner, soft\u00adhyphen", "bom, wordjoiner, softhyphen", ["hiddenUnicode×1"]],
  ["invisible\u2061\u2062\u2063\u2064 operators\u2065\u206a\u206f", "invisible operators", ["hiddenUnicode×7"]],
  ["gra\u034fpheme", "grapheme", ["hiddenUnicode×1"]],
  ["\u115f\u1160\u3164\uffa0\u17b4\u17b5fillers", "fillers", ["hiddenUnicode×6"]],
  ["mon\u180egol\u180b\u180f", "mongol", ["hiddenUnicode×3"]],
  ["\u202eevil\u202c \u2066a\u2069 \u200e\u200f\u061c\u202a\u202b\u202d\u2067\u2068", "evil a ", ["hiddenUnicode×12"]],
  ["\ufff9a\ufffab\ufffb", "ab", ["hiddenUnicode×3"]],
  ["tags\u{e0049}\u{e0067}\u{e006e}\u{e006f}\u{e0072}\u{e0065}\u{e007f}\u{e0001}", "tags", ["hiddenUnicode×8"]],
  [
    "\u{1f3f4}\u{e0069}\u{e0067}\u{e006e}\u{e006f}\u{e0072}\u{e0065}\u{e007f} no flag",
    "\u{1f3f4} no flag",
    ["hiddenUnicode×7"]
  ],
  ["\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067} open flag", "\u{1f3f4} open flag", ["hiddenUnicode×5"]],
  ["x\ufe00\ufe01\ufe0f\u{e0100}\u{e01ef} bytes", "x bytes", ["hiddenUnicode×5"]],
  ["😀\u{e0158}\u{e0159}\u{e01ef} bytes", "😀 bytes", ["hiddenUnicode×3"]],
  ["😀\ufe0f\ufe0e\ufe0f one selector", "😀\ufe0f one selector", ["hiddenUnicode×2"]],
  ["葛\u{e0100}\u{e0101} one selector", "葛\u{e0100} one selector", ["hiddenUnicode×1"]],
  ["葛\u{e0158} no such variant", "葛 no such variant", ["hiddenUnicode×1"]],
  ["می\u200c\u200c\u200d\u200bخواهم", "می\u200cخواهم", ["hiddenUnicode×3"]],
  ["icon \ue0b0 \uf8ff \u{f0001} \u{10fffd}", "icon    ", ["hiddenUnicode×4"]],
  ["non\ufdd0char\uffff\u{1fffe}acters", "noncharacters", ["hiddenUnicode×3"]],
  ["\u{1d173}\u{1d17a}\u{1bca0}\u{1bca3}score", "score", ["hiddenUnicode×4"]],
  ["\u{e0fff}\u{e01f0}reserved", "reserved", ["hiddenUnicode×2"]],
  ["\u05b7\u034f\u034f\u05b4 one joiner of points", "\u05b7\u034f\u05b4 one joiner of points", ["hiddenUnicode×1"]],
  ["ig\u00adno\u00adr\u00ade, In\u00adhalt", "ignore, Inhalt", ["hiddenUnicode×3"]],
  ["Donau\u00addampf\u00adschiff\u00adfahrts\u00adgesell\u00adschaft", "Donaudampfschifffahrtsgesellschaft", []],
  ["\ufeff\ufeffonly the first mark, \ufeffonly there", "only the first mark, only there", ["hiddenUnicode×2"]],
  ["\u05d0\u034f\u05d1, a\u034f\u05b4 no points", "\u05d0\u05d1, a\u05b4 no points", ["hiddenUnicode×2"]]
]

const KHITAN = "\u{18b00}"
const PILE = "\u0301\u0316\u0300\u0317\u0302\u0318\u0303\u0319\u0304\u031a"
const STRAYS: ReadonlyArray<Row> = [
  [`z${PILE}\u0305\u0306\u0307a`, `z${PILE}a`, ["hiddenUnicode×1"]],
  [`z${PILE}\u200b${PILE}a`, `z${PILE}a`, ["hiddenUnicode×2"]],
  ["ig\u2800nore\u2800\u2800 it", "ig nore   it", ["hiddenUnicode×2"]],
  ["an \u{13430}\u{13431}\u{13438} aside", "an  aside", ["hiddenUnicode×1"]],
  [`\u{13000}${"\u{13430}".repeat(20)}`, `\u{13000}${"\u{13430}".repeat(8)}`, ["hiddenUnicode×1"]],
  [`a${"\u0301".repeat(10)}${"\u064e\u200d\u0301".repeat(6)}b`, `a${"\u0301".repeat(10)}b`, ["hiddenUnicode×1"]],
  ["i\u{1d159}g\u{1d159}\u{1d159}nore", "ignore", ["hiddenUnicode×2"]],
  [`i\u{16fe4}g\u{16fe4}nore ${KHITAN}\u{16fe4}\u{16fe4}`, `ignore ${KHITAN}\u{16fe4}`, ["hiddenUnicode×3"]],
  ["i\u{13441}g\u{13442}nore", "ignore", ["hiddenUnicode×2"]],
  ["dear\u2028reader,\u2029yours", "dear\nreader,\nyours", []]
]

/** Kept byte for byte. */
const BENIGN: ReadonlyArray<readonly [what: string, text: string]> = [
  ["code", 'const a: Array<string> = x.map((y) => `${y}\t| ${y} & "z"`) // <b>&amp;</b> %20 \\n \\u0041\n'],
  ["CRLF text", "line one\r\nline two\r\n\r\nline four"],
  ["German, composed", "Größe, Füße, Übermaß, naïve Cafés"],
  ["German, decomposed", "Größe, Übermaß".normalize("NFD")],
  ["Vietnamese", "Tiếng Việt có dấu"],
  ["Persian with ZWNJ", "می\u200cخواهم نامه\u200cها را ببینم؛ ۲۰\u200cساله، PDF\u200cها"],
  ["Arabic with a final joiner", "سنة ١٤٤٥ ه\u200d. و «نص» عادي"],
  ["Hindi with ZWJ and ZWNJ", "क\u094d\u200dष क\u094d\u200cष न\u094d\u200d"],
  ["Bengali, Sinhala, Telugu, Malayalam", "র\u09cd\u200dয ශ\u0dca\u200dරී ఫేస్\u200cబుక్ ന\u0d4d\u200d"],
  ["Khmer and Thai with word separators", "ភាសា\u200bខ្មែរ ภาษา\u200bไทย"],
  ["Mongolian with selectors", "ᠮᠣᠩᠭᠣᠯ\u180eᠠ ᠠ\u180b"],
  ["Hebrew with points", "שָׁלוֹם עולם"],
  ["Chinese, Japanese, Korean", "简体字、繁體字。ひらがな・カタカナ「漢字」 한국어 ！？"],
  ["an ideographic variant", "葛\u{e0100}城市 辻\u{e0101}さん"],
  [
    "emoji families",
    "👨\u200d👩\u200d👧\u200d👦 👩🏽\u200d❤\ufe0f\u200d💋\u200d👨🏿 🧑\u200d🚀 🏳\ufe0f\u200d🌈 👁\ufe0f\u200d🗨\ufe0f"
  ],
  [
    "emoji flags and keycaps",
    "🇩🇪🇯🇵 \u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f} 1\ufe0f\u20e3 #\ufe0f\u20e3"
  ],
  ["emoji styles", "❤\ufe0f ☺\ufe0e ©\ufe0f 👍🏿 ✈\ufe0f"],
  ["mathematics", "∀x∈ℝ: ∩\ufe00 ≠ ∅, a² + b² = c²"],
  ["Arabic number signs", "\u0600١٢ \u06dd"],
  ["box drawing", "┌──┬──┐\n│ a│ b│\n└──┴──┘"],
  ["spaces of all widths", "a\u00a0b\u2003c\u3000d"],
  ["Hebrew with a joiner between points", "יְרוּשָׁלַ\u034fִם"],
  ["a drawing in Braille", "⠀⠀⣀⡀⠀⣤⠀⠀\n⠠⠃⠀⠗"],
  [
    "hieroglyphs in groups",
    "\u{13437}\u{13216}\u{13438}\u{13216}\u{13431}\u{13000}\u{13430}\u{13437}\u{13080}\u{13438}"
  ],
  ["the tallest stack of Tibetan", "ཧྐྵྨླྺྼྻྂ"],
  ["an empty notehead beside music", "\u{1d15f}\u{1d159}\u{1d165}"],
  ["a filler of Khitan behind a letter", `${KHITAN}\u{16fe4}`],
  ["a blank in a group of hieroglyphs", "\u{13000}\u{13430}\u{13441}"],
  ["many endings of Persian", "می\u200cخواهم، نمی\u200cدانم، کتاب\u200cهای ما، خانه\u200cها. ".repeat(20)],
  ["a list of variants", "葛\u{e0100} 葛\u{e0101} 葛\u{e0102} 葛\u{e0103} 辻\u{e0100} 辻\u{e0101}"],
  ["many words of Khmer", "ភាសា\u200bខ្មែរ\u200bជា\u200bភាសា\u200bផ្លូវការ\u200b".repeat(20)]
]

/** Bits in what has to stay: reported, and kept byte for byte. */
const CHANNELS: ReadonlyArray<readonly [what: string, text: string, count: number]> = [
  ["a joiner behind every letter", "ک\u200cب\u200dج\u200c د\u200d".repeat(4), 1],
  ["a joiner behind every second letter", "کب\u200cجد\u200d".repeat(8), 1],
  [
    "many variants of one ideograph",
    Array.from(
      "\u{e0100}\u{e0101}\u{e0102}\u{e0103}\u{e0104}\u{e0105}\u{e0106}\u{e0107}",
      (selector) => `葛${selector}`
    ).join("、"),
    1
  ]
]

const rows = (name: string, table: ReadonlyArray<Row>) =>
  layer(sanitizer)(name, (it) => {
    for (const [dirty, clean, findings] of table) {
      it.effect(visible(dirty), () =>
        Effect.gen(function* () {
          const result = (yield* ContentSanitizer).clean(dirty)
          assert.strictEqual(visible(result.text), visible(clean))
          assert.strictEqual(result.text, clean)
          const counts = kinds(result).map((finding) => finding.split("×"))
          const total = new Map<string, number>()
          for (const [kind = "", count] of counts) total.set(kind, (total.get(kind) ?? 0) + Number(count))
          assert.deepStrictEqual(
            [...total].map(([kind, count]) => `${kind}×${count}`),
            findings
          )
        })
      )
    }
  })

rows("terminal sequences go with their payload", SEQUENCES)
rows("control characters go", CONTROLS)
rows("what cannot be seen goes", INVISIBLE)
rows("what is at home in some writing only goes elsewhere", STRAYS)

layer(sanitizer)("what belongs to the writing stays byte for byte:", (it) => {
  for (const [what, text] of BENIGN) {
    it.effect(what, () =>
      Effect.gen(function* () {
        const result = (yield* ContentSanitizer).clean(text)
        assert.strictEqual(visible(result.text), visible(text))
        assert.strictEqual(result.text, text)
        assert.deepStrictEqual(result.findings, [])
      })
    )
  }
})

layer(sanitizer)("hidden bits in characters that stay are reported:", (it) => {
  for (const [what, text, count] of CHANNELS) {
    it.effect(what, () =>
      Effect.gen(function* () {
        const result = (yield* ContentSanitizer).clean(text)
        assert.strictEqual(result.text, text)
        assert.deepStrictEqual(kinds(result), [`hiddenUnicode×${count}`])
      })
    )
  }
})

layer(sanitizer)("a byte order mark", (it) => {
  it.effect("at the very beginning is removed without a finding", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* ContentSanitizer).clean("\ufeffid,name"), { text: "id,name", findings: [] })
    })
  )
})

layer(sanitizer)("what was hidden is named", (it) => {
  it.effect("by kind, in fixed words", () =>
    Effect.gen(function* () {
      const { findings } = (yield* ContentSanitizer).clean(
        "a\u202eb\u{e0041}c\ufe01\ue000\u200b\u3164\x1b[0m\x07\ud800"
      )
      assert.deepStrictEqual(
        findings.map(({ detail, kind }) => `${kind}: ${detail}`),
        [
          "control: halves of surrogate pairs",
          "ansi: terminal escape sequences",
          "control: control characters",
          "hiddenUnicode: bidirectional controls",
          "hiddenUnicode: tag characters",
          "hiddenUnicode: variation selectors",
          "hiddenUnicode: private-use characters",
          "hiddenUnicode: zero-width characters",
          "hiddenUnicode: filler letters"
        ]
      )
    })
  )
})
