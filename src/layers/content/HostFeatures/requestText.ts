/** The texts of one request for a person or a model: cleaned, limited, with the findings in them. */
import { remembering } from "../../../schemas/content/Cleaner.ts"
import type { Finding } from "../../../schemas/content/Finding.ts"
import type { InTurns } from "../../../schemas/data/InTurns.ts"
import { inLine, inProse } from "../../../schemas/content/ServerText.ts"
import type { ContentSanitizer } from "../../../services/content/ContentSanitizer.ts"

export interface Words {
  readonly findings: () => ReadonlyArray<Finding>
  /** The complete text, cleaned. Measure it first. */
  readonly whole: (text: string) => string
  /** With line breaks, at most `maxChars` with a note about the cut. */
  readonly prose: (text: string, maxChars: number) => string
  /** On one line. */
  readonly line: (text: string, maxChars: number) => string
  /** Whether it can be shown unchanged. If an answer must repeat the server's text, a cleaned copy would be another answer. */
  readonly isExact: (text: string, maxChars: number) => boolean
  /** For data that is not text, such as the base64 of an image. */
  readonly holdsSecret: (data: string) => InTurns<boolean>
}

export const make = (sanitizer: ContentSanitizer["Service"]): Words => {
  const { clean, describe, findings, label } = remembering(sanitizer)
  return {
    findings,
    whole: (text) => clean(text).text,
    prose: (text, maxChars) => inProse(text, describe, maxChars),
    line: (text, maxChars) => inLine(text, label, maxChars),
    isExact: (text, maxChars) => text.length <= maxChars && !LINE_BREAK.test(text) && clean(text).text === text,
    holdsSecret: sanitizer.holdsSecretInTurns
  }
}

const LINE_BREAK = /[\r\n\u0085\u2028\u2029]/
