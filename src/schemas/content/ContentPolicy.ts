/** How text from one server is shown to a model, and what happens when something suspicious is in it. */
import type { Finding, FindingKind } from "./Finding.ts"

/**
 * `delimit`: between boundaries with a random id. `datamark`: the same, and a mark of its own stands before every word.
 * `encode`: the same, and the text is base64. These are the three of "Defending Against Indirect Prompt Injection Attacks
 * With Spotlighting" (arXiv 2403.14720). `trusted`: cleaned like all others, but not wrapped; for an operator's own server.
 */
export const CONTENT_MODES = ["delimit", "datamark", "encode", "trusted"] as const
/** How text of a server reaches a model: between boundaries that say whose it is, in one of three ways; or as it is (`trusted`). */
export type ContentMode = (typeof CONTENT_MODES)[number]

/** How text of one server is shown to a model, and what is withheld from it. */
export interface ContentPolicy {
  readonly mode: ContentMode
  /** Content in which one of these was found is not shown. */
  readonly withhold: ReadonlyArray<FindingKind>
}

/** Wrapped and reported. */
export const DEFAULT_CONTENT_POLICY: ContentPolicy = { mode: "delimit", withhold: [] }

/** The findings for which this content is not shown; empty when it is. */
export const withheldFor = ({ withhold }: ContentPolicy, findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> =>
  withhold.length === 0 || findings.length === 0 ? NONE : findings.filter(({ kind }) => withhold.includes(kind))

const NONE: ReadonlyArray<Finding> = []

const BY_STRICTNESS: ReadonlyArray<ContentMode> = ["trusted", "delimit", "datamark", "encode"]

/** The mode that is right for all of them together; the default one for none. */
export const strictest = (modes: ReadonlyArray<ContentMode>): ContentMode =>
  BY_STRICTNESS.findLast((mode) => modes.includes(mode)) ?? DEFAULT_CONTENT_POLICY.mode
