/** The real sanitizer over the real redactor, and short ways to speak of what it found. */
import * as Layer from "effect/Layer"
import * as ContentSanitizerLayer from "../../src/layers/content/ContentSanitizer.ts"
import * as RedactorLayer from "../../src/layers/content/Redactor.ts"
import type { Sanitized } from "../../src/services/content/ContentSanitizer.ts"

export const sanitizer = ContentSanitizerLayer.layer.pipe(Layer.provideMerge(RedactorLayer.layer))

/** Findings as `kind×count`, in the order in which they were made. */
export const kinds = ({ findings }: Sanitized) => findings.map(({ count, kind }) => `${kind}×${count}`)

/** Shows a text with everything but printable ASCII as escapes, for the names of tests. */
export const visible = (text: string) =>
  text.replace(/[^\x20-\x7e]/gu, (char) => `{${(char.codePointAt(0) ?? 0).toString(16)}}`).slice(0, 90)
