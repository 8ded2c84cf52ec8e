/** Short constructors for refusals. */
import { HostRefusal, INVALID_PARAMS, METHOD_NOT_FOUND, REFUSED } from "../../../schemas/content/HostRequest.ts"

/** Our own fault (JSON-RPC, internal error). */
const INTERNAL_ERROR = -32603

export const invalid = (message: string) => new HostRefusal({ code: INVALID_PARAMS, message })
export const notOffered = (message: string) => new HostRefusal({ code: METHOD_NOT_FOUND, message })
export const refused = (message: string) => new HostRefusal({ code: REFUSED, message })
export const failed = (message: string) => new HostRefusal({ code: INTERNAL_ERROR, message })
