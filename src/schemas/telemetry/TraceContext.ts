/**
 * The context of a trace as it travels: in `_meta` of a message (SEP-414) and in HTTP headers. What a peer sends is a stranger's: one
 * that is malformed or too long is ignored, and never an error.
 */
import {
  BAGGAGE_MAX_CHARS,
  TRACEPARENT_MAX_CHARS,
  TRACESTATE_MAX_CHARS,
  TRACESTATE_MAX_MEMBERS
} from "../defaults/Telemetry.ts"
import { isObject } from "../data/Json.ts"

/** The place in a trace that a message comes from. */
export interface TracePlace {
  readonly traceId: string
  readonly spanId: string
  readonly sampled: boolean
  /** What other tracing systems add, unchanged. */
  readonly state: string | undefined
}

/** What a message carries. */
export interface TraceContext {
  readonly place: TracePlace | undefined
  readonly baggage: string | undefined
}

/** The same as it is written: these three names stand in `_meta` and in HTTP headers. */
export interface Carried {
  readonly traceparent: string
  readonly tracestate?: string
  readonly baggage?: string
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const NOTHING = /^0+$/
/** What a header may hold. */
const VISIBLE = /^[\x20-\x7e]*$/

const textWithin = (value: unknown, max: number): string | undefined =>
  typeof value === "string" && value !== "" && value.length <= max && VISIBLE.test(value) ? value : undefined

const stateIn = (value: unknown): string | undefined => {
  const text = textWithin(value, TRACESTATE_MAX_CHARS)
  return text === undefined || text.split(",").length > TRACESTATE_MAX_MEMBERS ? undefined : text
}

const placeIn = (parent: unknown, state: unknown): TracePlace | undefined => {
  const [, version, traceId, spanId, flags, more] =
    TRACEPARENT.exec(textWithin(parent, TRACEPARENT_MAX_CHARS) ?? "") ?? []
  if (traceId === undefined || spanId === undefined || NOTHING.test(traceId) || NOTHING.test(spanId)) return undefined
  // Later versions may add something; this one must not.
  if (version === "ff" || (version === "00" && more !== undefined)) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags!, 16) & 1) === 1, state: stateIn(state) }
}

/** Reads a context; `get` gives the value under a name. */
export const readContext = (get: (name: keyof Carried) => unknown): TraceContext => ({
  place: placeIn(get("traceparent"), get("tracestate")),
  baggage: textWithin(get("baggage"), BAGGAGE_MAX_CHARS)
})

/** The context in `_meta` of a message. */
export const contextIn = (meta: unknown): TraceContext =>
  readContext((name) => (isObject(meta) ? meta[name] : undefined))

export const writeContext = (
  { sampled, spanId, state, traceId }: TracePlace,
  baggage: string | undefined
): Carried => ({
  traceparent: `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`,
  ...(state === undefined ? {} : { tracestate: state }),
  ...(baggage === undefined ? {} : { baggage })
})

/** The HTTP headers that repeat the context of a message, if it has one. */
export const traceHeaders = (params: Readonly<Record<string, unknown>> | undefined): Carried | undefined => {
  const meta = params?.["_meta"]
  if (!isObject(meta) || meta["traceparent"] === undefined) return undefined
  const { baggage, place } = contextIn(meta)
  return place === undefined ? undefined : writeContext(place, baggage)
}
