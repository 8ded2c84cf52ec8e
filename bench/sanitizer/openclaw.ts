/**
 * The algorithm that OpenClaw 2026.9.6 publishes for external content, written anew from its description, for comparison
 * only: brackets, full-width letters and six invisible characters folded, the two markers replaced by expressions over the
 * folded text, 23 literal special tokens removed, 14 English patterns reported, a notice put before.
 *
 * `OPENCLAW_WRAPPER` may name the file of an installed OpenClaw that has the real one (`dist/external-content-*.mjs`):
 * then that is measured, and compared with this.
 */
import { randomBytes } from "node:crypto"
import { pathToFileURL } from "node:url"

export interface Wrapper {
  readonly name: string
  readonly wrap: (text: string) => string
  /** How many of its patterns match. */
  readonly detect: (text: string) => number
}

const range = (from: number, length: number) => Array.from({ length }, (_, i) => from + i)

const OPENING = [
  0xff1c, 0x2329, 0x3008, 0x2039, 0x27e8, 0xfe64, 0xab, 0x300a, 0x27ea, 0x27ec, 0x27ee, 0x276c, 0x276e, 0x2c2
]
const CLOSING = [
  0xff1e, 0x232a, 0x3009, 0x203a, 0x27e9, 0xfe65, 0xbb, 0x300b, 0x27eb, 0x27ed, 0x27ef, 0x276d, 0x276f, 0x2c3
]

const FOLDS: ReadonlyMap<string, string> = new Map([
  ...OPENING.map((code) => [String.fromCharCode(code), "<"] as const),
  ...CLOSING.map((code) => [String.fromCharCode(code), ">"] as const),
  ...[0x200b, 0x200c, 0x200d, 0x2060, 0xfeff, 0xad].map((code) => [String.fromCharCode(code), ""] as const),
  ...[...range(0xff21, 26), ...range(0xff41, 26)].map(
    (code) => [String.fromCharCode(code), String.fromCharCode(code - 0xfee0)] as const
  )
])
const FOLDABLE = new RegExp(`[${[...FOLDS.keys()].join("")}]`, "u")
const NAME = /external[\s_]+untrusted[\s_]+content/i
const MARKERS = ["", String.raw`END[\s_]+`].map(
  (end) => new RegExp(String.raw`<<<\s*${end}EXTERNAL[\s_]+UNTRUSTED[\s_]+CONTENT(?:\s+id=\\*"[^"]*")?\s*>>>`, "gi")
)
const TOKENS = (
  "<|im_start|> <|im_end|> <|endoftext|> <|begin_of_text|> <|end_of_text|> <|start_header_id|> <|end_header_id|> <|eot_id|> " +
  "<|python_tag|> <|eom_id|> [INST] [/INST] <<SYS>> <</SYS>> <s> </s> <|channel|> <|message|> <|return|> <|call|> " +
  "<start_of_turn> <end_of_turn>"
).split(" ")
const TOKEN = new RegExp(
  [
    ...TOKENS.map((token) => token.replace(/[|[\]/]/g, String.raw`\$&`)),
    String.raw`<\|reserved_special_token_\d+\|>`
  ].join("|"),
  "g"
)
const PATTERNS = [
  /ignore\s+(all\s+)?(previous|prior|above)\s+(instructions?|prompts?)/i,
  /disregard\s+(all\s+)?(previous|prior|above)/i,
  /forget\s+(everything|all|your)\s+(instructions?|rules?|guidelines?)/i,
  /you\s+are\s+now\s+(a|an)\s+/i,
  /new\s+instructions?:/i,
  /system\s*:?\s*(prompt|override|command)/i,
  /\bexec\b.*command\s*=/i,
  /elevated\s*=\s*true/i,
  /rm\s+-rf/i,
  /delete\s+all\s+(emails?|files?|data)/i,
  /<\/?system>/i,
  /\]\s*\n\s*\[?(system|assistant|user)\]?:/i,
  /\[\s*(System\s*Message|System|Assistant|Internal)\s*\]/i,
  /^\s*System:\s+/im
]
/** As long as theirs: it is built into each text. */
const NOTICE = "-".repeat(620)

const replaceMarkers = (text: string): string => {
  let folded = text
  let origins: Array<number> | undefined
  if (FOLDABLE.test(text)) {
    folded = ""
    origins = []
    for (let index = 0; index < text.length; index++) {
      const letter = FOLDS.get(text[index]!) ?? text[index]!
      if (letter === "") continue
      folded += letter
      origins.push(index)
    }
  }
  if (!NAME.test(folded)) return text
  const spans = MARKERS.flatMap((marker) =>
    [...folded.matchAll(marker)].map(({ 0: found, index }) => {
      const last = index + found.length - 1
      return { start: origins?.[index] ?? index, end: (origins?.[last] ?? last) + 1 }
    })
  ).toSorted((a, b) => a.start - b.start)
  let cursor = 0
  let replaced = ""
  for (const { end, start } of spans) {
    if (start < cursor) continue
    replaced += `${text.slice(cursor, start)}[[MARKER_SANITIZED]]`
    cursor = end
  }
  return replaced + text.slice(cursor)
}

const published: Wrapper = {
  name: "OpenClaw's algorithm",
  wrap: (text) => {
    const id = randomBytes(8).toString("hex")
    const safe = replaceMarkers(text).replace(TOKEN, "[REMOVED_SPECIAL_TOKEN]")
    return [
      `${NOTICE}\n\n`,
      `<<<EXTERNAL_UNTRUSTED_CONTENT id="${id}">>>`,
      "Source: API",
      "---",
      safe,
      `<<<END_EXTERNAL_UNTRUSTED_CONTENT id="${id}">>>`
    ].join("\n")
  },
  detect: (text) => PATTERNS.filter((pattern) => pattern.test(text)).length
}

const isFunction = (value: unknown): value is (...args: ReadonlyArray<unknown>) => unknown =>
  typeof value === "function"

/** The real one, found in its file by what its functions do: their names there are made by a bundler. */
const loadInstalled = async (file: string): Promise<Wrapper> => {
  const members = Object.values((await import(pathToFileURL(file).href)) as object).filter(isFunction)
  const named = (name: string) => {
    const found = members.find((member) => member.name === name)
    if (found === undefined) throw new Error(`${file} has no ${name}`)
    return found
  }
  const [wrap, detect] = [named("wrapExternalContent"), named("detectSuspiciousPatterns")]
  return {
    name: "OpenClaw's own wrapper",
    wrap: (text) => String(wrap(text, { source: "api" })),
    detect: (text) => (detect(text) as ReadonlyArray<string>).length
  }
}

/** What stands between their boundaries. */
export const bodyOf = (wrapped: string): string =>
  wrapped.slice(wrapped.indexOf("\n---\n") + "\n---\n".length, wrapped.lastIndexOf("\n<<<END_EXTERNAL"))

export const loadOpenClaw = async (): Promise<{ readonly measured: Wrapper; readonly published: Wrapper }> => {
  const file = process.env["OPENCLAW_WRAPPER"]
  return { published, measured: file === undefined ? published : await loadInstalled(file) }
}
