/**
 * Keeps secret values out of all output (logs, errors, spans, results, stderr), and out of what is sent to servers that may
 * not have them.
 *
 * It finds a value in these forms, anywhere in a text:
 * - as it is, and line by line when it has several; also read as Latin-1 by mistake (`Ã¼`)
 * - in base64 and base64url, alone or within something longer (`user:value`), in one line or in lines of 40 characters or
 *   more; a value of Latin-1 characters in that encoding, too
 * - in hex, and from 8 bytes on as a list of its bytes: `73 65`, `73:65`, `7365 63`, `0x73, 0x65`, `115, 101`
 * - URL- and form-encoded, once or twice, in capitals or small letters, in whole or in part
 * - escaped for JSON, once or twice, in whole or in part; as in Python, Go, JavaScript and C (`\x73`, `\u0073`, `\163`), in
 *   double or single quotes; for a shell, within single quotes or character by character
 * - escaped for HTML and XML by name or number, in whole or in part; in quoted-printable
 * - in mixtures of these escapes, and with escapes of escapes twice; broken by characters that cannot be seen
 *
 * It does not find values that are reversed, cut into pieces, compressed, encrypted, encoded in base64 twice or spelled in
 * look-alike letters, nor a value that forms a new escape together with the characters around it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { InTurns } from "../../schemas/data/InTurns.ts"

export interface RegisterOptions {
  /**
   * Whether `holdsForeign` reports the value. Default: true. Set it to false for values that anybody might write by chance:
   * those are masked only.
   */
  readonly guarded?: boolean | undefined
}

/**
 * Keeps secret values out of all output (logs, errors, spans, results, stderr), and out of what is sent to servers that may
 * not have them.
 */
export class Redactor extends Context.Service<
  Redactor,
  {
    /**
     * Registers a value for the rest of the process; a replaced value stays registered. Returns `false` for values that
     * cannot be masked: those shorter than 6 characters, which occur in ordinary text, and what a mask consists of. `owner`
     * may have the value: `ownerOf` the server that it is handed to. A value can have several owners; one without an owner
     * may not leave the process.
     */
    readonly register: (value: string, owner?: string, options?: RegisterOptions) => boolean
    /**
     * Ends an `owner`. Values that only it owned are no longer secret and may be sent. They are still masked, for text that
     * is under way, until a large number of such values pushes out the oldest.
     */
    readonly release: (owner: string) => void
    /**
     * Whether `text`, which is about to be sent to `owner`, holds in any form a value that was not registered for `owner`. A
     * value that occurs only inside one of the owner's own is not reported. Linear, and nearly free while no value is
     * registered. The memory that it needs is limited, but it does not yield: for a text of megabytes use
     * `holdsForeignInTurns`.
     */
    readonly holdsForeign: (text: string, owner: string) => boolean
    /** The same in steps of a few milliseconds: run it with `inTurns`, which lets others run in between. */
    readonly holdsForeignInTurns: (text: string, owner: string) => InTurns<boolean>
    /** Whether no value is registered: then nothing can leak. */
    readonly isEmpty: () => boolean
    /** Changes whenever a value is registered: a text that was cleaned before may contain it. */
    readonly version: () => number
    /**
     * Replaces every registered value, in any form, by `[REDACTED]`. The longest match wins; overlapping values are replaced
     * together. Linear and idempotent; returns the same string when nothing is found. Like `holdsForeign`, it limits memory
     * but does not yield.
     */
    readonly redact: (text: string) => string
    /** The same in steps of a few milliseconds. */
    readonly redactInTurns: (text: string) => InTurns<string>
  }
>()("mcp-live/services/Redactor") {}

/** `version` of the Redactor; constant when there is none. */
export const secretsVersion: Effect.Effect<() => number> = Effect.map(
  Effect.serviceOption(Redactor),
  Option.match({ onNone: () => () => 0, onSome: ({ version }) => version })
)
