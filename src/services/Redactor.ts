/** Keeps secret values out of every text that leaves: logs, errors, spans, results, stderr. */
import * as Context from "effect/Context"

export class Redactor extends Context.Service<
  Redactor,
  {
    /**
     * Makes a value known, for the rest of the process. Values shorter than 6 characters are not masked (masking them
     * would shred ordinary text): `false` says so. `owner` is who may have it: the name of the server that it is handed to.
     * A value can have several owners; one without any belongs to nobody outside this process.
     */
    readonly register: (value: string, owner?: string) => boolean
    /**
     * Whether `text` holds, in any of the forms that `redact` knows, a value that was never registered for `owner`: text on
     * its way out to `owner` that would tell it somebody else's secret. Linear, and nearly free while no value is known.
     */
    readonly holdsForeign: (text: string, owner: string) => boolean
    /** Whether any value is known: without one, nothing can leak and nothing was ever masked. */
    readonly isEmpty: () => boolean
    /**
     * Replaces every known value by `[REDACTED]`: as it is, line by line, URL-encoded, JSON-escaped, in base64 (all three
     * alignments), base64url and hex. The longest match wins. Linear; the same string when nothing is found.
     * A value that is reversed, split or encrypted is not found.
     */
    readonly redact: (text: string) => string
  }
>()("mcp-live/services/Redactor") {}
