/** Makes spans with a tracer, and metrics in the registry of Effect, of what happens. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import { TOKEN_CHARS } from "../../../schemas/defaults/Control.ts"
import { ATTRIBUTE_MAX_CHARS } from "../../../schemas/defaults/Telemetry.ts"
import { inLine, type Label } from "../../../schemas/content/ServerText.ts"
import { refusalStage } from "../../../schemas/telemetry/Calls.ts"
import { METHOD, OUTCOME, SERVER, STAGE, STATE } from "../../../schemas/telemetry/Names.ts"
import {
  describe,
  endAttributes,
  remoteAttributes,
  withoutName,
  type Attributes,
  type Ended
} from "../../../schemas/telemetry/Operation.ts"
import { contextIn, readContext, writeContext } from "../../../schemas/telemetry/TraceContext.ts"
import type { Recorder } from "../../../services/telemetry/Telemetry.ts"
import { makeMeter } from "./meters.ts"
import { cameWith, senderOf } from "./sender.ts"
import { SpanOfOurs } from "./spans.ts"

const NANOS = 1e9

/** The reason of a span's status. Tracers show its stack, which says no more than its name. */
class Failed extends Data.TaggedError("Failed")<{ readonly message: string }> {}
const failed = (errorType: string) =>
  Object.assign(new Failed({ message: errorType }), { name: errorType, stack: errorType })

export interface RecorderOptions {
  readonly tracer: Tracer.Tracer
  /** The span that what happens now belongs under. */
  readonly above: () => Tracer.AnySpan | undefined
  /** Makes a name or an address of a stranger safe to show (`ContentSanitizer.label`). */
  readonly label: Label
  /** Whether baggage of MCP clients goes on to servers. */
  readonly baggage: boolean
  /** Whether spans of calls say whose they are. */
  readonly people?: boolean | undefined
  /** Nobody gets the spans: the context of an MCP client goes on as it came, so that its trace stays whole. */
  readonly passesOn?: boolean | undefined
}

