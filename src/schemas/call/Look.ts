/** How the result of a call is shown: as an agent gets it, or to a person who made the call. */
import { DEFAULT_CONTENT_POLICY, type ContentPolicy } from "../content/ContentPolicy.ts"
import type { Budget } from "../connection/ServerConfig.ts"
import { RESULT_STORE_ITEM_MAX_BYTES } from "../defaults/Results.ts"

/**
 * `agent`: within the budget, as the server's content policy says. `person`: whole, between boundaries, and never encoded. `raw`: whole,
 * and only what the server sent. It is cleaned in every case.
 */
export const LOOKS = ["agent", "person", "raw"] as const
export type Look = (typeof LOOKS)[number]

/** For whom our own words about a call are: a model has a user whom it can ask. */
export type Reader = "model" | "person"

export const readerOf = (look: Look | undefined): Reader =>
  look === undefined || look === "agent" ? "model" : "person"

/** A person has no context window to fill. */
const WHOLE: Budget = { bytes: RESULT_STORE_ITEM_MAX_BYTES, blocks: 10_000 }

export const budgetFor = (look: Look | undefined, budget: Budget): Budget =>
  look === undefined || look === "agent" ? budget : WHOLE

export const contentFor = (look: Look | undefined, content: ContentPolicy = DEFAULT_CONTENT_POLICY): ContentPolicy => {
  if (look === undefined || look === "agent" || content.mode === "trusted") return content
  return { ...content, mode: look === "raw" ? "trusted" : "delimit" }
}

/** The same object for an agent: what belongs to an origin is kept by its identity. */
export const originSeenBy = <A extends { readonly content?: ContentPolicy }>(look: Look | undefined, origin: A): A =>
  look === undefined || look === "agent" ? origin : { ...origin, content: contentFor(look, origin.content) }
