/** The ways to clean a server's words, as in `ContentSanitizer`, and a variant that remembers the findings. */
import type { Finding } from "./Finding.ts"
import { inOneLine } from "../data/Whitespace.ts"

export interface Cleaner {
  readonly clean: (text: string) => { readonly text: string; readonly findings: ReadonlyArray<Finding> }
  readonly holdsSecret: (text: string) => boolean
  readonly label: (text: string, maxChars: number) => string
  readonly describe: (
    text: string,
    maxChars: number
  ) => { readonly text: string; readonly findings: ReadonlyArray<Finding> }
}

export interface Remembering extends Cleaner {
  /** The findings in all texts so far; each text counts once, however often it was cleaned. */
  readonly findings: () => ReadonlyArray<Finding>
}

/** Nothing of these is left in a clean text. */
const PUT_TOGETHER: ReadonlySet<Finding["kind"]> = new Set(["secretEcho", "forgedMarker", "specialToken"])

/** The remaining characters for labels. A label that is too long for it is not shown at all. */
export interface LabelRoom {
  chars: number
}

const NOT_SHOWN = "…"

/** For definitions and names in sentences, where `label` itself reports no findings. */
export const remembering = (
  { clean, describe, holdsSecret, label }: Cleaner,
  room: LabelRoom = { chars: Number.POSITIVE_INFINITY }
): Remembering => {
  const known = new Set<string>()
  /** The results by length and text: the blocks of a result may all have the same words. */
  const labels = new Map<string, string>()
  const found: Array<Finding> = []
  const isNew = (text: string) => known.size < known.add(text).size
  const remember = (findings: ReadonlyArray<Finding>) => {
    for (const finding of findings) found.push(finding)
  }
  return {
    clean: (text) => {
      const cleaned = clean(text)
      if (isNew(text)) remember(cleaned.findings)
      return cleaned
    },
    holdsSecret: (text) => {
      const holds = holdsSecret(text)
      if (holds && isNew(text)) remember(clean(text).findings)
      return holds
    },
    label: (text, maxChars) => {
      const key = `${maxChars} ${text}`
      const before = labels.get(key)
      if (before !== undefined) return before
      if (!known.has(text)) {
        if (text.length > room.chars) return NOT_SHOWN.slice(0, maxChars)
        room.chars -= text.length
        known.add(text)
        const cleaned = clean(text)
        remember(cleaned.findings)
        const line = inOneLine(cleaned.text)
        // A label joins the lines of a text: what only the joined text contains is not in any single line.
        if (line !== cleaned.text) remember(clean(line).findings.filter(({ kind }) => PUT_TOGETHER.has(kind)))
      }
      const made = label(text, maxChars)
      labels.set(key, made)
      return made
    },
    describe: (text, maxChars) => {
      const described = describe(text, maxChars)
      if (isNew(text)) remember(described.findings)
      return described
    },
    findings: () => [...found]
  }
}
