/** Converts errors of a server for a client: our own words, or those of the server, cleaned. */
import * as Effect from "effect/Effect"
import { ERROR_TEXT_MAX_CHARS } from "../../schemas/defaults/Results.ts"
import { INVALID_PARAMS } from "../../schemas/content/HostRequest.ts"
import { RequestRefused } from "../../schemas/listener/ListenerError.ts"
import type { CompletionError, PromptError, ResourceError } from "../../schemas/call/CallError.ts"
import type { ContentSanitizer } from "../../services/content/ContentSanitizer.ts"

const INTERNAL_ERROR = -32603
/** From the range that JSON-RPC leaves to servers. */
const NOT_NOW = -32000
/** Until 2025-11-25. */
const RESOURCE_NOT_FOUND = -32002

type Failure = ResourceError | PromptError | CompletionError

const codeOf = (error: Failure): number => {
  switch (error._tag) {
    case "ResourceNotFound":
      return RESOURCE_NOT_FOUND
    case "PromptNotFound":
    case "PolicyDenied":
    case "InvalidArguments":
    case "SecretInArguments":
      return INVALID_PARAMS
    case "CircuitOpen":
    case "Overloaded":
    case "RateLimited":
      return NOT_NOW
    default:
      return INTERNAL_ERROR
  }
}

/** What was refused in our own words stays that. */
export type Refuse = (error: Failure | RequestRefused) => Effect.Effect<never, RequestRefused>

export const refusing =
  (sanitizer: Effect.Effect<Pick<ContentSanitizer["Service"], "label">>): Refuse =>
  (error) =>
    error._tag === "RequestRefused"
      ? Effect.fail(error)
      : Effect.flatMap(sanitizer, ({ label }) =>
          Effect.fail(new RequestRefused({ code: codeOf(error), message: label(error.message, ERROR_TEXT_MAX_CHARS) }))
        )

export const invalid = (message: string) => new RequestRefused({ code: INVALID_PARAMS, message })
