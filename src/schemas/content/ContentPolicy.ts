/** How text of one server is shown to a model, and what happens when it is suspicious. */
import type { Finding, FindingKind } from "./Finding.ts"

/**
 * `delimit`: between boundaries with a random id. `datamark`: in addition, a mark before every word. `encode`: in addition,
 * the text is base64. These are the three methods of "Defending Against Indirect Prompt Injection Attacks With Spotlighting"
 * (arXiv 2403.14720). `trusted`: cleaned like all others, but not wrapped; for an operator's own server.
 */
export const CONTENT_MODES = ["delimit", "datamark", "encode", "trusted"] as const
/**
 * How text of a server reaches a model: between boundaries that name the source, in one of three ways, or without boundaries
 * (`trusted`).
 */
export type ContentMode = (typeof CONTENT_MODES)[number]

/** How text of one server is shown to a model, and what is withheld from it. */
export interface ContentPolicy {
  readonly mode: ContentMode
  /** Content with one of these findings is not shown. */
  readonly withhold: ReadonlyArray<FindingKind>
}

/** Wrapped and reported. */
export const DEFAULT_CONTENT_POLICY: ContentPolicy = { mode: "delimit", withhold: [] }

/** The findings because of which this content is withheld; empty when it is shown. */
export const withheldFor = ({ withhold }: ContentPolicy, findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> =>
  withhold.length === 0 || findings.length === 0 ? NONE : findings.filter(({ kind }) => withhold.includes(kind))

const NONE: ReadonlyArray<Finding> = []

const BY_STRICTNESS: ReadonlyArray<ContentMode> = ["trusted", "delimit", "datamark", "encode"]

/** The strictest mode of all; the default one for none. */
export const strictest = (modes: ReadonlyArray<ContentMode>): ContentMode =>
  BY_STRICTNESS.findLast((mode) => modes.includes(mode)) ?? DEFAULT_CONTENT_POLICY.mode
