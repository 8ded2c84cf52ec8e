/**
 * Errors for a client that brought the server with its session. The user of an editor has no entry for that server in our configuration, so a
 * hint names a key that they can set (`acp.…`, or one of their editor), or none.
 */
import { ConnectTimeout, InvalidLaunch, type ConnectError } from "../../../../schemas/connection/ConnectError.ts"
import { AddressBlocked, AuthRequired } from "../../../../schemas/connection/HttpError.ts"
import { CallTimeout, type RequestError } from "../../../../schemas/connection/RequestError.ts"

export const SLOW_SESSION_HINT = "if it is only slow, a new session may find it faster"
const ALLOW_PRIVATE = "acp.allowPrivate"
const OF_ENTRY = '"allowPrivate"'
const TOOL_TIMEOUT = "acp.toolTimeout"

const rewritten = (error: ConnectError | RequestError): ConnectError | RequestError => {
  switch (error._tag) {
    case "ConnectTimeout":
      return error.hint === undefined ? new ConnectTimeout({ ...fieldsOf(error), hint: SLOW_SESSION_HINT }) : error
    case "CallTimeout":
      return new CallTimeout({ ...fieldsOf(error), key: TOOL_TIMEOUT })
    case "AddressBlocked":
      return new AddressBlocked({ ...fieldsOf(error), key: ALLOW_PRIVATE })
    case "InvalidLaunch":
      return error.detail.includes(OF_ENTRY)
        ? new InvalidLaunch({ ...fieldsOf(error), detail: error.detail.replace(OF_ENTRY, `"${ALLOW_PRIVATE}"`) })
        : error
    case "AuthRequired":
      return error.remedy === undefined ? new AuthRequired({ ...fieldsOf(error), brought: true }) : error
    default:
      return error
  }
}

/** The fields that the error was made from. */
const fieldsOf = <E extends object>(error: E): E => ({ ...error })

/** The same error with these hints. */
export const forSession = <E extends ConnectError | RequestError>(error: E): E => rewritten(error) as E
