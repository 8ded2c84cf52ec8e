/**
 * Keeps secret values out of every text that leaves: logs, errors, spans, results, stderr; and out of what is sent to a
 * server that they do not belong to.
 *
 * A value is known in these forms, each of them in the middle of any text:
 * - as it is, and line by line when it has several; also read as Latin-1 by mistake (`Ã¼`)
 * - in base64 and base64url, alone or within something longer (`user:value`), in one line or in lines of 40 characters or
 *   more; a value of Latin-1 characters in that encoding, too
 * - in hex, and from 8 bytes on as a list of its bytes: `73 65`, `73:65`, `7365 63`, `0x73, 0x65`, `115, 101`
 * - URL- and form-encoded, once or twice, in capitals or small letters, in whole or in part
 * - escaped for JSON, once or twice, in whole or in part; as in Python, Go, JavaScript and C (`\x73`, `\u0073`, `\163`), in
 *   double or single quotes; for a shell, within single quotes or character by character
 * - escaped for HTML and XML by name or number, in whole or in part; in quoted-printable
 * - in mixtures of these escapes, and with escapes of escapes twice; broken by characters that cannot be seen
 * What is reversed, cut into pieces, compressed, encrypted, put through base64 twice or spelled in look-alike letters is
 * not found. Nor is a value that merges with its surroundings into an escape that it did not have.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { InTurns } from "../../schemas/data/InTurns.ts"

export interface RegisterOptions {
  /** Whether `holdsForeign` tells of it, as it does when left out. What anybody might write by chance is masked only. */
  readonly guarded?: boolean | undefined
}

/**
 * Keeps secret values out of every text that leaves (logs, errors, spans, results, stderr), and out of what is sent
 * to a server that they do not belong to.
 */
export class Redactor extends Context.Service<
  Redactor,
  {
    /**
     * Makes a value known, for the rest of the process: one that is replaced by another is known still. Values shorter than
     * 6 characters are not masked (masking them would shred ordinary text), nor is what a mask consists of: `false` says so.
     * `owner` is who may have it: `ownerOf` the server that it is handed to. A value can have several owners; one
     * without any belongs to nobody outside this process.
     */
    readonly register: (value: string, owner?: string, options?: RegisterOptions) => boolean
    /**
     * `owner` is gone: what was its alone is nobody's secret any more, and may be sent. It is masked still, for what is on its
     * way; the oldest of a large number of such values are forgotten.
     */
    readonly release: (owner: string) => void
    /**
     * Whether `text` holds, in any form, a value that was never registered for `owner`: text on its way out to `owner` that
     * would tell it somebody else's secret. A value that is a part of one of the owner's, and stands within that, is not
     * somebody else's. Linear, and nearly free while no value is known. What it holds in memory is bounded, not the time of
     * its one turn: a text of megabytes is for `holdsForeignInTurns`.
     */
    readonly holdsForeign: (text: string, owner: string) => boolean
    /** The same, in turns of a few milliseconds: with `inTurns` others have theirs between them. */
    readonly holdsForeignInTurns: (text: string, owner: string) => InTurns<boolean>
    /** Whether any value is known: without one, nothing can leak and nothing was ever masked. */
    readonly isEmpty: () => boolean
    /** Another number whenever a value has become known: what was cleaned before may hold it. */
    readonly version: () => number
    /**
     * Replaces every known value by `[REDACTED]`, in any form. The longest match wins; values that overlap are replaced
     * together. Linear, idempotent; the same string when nothing is found. Like `holdsForeign` bounded in its memory alone.
     */
    readonly redact: (text: string) => string
    /** The same, in turns of a few milliseconds. */
    readonly redactInTurns: (text: string) => InTurns<string>
  }
>()("mcp-live/services/Redactor") {}

/** `version` where somebody knows secrets; always the same where nobody does. */
export const secretsVersion: Effect.Effect<() => number> = Effect.map(
  Effect.serviceOption(Redactor),
  Option.match({ onNone: () => () => 0, onSome: ({ version }) => version })
)
