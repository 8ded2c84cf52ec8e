/**
 * What errors about servers have in common. An error that quotes its server has a message in two parts: `told`, our own words, and `words`, the
 * server's. `partsOf` reads them.
 */
import * as Schema from "effect/Schema"
import { FINDING_KINDS } from "../content/Finding.ts"

/** The name of the server. */
export const server = Schema.String
/** The detail is our own sentence, with nothing from the server. */
export const isOurs = Schema.optionalKey(Schema.Literal(true))
/** The key that changes it, if it is not in the server's entry; `null` if the reader has none. */
export const key = Schema.optionalKey(Schema.NullOr(Schema.String))
/** What was suspicious in the server's words before they were cleaned. */
export const findings = Schema.optionalKey(
  Schema.Array(Schema.Struct({ kind: Schema.Literals(FINDING_KINDS), detail: Schema.String, count: Schema.Finite }))
)

/** A message in two parts: our words, and the server's, which are untrusted. */
export interface Parts {
  readonly told: string
  readonly words: string
}

/** The two parts of an error's message: ours, and the server's, which are untrusted. */
export const partsOf = (error: { readonly message: string } | (Parts & { readonly message: string })): Parts =>
  "words" in error ? { told: error.told, words: error.words } : { told: error.message, words: "" }

/** A short time in words. */
export function seconds(ms: number) {
  return ms < 1000 ? `${Math.ceil(ms)} ms` : `${Math.ceil(ms / 1000)} s`
}
