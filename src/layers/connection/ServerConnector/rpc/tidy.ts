/** A server's own words in an error, with the findings in them: after cleaning, nobody could find them any more. */
import { CUT_MARGIN_CHARS } from "../../../../schemas/defaults/Texts.ts"
import type { Finding } from "../../../../schemas/content/Finding.ts"
import { inLine } from "../../../../schemas/content/ServerText.ts"

/** Cleans a text, masks known secrets in it, and cuts it to one line of `maxChars` characters. */
export interface Tidy {
  (text: string, maxChars: number): string
  readonly findingsIn?: (text: string) => ReadonlyArray<Finding>
}

/** The fields of an error for the server's words. */
export const saidBy = (
  tidy: Tidy,
  words: string,
  maxChars: number
): { readonly detail: string; readonly findings?: ReadonlyArray<Finding> } => {
  const findings = tidy.findingsIn?.(words.slice(0, maxChars + CUT_MARGIN_CHARS)) ?? []
  const detail = inLine(words, tidy, maxChars)
  return findings.length === 0 ? { detail } : { detail, findings }
}
