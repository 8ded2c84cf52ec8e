/** Which records the view Calls shows: the filters of its address, as the gateway is asked for them (`isAskedFor`). */
import { AUDIT_KINDS, type AuditKind } from "../../../../../schemas/call/AuditRecord.ts"
import type { PastCallsRequest } from "../../../../../schemas/control/Past.ts"
import type { Query } from "../../router.ts"

export type Filter = Omit<PastCallsRequest, "before" | "limit">

const isKind = (text: string): text is AuditKind => (AUDIT_KINDS as ReadonlyArray<string>).includes(text)

/** Calls, unless another kind is asked for; `all` for every kind. */
export const filterOf = (query: Query): Filter => {
  const { agent = "", client = "", findings, kind = "call", outcome = "", server = "", text = "", tool = "" } = query
  const { person = "" } = query
  return {
    ...(isKind(kind) ? { kind } : {}),
    ...(agent === "" ? {} : { agent }),
    ...(client === "" ? {} : { client }),
    ...(person === "" ? {} : { person }),
    ...(server === "" ? {} : { server }),
    ...(tool === "" ? {} : { tool }),
    ...(outcome === "" ? {} : { outcome }),
    ...(findings === undefined ? {} : { findings: true }),
    ...(text === "" ? {} : { text })
  }
}
