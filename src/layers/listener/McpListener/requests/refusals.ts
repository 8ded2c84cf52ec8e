/** Why a client does not get what it asks for, as JSON-RPC knows it. All in our own words. */
import { RequestRefused } from "../../../../schemas/listener/ListenerError.ts"

export const PARSE_ERROR = -32_700
export const INVALID_REQUEST = -32_600
export const METHOD_NOT_FOUND = -32_601
export const INVALID_PARAMS = -32_602
export const INTERNAL_ERROR = -32_603
/** Of the range that is left to servers. */
export const NOT_NOW = -32_000

export const UNDER_WAY = "A request with this id is under way"

export const invalidParams = (message: string) =>
  new RequestRefused({ code: INVALID_PARAMS, message: `Invalid params: ${message}` })

export const methodNotFound = () => new RequestRefused({ code: METHOD_NOT_FOUND, message: "Method not found" })

export const tooMany = () => new RequestRefused({ code: NOT_NOW, message: "Too many requests are under way" })

export const cancelled = () => new RequestRefused({ code: NOT_NOW, message: "The request was cancelled" })

/** All that is said of a bug. */
export const internalError = () => new RequestRefused({ code: INTERNAL_ERROR, message: "Internal error" })

export const unknownState = () =>
  new RequestRefused({
    code: INVALID_PARAMS,
    message: "Invalid or expired requestState",
    data: { reason: "invalid_request_state" }
  })

/** One for all: an error keeps what runs where it is made, and the result that finds no room with it. */
export const NO_ROOM = new RequestRefused({
  code: NOT_NOW,
  message: "There is no room for what would be kept: too many others are"
})
