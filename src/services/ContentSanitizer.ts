/** Makes text from a server safe to show to a model. The one way out for every such text. */
import * as Context from "effect/Context"
import type { Finding, Origin } from "../schemas/Finding.ts"

export interface Sanitized {
  readonly text: string
  readonly findings: ReadonlyArray<Finding>
}

export class ContentSanitizer extends Context.Service<
  ContentSanitizer,
  {
    /**
     * Cleans `text` and puts it between boundaries that carry a fresh random id, with a line for its source and the
     * sentence that it is data. Each call has its own id: a server that saw an earlier one has gained nothing.
     */
    readonly wrap: (text: string, origin: Origin) => Sanitized
    /**
     * Cleans without wrapping: known secrets masked, control, ANSI, invisible and bidirectional characters removed, forged
     * markers and special tokens neutralised. Benign text is returned unchanged, the same string. Idempotent, linear.
     */
    readonly clean: (text: string) => Sanitized
    /** For names, titles, URIs and other one-liners: cleaned, line breaks to spaces, cut at `maxChars`. */
    readonly label: (text: string, maxChars: number) => string
    /** For descriptions: cleaned, line breaks kept, cut at `maxChars` with a note. */
    readonly describe: (text: string, maxChars: number) => Sanitized
  }
>()("mcp-live/services/ContentSanitizer") {}
