/** Whoever sent a request to us, as the span above ours: its place in the trace, and what else its context holds. */
import * as Context from "effect/Context"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import type { TraceContext } from "../../../schemas/telemetry/TraceContext.ts"

class CameWith extends Context.Service<CameWith, TraceContext>()("mcp-live/layers/telemetry/CameWith") {}

/** Nothing for a context without a place in a trace. */
export const senderOf = (came: TraceContext): Tracer.ExternalSpan | undefined =>
  came.place === undefined
    ? undefined
    : Tracer.externalSpan({ ...came.place, annotations: Context.make(CameWith, came) })

/** What came with the request that all of this is done for. */
export const cameWith = (span: Tracer.AnySpan): TraceContext | undefined => {
  let at: Tracer.AnySpan | undefined = span
  while (at?._tag === "Span") at = Option.getOrUndefined(at.parent)
  return at === undefined ? undefined : Option.getOrUndefined(Context.getOption(at.annotations, CameWith))
}
