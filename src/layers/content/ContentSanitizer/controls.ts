/**
 * Takes terminal sequences and control characters out of a text: a sequence goes with its parameters and its payload; tab,
 * line feed and the carriage return of a CRLF stay. An unterminated string sequence takes at most the rest of its line.
 * What breaks a line or a page otherwise (CR, FF, VT, NEL) becomes a line feed: without it two words would become one.
 */
import { CONTROL } from "./kinds.ts"
import type { Tally } from "./tally.ts"

const CONTROLS = new RegExp(CONTROL, "g")

/**
 * Stands before an introducer of one byte. In UTF-8 that was read as Latin-1 (`Ã\x9f` for ß) these are parts of letters:
 * behind what looks like another part of one they begin nothing, or visible text would go with them. Behind the end of a
 * string they may, if it is none of such a letter itself.
 */
const NOT_IN_LETTER = String.raw`(?<![\x80-\x9b\x9d-\xbf\xc2-\xf4]|[\x80-\xbf\xc2-\xf4]\x9c)`
const oneByte = (codes: string) => `${NOT_IN_LETTER}[${codes}]`

/**
 * Title, link, clipboard, image and device strings (OSC, DCS, APC, PM, SOS), control sequences (CSI), and the short
 * escapes. The parts of each exclude one another, so that no text is scanned twice.
 */
const SEQUENCES = new RegExp(
  [
    // A string that is closed properly may span lines (images do); an operating system command may not, nor what one byte begins.
    String.raw`\x1b[PX^_][^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]*(?:\x1b\\|\x9c)`,
    String.raw`(?:\x1b[PX^_\]]|${oneByte(String.raw`\x90\x98\x9d-\x9f`)})[^\x00-\x08\x0a-\x1f\x7f-\x9f]*(?:\x07|\x1b\\|\x9c)?`,
    String.raw`(?:\x1b\[|${oneByte(String.raw`\x9b`)})[0-?]*[ -/]*[@-~]?`,
    String.raw`\x1b[ -/]*[0-~]?`
  ].join("|"),
  "g"
)

/** As a control it breaks a line, as part of a letter it does not. */
const NEXT_LINE = "\x85"
const IN_LETTER = /[\x80-\xbf\xc2-\xf4]/
const BREAKS = new Set(["\r", "\v", "\f", NEXT_LINE])

export const stripControls = (text: string, tally: Tally): string => {
  if (!CONTROL.test(text)) return text
  const plain = text.replace(SEQUENCES, () => {
    tally.add("ansi", "terminal escape sequences")
    return ""
  })
  return plain.replace(CONTROLS, (control, index: number) => {
    tally.add("control", "control characters")
    if (!BREAKS.has(control) || (control === NEXT_LINE && IN_LETTER.test(plain[index - 1] ?? ""))) return ""
    return "\n"
  })
}
