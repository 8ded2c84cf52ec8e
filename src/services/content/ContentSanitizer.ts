/** Makes text from a server safe to show to a model. The one way out for every such text. */
import * as Context from "effect/Context"
import type { InTurns } from "../../schemas/data/InTurns.ts"
import type { Finding } from "../../schemas/content/Finding.ts"
import type { Origin } from "../../schemas/call/Origin.ts"

/** A text that was cleaned, and what was found in it. */
export interface Sanitized {
  readonly text: string
  readonly findings: ReadonlyArray<Finding>
}

export interface Wrapped extends Sanitized {
  /** Characters of the cleaned text inside, before boundaries, marks and encoding; 0 when it is withheld. */
  readonly chars: number
  /** The policy of the origin does not let it be shown: `text` is a sentence of ours, with nothing of the text in it. */
  readonly withheld: boolean
}

/** Makes text from a server safe to show to a model. Every such text goes through it, and through nothing else. */
export class ContentSanitizer extends Context.Service<
  ContentSanitizer,
  {
    /**
     * Cleans `text` and puts it between boundaries that carry a fresh random id, with a line for its source and the
     * sentence that it is data. Each call has its own id: a server that saw an earlier one has gained nothing.
     *
     * How it is presented is for the mode of `origin.content` to say (`ContentPolicy`); without one it is `delimit`.
     * In `datamark` and `encode` a further sentence says how to read the text. The mark is chosen for each text, out of
     * signs that are not in it: taking every one out gives the cleaned text back, and no server can have known it. In
     * `trusted` there are no boundaries and no introduction, and nothing else is different.
     *
     * When `origin.content` has findings to withhold, and one of these was made in the text or is among `before`, the text
     * is replaced in every mode by one sentence between square brackets: which server and tool, when their names are plain
     * words that say nothing else, and what was found. There are no boundaries around it: nothing in it is the server's.
     * `before` are findings of the same content that were made elsewhere. They count for that decision alone and are not
     * given back; what stays in a text (`pattern`, `exfilLink`) is found again here and counts once. Whatever else came
     * with the text (structured content, images, links) is for the caller to leave out.
     */
    readonly wrap: (text: string, origin: Origin, before?: ReadonlyArray<Finding>) => Wrapped
    /**
     * Cleans without wrapping: known secrets masked, control, ANSI, invisible and bidirectional characters removed, forged
     * markers and special tokens neutralised. Benign text is returned unchanged, the same string. Idempotent, linear.
     */
    readonly clean: (text: string) => Sanitized
    /**
     * Whether a known secret stands in what no model reads as text, such as the base64 of an image. Much cheaper than `clean`,
     * which looks for everything that a text could say.
     */
    readonly holdsSecret: (text: string) => boolean
    /** The same, in turns: it may be of many megabytes. */
    readonly holdsSecretInTurns: (text: string) => InTurns<boolean>
    /** For names, titles, URIs and other one-liners: cleaned, line breaks to spaces, cut at `maxChars`. */
    readonly label: (text: string, maxChars: number) => string
    /** For descriptions: cleaned, line breaks kept, cut at `maxChars` with a note. */
    readonly describe: (text: string, maxChars: number) => Sanitized
  }
>()("mcp-live/services/ContentSanitizer") {}
