/** Where content came from; travels with every result. */
import type { ContentPolicy } from "../content/ContentPolicy.ts"

/** Where content came from; it travels with every result. */
export interface Origin {
  readonly server: string
  readonly tool?: string
  readonly uri?: string
  /** The client of an agent that requested it, if there are several. */
  readonly client?: string | undefined
  /** The policy of its server. Without one, content is wrapped and reported (`DEFAULT_CONTENT_POLICY`). */
  readonly content?: ContentPolicy
}
