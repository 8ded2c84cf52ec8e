/**
 * Removes terminal sequences and control characters: a sequence with its parameters and payload; tab, line feed and the
 * carriage return of a CRLF stay. An unterminated string sequence removes at most the rest of its line. Other line and page
 * breaks (CR, FF, VT, NEL) become line feeds, so that words stay separate.
 */
import { CONTROL } from "./kinds.ts"
import type { Tally } from "./tally.ts"

const CONTROLS = new RegExp(CONTROL, "g")

/**
 * Precedes a one-byte introducer. In UTF-8 that was read as Latin-1 (`Ã\x9f` for ß), these bytes are parts of letters: after
 * another such byte they begin no sequence, or visible text would be removed. After the end of a string they may begin one,
 * unless that end is part of such a letter.
 */
const NOT_IN_LETTER = String.raw`(?<![\x80-\x9b\x9d-\xbf\xc2-\xf4]|[\x80-\xbf\xc2-\xf4]\x9c)`
const oneByte = (codes: string) => `${NOT_IN_LETTER}[${codes}]`

/**
 * Title, link, clipboard, image and device strings (OSC, DCS, APC, PM, SOS), control sequences (CSI), and short escapes. The
 * parts exclude one another, so that no text is scanned twice.
 */
const SEQUENCES = new RegExp(
  [
    // A properly closed string may span lines (images do); an operating system command may not, and neither may strings with
    // a one-byte introducer.
    String.raw`\x1b[PX^_][^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]*(?:\x1b\\|\x9c)`,
    String.raw`(?:\x1b[PX^_\]]|${oneByte(String.raw`\x90\x98\x9d-\x9f`)})[^\x00-\x08\x0a-\x1f\x7f-\x9f]*(?:\x07|\x1b\\|\x9c)?`,
    String.raw`(?:\x1b\[|${oneByte(String.raw`\x9b`)})[0-?]*[ -/]*[@-~]?`,
    String.raw`\x1b[ -/]*[0-~]?`
  ].join("|"),
  "g"
)

/** As a control character it breaks a line, as part of a letter it does not. */
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
