/**
 * Takes terminal sequences and control characters out of a text: a sequence goes with its parameters and its payload; tab,
 * line feed and the carriage return of a CRLF stay. An unterminated string sequence takes at most the rest of its line.
 */
import { CONTROL } from "./kinds.ts"
import type { Tally } from "./tally.ts"

const CONTROLS = new RegExp(CONTROL, "g")

/**
 * Title, link, clipboard, image and device strings (OSC, DCS, APC, PM, SOS), control sequences (CSI), and the short
 * escapes. The parts of each exclude one another, so that no text is scanned twice.
 */
const SEQUENCES = new RegExp(
  [
    // A string that is closed properly may span lines (images do), an operating system command may not.
    String.raw`(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]*(?:\x1b\\|\x9c)`,
    String.raw`(?:\x1b[PX^_\]]|[\x90\x98\x9d-\x9f])[^\x00-\x08\x0a-\x1f\x7f-\x9f]*(?:\x07|\x1b\\|\x9c)?`,
    String.raw`(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?`,
    String.raw`\x1b[ -/]*[0-~]?`
  ].join("|"),
  "g"
)

export const stripControls = (text: string, tally: Tally): string => {
  if (!CONTROL.test(text)) return text
  const plain = text.replace(SEQUENCES, () => {
    tally.add("ansi", "terminal escape sequences")
    return ""
  })
  return plain.replace(CONTROLS, () => {
    tally.add("control", "control characters")
    return ""
  })
}
