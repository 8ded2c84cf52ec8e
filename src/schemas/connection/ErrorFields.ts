/**
 * What errors about servers have in common. An error that quotes its server has the two parts of its message apart: `told`, in our
 * own words, and `words`, the server's. `partsOf` reads them.
 */
import * as Schema from "effect/Schema"
import { FINDING_KINDS } from "../content/Finding.ts"

/** The name of the server. */
export const server = Schema.String
/** Whether the detail is a sentence of ours in which nothing came from the server. */
export const isOurs = Schema.optionalKey(Schema.Literal(true))
/** The key that changes it, where it is not that of the server's entry; `null` where the reader has none. */
export const key = Schema.optionalKey(Schema.NullOr(Schema.String))
/** What was suspicious in the server's own words, which are clean by now. */
export const findings = Schema.optionalKey(
  Schema.Array(Schema.Struct({ kind: Schema.Literals(FINDING_KINDS), detail: Schema.String, count: Schema.Finite }))
)

/** A message in two parts: what we say, and what the server said, which is untrusted. */
export interface Parts {
  readonly told: string
  readonly words: string
}

/** An error's message in two parts: ours, and the server's, which is untrusted. */
export const partsOf = (error: { readonly message: string } | (Parts & { readonly message: string })): Parts =>
  "words" in error ? { told: error.told, words: error.words } : { told: error.message, words: "" }

/** A short time, for people. */
export function seconds(ms: number) {
  return ms < 1000 ? `${Math.ceil(ms)} ms` : `${Math.ceil(ms / 1000)} s`
}
