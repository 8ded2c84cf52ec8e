/** Keeps secret values out of every text that leaves: logs, errors, spans, results, stderr. */
import * as Context from "effect/Context"

export class Redactor extends Context.Service<
  Redactor,
  {
    /**
     * Makes a value known, for the rest of the process. Values shorter than 6 characters are not masked (masking them
     * would shred ordinary text): `false` says so.
     */
    readonly register: (value: string) => boolean
    /**
     * Replaces every known value by `[REDACTED]`: as it is, line by line, URL-encoded, JSON-escaped, in base64 (all three
     * alignments), base64url and hex. The longest match wins. Linear; the same string when nothing is found.
     * A value that is reversed, split or encrypted is not found.
     */
    readonly redact: (text: string) => string
  }
>()("mcp-live/services/Redactor") {}
