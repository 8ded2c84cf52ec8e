/** Makes text from a server safe to show to a model. The one way out for every such text. */
import * as Context from "effect/Context"
import type { Finding } from "../schemas/Finding.ts"
import type { Origin } from "../schemas/Origin.ts"

export interface Sanitized {
  readonly text: string
  readonly findings: ReadonlyArray<Finding>
}

export interface Wrapped extends Sanitized {
  /** Characters of the cleaned text inside, before boundaries, marks and encoding. */
  readonly chars: number
  /** The policy of the origin does not let it be shown: `text` is a sentence of ours, with nothing of the server in it. */
  readonly withheld: boolean
}

export class ContentSanitizer extends Context.Service<
  ContentSanitizer,
  {
    /**
     * Cleans `text` and puts it between boundaries that carry a fresh random id, with a line for its source and the
     * sentence that it is data. Each call has its own id: a server that saw an earlier one has gained nothing.
     *
     * How it is presented, and whether it is shown at all, is for `origin.content` to say (`ContentPolicy`). `before` are
     * findings of the same content that were made elsewhere: they count for that decision and are not given back.
     */
    readonly wrap: (text: string, origin: Origin, before?: ReadonlyArray<Finding>) => Wrapped
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
