/** The words of one request, on their way to a person or a model: cleaned, bounded, and what was suspicious in them. */
import { remembering } from "../../../schemas/content/Cleaner.ts"
import type { Finding } from "../../../schemas/content/Finding.ts"
import type { InTurns } from "../../../schemas/data/InTurns.ts"
import { inLine, inProse } from "../../../schemas/content/ServerText.ts"
import type { ContentSanitizer } from "../../../services/content/ContentSanitizer.ts"

export interface Words {
  readonly findings: () => ReadonlyArray<Finding>
  /** As it is, but clean. Measure it first. */
  readonly whole: (text: string) => string
  /** With its line breaks, at most `maxChars` and a note that it was cut. */
  readonly prose: (text: string, maxChars: number) => string
  /** On one line. */
  readonly line: (text: string, maxChars: number) => string
  /**
   * Whether it can be shown exactly as it is. Where an answer must repeat what the server wrote, a cleaned copy of it would
   * be another answer.
   */
  readonly isExact: (text: string, maxChars: number) => boolean
  /** Of what is no text, such as the base64 of an image. */
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
