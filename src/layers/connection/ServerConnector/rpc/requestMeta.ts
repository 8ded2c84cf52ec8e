/** What we add to the `_meta` of a request. */
import { isObject } from "../../../../schemas/data/Json.ts"
import type { Carried } from "../../../../schemas/telemetry/TraceContext.ts"

type Params = Readonly<Record<string, unknown>>

/** Adds to `_meta` the envelope of the revision of 2026-07-28, the token of a request for its progress, and the place in a trace. */
export const withMeta = (
  params: Params,
  envelope: Params | undefined,
  progressToken: number | undefined,
  carried?: Carried | undefined
): Params => {
  const own = params["_meta"]
  // The case of nearly every call: nothing is copied in vain.
  if (envelope === undefined && own === undefined && carried === undefined) {
    return progressToken === undefined ? params : { ...params, _meta: { progressToken } }
  }
  const token = progressToken === undefined ? undefined : { progressToken }
  return { ...params, _meta: { ...envelope, ...(isObject(own) ? own : undefined), ...token, ...carried } }
}
