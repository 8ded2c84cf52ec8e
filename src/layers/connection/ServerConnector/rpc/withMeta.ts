/** What goes into `_meta` of a message of ours: the envelope of the revision of 2026-07-28, and the token of its progress. */
import { isObject } from "../../../../schemas/data/Json.ts"

type Params = Readonly<Record<string, unknown>>

export const withMeta = (params: Params, envelope: Params | undefined, progressToken: number | undefined): Params => {
  const own = params["_meta"]
  // The case of nearly every call, without a copy of what is not there.
  if (envelope === undefined && own === undefined) {
    return progressToken === undefined ? params : { ...params, _meta: { progressToken } }
  }
  const token = progressToken === undefined ? undefined : { progressToken }
  return { ...params, _meta: { ...envelope, ...(isObject(own) ? own : undefined), ...token } }
}
