/** Where content came from; travels with every result. */
import type { ContentPolicy } from "../content/ContentPolicy.ts"

/** Where content came from; it travels with every result. */
export interface Origin {
  readonly server: string
  readonly tool?: string
  readonly uri?: string
  /** For which of several clients of an agent it was asked. */
  readonly client?: string | undefined
  /** Of its server. What has none is wrapped and reported (`DEFAULT_CONTENT_POLICY`). */
  readonly content?: ContentPolicy
}
