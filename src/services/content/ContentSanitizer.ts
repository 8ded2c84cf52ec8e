/** Makes text from a server safe to show to a model. Every such text passes through here. */
import * as Context from "effect/Context"
import type { InTurns } from "../../schemas/data/InTurns.ts"
import type { Finding } from "../../schemas/content/Finding.ts"
import type { Origin } from "../../schemas/call/Origin.ts"

/** A cleaned text, and what was found in it. */
export interface Sanitized {
  readonly text: string
  readonly findings: ReadonlyArray<Finding>
}

export interface Wrapped extends Sanitized {
  /** Characters of the cleaned text, without boundaries, marks and encoding; 0 when it is withheld. */
  readonly chars: number
  /** The policy of the origin forbids to show it: `text` is then a sentence of ours that holds nothing of the original. */
  readonly withheld: boolean
}

/** Makes text from a server safe to show to a model. Every such text passes through here, and through nothing else. */
export class ContentSanitizer extends Context.Service<
  ContentSanitizer,
  {
    /**
     * Cleans `text` and puts it between boundaries with a new random id, together with a line that names the source and a
     * sentence that says it is data. Every call has a new id: knowing an earlier one does not help a server.
     *
     * The mode of `origin.content` (`ContentPolicy`) decides how the text is presented; the default is `delimit`. In
     * `datamark` and `encode` one more sentence says how to read the text. The mark is chosen for each text from signs that
     * do not occur in it: removing it gives the cleaned text back, and no server can predict it. `trusted` leaves out
     * boundaries and introduction, and changes nothing else.
     *
     * When `origin.content` withholds a kind of finding that is in the text or in `before`, one sentence in square brackets
     * replaces the text, in every mode. It says what was found, and names server and tool if their names are plain words that
     * say nothing else. It needs no boundaries, because nothing in it comes from the server. `before` are findings that were
     * made elsewhere in the same content. They count for this decision only and are not returned; `pattern` and `exfilLink`
     * in the text are found again here and count once. The caller leaves out what else came with the text (structured
     * content, images, links).
     */
    readonly wrap: (text: string, origin: Origin, before?: ReadonlyArray<Finding>) => Wrapped
    /**
     * Cleans without boundaries: masks known secrets, removes control, ANSI, invisible and bidirectional characters, and
     * neutralizes forged markers and special tokens. Returns harmless text unchanged, as the same string. Idempotent and
     * linear.
     */
    readonly clean: (text: string) => Sanitized
    /**
     * Whether a known secret is in data that no model reads as text, such as the base64 of an image. Much cheaper than
     * `clean`, which looks for everything.
     */
    readonly holdsSecret: (text: string) => boolean
    /** The same in steps: the text may have many megabytes. */
    readonly holdsSecretInTurns: (text: string) => InTurns<boolean>
    /** For names, titles, URIs and other single lines: cleaned, line breaks replaced by spaces, cut at `maxChars`. */
    readonly label: (text: string, maxChars: number) => string
    /** For descriptions: cleaned, line breaks kept, cut at `maxChars` with a note. */
    readonly describe: (text: string, maxChars: number) => Sanitized
  }
>()("mcp-live/services/ContentSanitizer") {}
