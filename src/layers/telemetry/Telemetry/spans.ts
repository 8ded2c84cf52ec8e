/**
 * A tracer whose spans go to a collector when they end. Effect's own tracer for OTLP adds stack traces and messages of errors, says
 * "Ok" where the conventions say nothing, and has neither samplers nor `tracestate`.
 */
import type * as Context from "effect/Context"
import type * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Tracer from "effect/Tracer"
import { entriesToAttributes } from "effect/observability/OtlpResource"
import type { TraceData } from "effect/observability/OtlpTracer"
import { randomBytes } from "node:crypto"
import { PROMPT, TOOL } from "../../../schemas/telemetry/Names.ts"
import type { Sampling } from "../../../schemas/telemetry/TelemetrySettings.ts"
import { cameWith } from "./sender.ts"

/** A span as it is sent. */
export type SentSpan = TraceData["resourceSpans"][number]["scopeSpans"][number]["spans"][number] & {
  // Effect's type does not name these, its writers do.
  readonly flags: number
  readonly traceState?: string
}

const KINDS: Readonly<Record<Tracer.SpanKind, number>> = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 }
const UNSET = 0
const ERROR = 2
const SAMPLED = 1
/** The parent is known to be in another process, or in this one (OTLP, SpanFlags). */
const HAS_IS_REMOTE = 0x100
const IS_REMOTE = 0x200

/** The part of a trace's id that is random in every version of it, as a share. */
const RANDOM_DIGITS = 13
const shareOf = (traceId: string): number => Number.parseInt(traceId.slice(-RANDOM_DIGITS), 16) / 16 ** RANDOM_DIGITS

type SpanOptions = Parameters<Tracer.Tracer["span"]>[0]

export class SpanOfOurs implements Tracer.Span {
  readonly _tag = "Span"
  name: string
  readonly kind: Tracer.SpanKind
  readonly parent: Option.Option<Tracer.AnySpan>
  readonly annotations: Context.Context<never>
  readonly links: Array<Tracer.SpanLink>
  readonly traceId: string
  readonly spanId = randomBytes(8).toString("hex")
  readonly sampled: boolean
  readonly attributes = new Map<string, unknown>()
  status: Tracer.SpanStatus
  readonly #ended: (span: SentSpan) => void

  constructor(
    { annotations, kind, links, name, parent, startTime }: SpanOptions,
    { followsParent, ratio }: Sampling,
    ended: (span: SentSpan) => void
  ) {
    this.name = name
    this.kind = kind
    this.parent = parent
    this.annotations = annotations
    this.links = links
    this.status = { _tag: "Started", startTime }
    const above = Option.getOrUndefined(parent)
    this.traceId = above?.traceId ?? randomBytes(16).toString("hex")
    const isDecided = above !== undefined && (followsParent || above._tag === "Span")
    this.sampled = isDecided ? above.sampled : shareOf(this.traceId) < ratio
    this.#ended = ended
  }

  attribute(key: string, value: unknown): void {
    this.attributes.set(key, value)
  }

  /** It names a tool or a prompt that there is not. A client can make up any name, so none is kept. */
  isUnnamed = false
  unname(): void {
    this.isUnnamed = true
    this.name = this.name.split(" ", 1)[0]!
    this.attributes.delete(TOOL)
    this.attributes.delete(PROMPT)
  }

  /** There are none: everything that is told is an attribute. */
  event(): void {}

  addLinks(links: ReadonlyArray<Tracer.SpanLink>): void {
    for (const link of links) this.links.push(link)
  }

  end(endTime: bigint, exit: Exit.Exit<unknown, unknown>): void {
    if (this.status._tag === "Ended") return
    const { startTime } = this.status
    this.status = { _tag: "Ended", startTime, endTime, exit }
    if (this.sampled) this.#ended(this.#sent(startTime, endTime, exit._tag === "Failure" ? ERROR : UNSET))
  }

  #sent(startTime: bigint, endTime: bigint, code: typeof UNSET | typeof ERROR): SentSpan {
    const parent = Option.getOrUndefined(this.parent)
    const state = cameWith(this)?.place?.state
    return {
      traceId: this.traceId,
      spanId: this.spanId,
      parentSpanId: parent?.spanId,
      name: this.name,
      kind: KINDS[this.kind],
      startTimeUnixNano: String(startTime),
      endTimeUnixNano: String(endTime),
      attributes: entriesToAttributes(this.attributes),
      droppedAttributesCount: 0,
      events: [],
      droppedEventsCount: 0,
      status: { code },
      links: this.links.map(({ attributes, span }) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        attributes: entriesToAttributes(Object.entries(attributes)),
        droppedAttributesCount: 0
      })),
      droppedLinksCount: 0,
      flags: SAMPLED | HAS_IS_REMOTE | (parent?._tag === "ExternalSpan" ? IS_REMOTE : 0),
      ...(state === undefined ? {} : { traceState: state })
    }
  }
}

/** `ended` gets every sampled span at its end. */
export const makeTracer = (sampling: Sampling, ended: (span: SentSpan) => void): Tracer.Tracer => ({
  span: (options) => new SpanOfOurs(options, sampling, ended)
})