export const makeRecorder = Effect.fnUntraced(function* ({
  above,
  baggage,
  label,
  passesOn,
  people,
  tracer
}: RecorderOptions) {
  const clock = yield* Clock.Clock
  const meter = makeMeter(yield* Effect.context())
  const nanos = () => clock.currentTimeNanosUnsafe()
  const secondsSince = (start: bigint) => Number(nanos() - start) / NANOS
  const clean = (text: string) => inLine(text, label, ATTRIBUTE_MAX_CHARS)

  const makeSpan = (
    name: string,
    kind: Tracer.SpanKind,
    parent: Tracer.AnySpan | undefined,
    attributes: Attributes,
    startTime: bigint,
    links: Array<Tracer.SpanLink> = []
  ): Tracer.Span => {
    const span = tracer.span({
      name,
      kind,
      parent: Option.fromUndefinedOr(parent),
      annotations: Context.empty(),
      links,
      startTime,
      root: parent === undefined,
      sampled: parent?.sampled ?? true
    })
    for (const [key, value] of Object.entries(attributes)) span.attribute(key, value)
    return span
  }

  const endSpan = (span: Tracer.Span, ended: Ended) => {
    if (ended.unknownName === true) unname(span)
    for (const [key, value] of Object.entries(endAttributes(ended))) span.attribute(key, value)
    span.end(nanos(), ended.errorType === undefined ? Exit.void : Exit.fail(failed(ended.errorType)))
  }

  /** Whoever asks us: by the message, or else by its HTTP request, to which the span is linked if they differ. */
  const askedFrom = (meta: unknown, header: ((name: string) => string | undefined) | undefined) => {
    const byMessage = senderOf(contextIn(meta))
    const byRequest = header === undefined ? undefined : senderOf(readContext(header))
    const isOther = byMessage !== undefined && byRequest !== undefined && byRequest.spanId !== byMessage.spanId
    return { parent: byMessage ?? byRequest, links: isOther ? [{ span: byRequest, attributes: {} }] : [] }
  }

  const begin: Recorder["begin"] = ({ header, id, method, params, remote, side }) => {
    const start = nanos()
    const described = describe(method, params, { clean, id, remote })
    const { links, parent } =
      side === "server" ? askedFrom(params["_meta"], header) : { parent: above(), links: undefined }
    const span = makeSpan(described.name, side, parent, described.span, start, links)
    const came = cameWith(span)
    const { sampled, spanId, traceId } = span
    const place = passesOn ? came?.place : { traceId, spanId, sampled, state: came?.place?.state }
    const inFlight = side === "client" && described.metric[METHOD] === "tools/call" ? remote.server : undefined
    if (inFlight !== undefined) meter("mcp_live.calls.in_flight", { [SERVER]: inFlight }, 1)
    let hasEnded = false
    return {
      span,
      carried: place === undefined ? undefined : writeContext(place, baggage ? came?.baggage : undefined),
      end: (ended) => {
        if (hasEnded) return
        hasEnded = true
        endSpan(span, ended)
        if (inFlight !== undefined) meter("mcp_live.calls.in_flight", { [SERVER]: inFlight }, -1)
        const isUnnamed = ended.unknownName === true || (span instanceof SpanOfOurs && span.isUnnamed)
        const known = isUnnamed ? withoutName(described.metric) : described.metric
        meter(`mcp.${side}.operation.duration`, { ...known, ...endAttributes(ended) }, secondsSince(start))
      }
    }
  }

  const during: Recorder["during"] = ({ attributes = {}, endedWith, name }, effect) =>
    Effect.suspend(() => {
      const span = makeSpan(clean(name), "internal", above(), attributes, nanos())
      return Effect.onExit(Effect.withParentSpan(effect, span), (exit) =>
        Effect.sync(() => {
          if (Exit.isFailure(exit)) return endSpan(span, { errorType: failureName(exit) })
          const { attributes: more = {}, ...ended } = endedWith?.(exit.value) ?? {}
          for (const [key, value] of Object.entries(more)) span.attribute(key, value)
          endSpan(span, ended)
        })
      )
    })

  const recorder: Recorder = {
    people,
    begin,
    during,
    sessionEnded: (side, remote, seconds, errorType) =>
      meter(`mcp.${side}.session.duration`, { ...remoteAttributes(remote), ...endAttributes({ errorType }) }, seconds),
    moved: (server, from, to) => {
      if (from !== undefined) meter("mcp_live.servers", { [SERVER]: clean(server), [STATE]: from }, -1)
      if (to !== undefined) meter("mcp_live.servers", { [SERVER]: clean(server), [STATE]: to }, 1)
    },
    restarted: (server) => meter("mcp_live.server.restarts", { [SERVER]: clean(server) }, 1),
    called: ({ outcome, resultChars, server }) => {
      const of: Attributes = server === undefined ? {} : { [SERVER]: clean(server) }
      const stage = refusalStage(outcome)
      if (stage !== undefined) meter("mcp_live.calls.refused", { ...of, [STAGE]: stage, [OUTCOME]: outcome }, 1)
      if (resultChars > 0) meter("mcp_live.result.tokens", of, Math.round(resultChars / TOKEN_CHARS))
    }
  }
  return recorder
})

/** Also the request of the client that it is done for. */
const unname = (span: Tracer.AnySpan): void => {
  if (!(span instanceof SpanOfOurs)) return
  span.unname()
  const parent = Option.getOrUndefined(span.parent)
  if (span.kind === "internal" && parent !== undefined) unname(parent)
}

/** The tag of an error, which is a name of ours. */
const failureName = (exit: Exit.Failure<unknown, unknown>): string => {
  const failure = exit.cause.reasons.find((reason) => reason._tag === "Fail")
  const error = failure === undefined ? undefined : (failure.error as { readonly _tag?: unknown })
  if (typeof error?._tag === "string") return error._tag
  return exit.cause.reasons.some((reason) => reason._tag === "Die") ? "defect" : "interrupted"
}
