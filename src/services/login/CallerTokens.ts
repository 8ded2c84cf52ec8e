/** The access tokens that persons bring with their requests, for servers that are to get a token in exchange. */
import * as Context from "effect/Context"
import type * as Redacted from "effect/Redacted"
import type { Person } from "../../schemas/login/Identity.ts"

/** The access tokens that persons bring with their requests, for servers that are to get a token in exchange. */
export class CallerTokens extends Context.Service<
  CallerTokens,
  {
    /** The door has checked this token of a request. The newest of a person counts. */
    readonly seen: (person: Person, token: string, expiresAt: number) => void
    /** The last token of the person, as long as it is good. */
    readonly of: (person: Person) => Redacted.Redacted | undefined
  }
>()("mcp-live/services/CallerTokens") {}
