/** JSON-RPC errors for clients, all in our own words. */
import { RequestRefused } from "../../../../schemas/listener/ListenerError.ts"

export const PARSE_ERROR = -32_700
export const INVALID_REQUEST = -32_600
export const METHOD_NOT_FOUND = -32_601
export const INVALID_PARAMS = -32_602
export const INTERNAL_ERROR = -32_603
/** From the range that JSON-RPC leaves to servers. */
export const NOT_NOW = -32_000

export const UNDER_WAY = "A request with this id is under way"

export const invalidParams = (message: string) =>
  new RequestRefused({ code: INVALID_PARAMS, message: `Invalid params: ${message}` })

export const methodNotFound = () => new RequestRefused({ code: METHOD_NOT_FOUND, message: "Method not found" })

export const tooMany = () => new RequestRefused({ code: NOT_NOW, message: "Too many requests are under way" })

export const cancelled = () => new RequestRefused({ code: NOT_NOW, message: "The request was cancelled" })

/** A client learns nothing else about a bug. */
export const internalError = () => new RequestRefused({ code: INTERNAL_ERROR, message: "Internal error" })

export const unknownState = () =>
  new RequestRefused({
    code: INVALID_PARAMS,
    message: "Invalid or expired requestState",
    data: { reason: "invalid_request_state" }
  })

/** Made once: an error refers to the place where it was made, and so to the result that has no room. */
export const NO_ROOM = new RequestRefused({
  code: NOT_NOW,
  message: "Too much is being kept for other requests"
})
