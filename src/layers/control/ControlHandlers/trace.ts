/** The way of one call through the pipeline, from the times at which its stages ended. */
import type { Trail } from "../../../schemas/call/Trail.ts"
import type { AuditCall } from "../../../schemas/call/AuditRecord.ts"
import type { TraceSpan, TraceValue } from "../../../schemas/control/Trace.ts"
import type { Remembered } from "./remembered.ts"

const MICROS = 1_000

type Stage = TraceSpan["name"]

/** The stages with the times at which they ended, in their order. */
const endsOf = ({ admitted, answered, approved, authorized, resolved, shaped }: Trail) =>
  [
    ["resolve", resolved],
    ["authorize", authorized],
    ["approve", approved],
    ["admit", admitted],
    ["dispatch", answered],
    ["shape", shaped]
  ] as const satisfies ReadonlyArray<readonly [Stage, number | undefined]>

/** Each stage begins where the one before it ended. The time after the last one that ended well belongs to the stage in which it ended. */
export const spansOf = (trail: Trail, call: typeof AuditCall.Type): ReadonlyArray<TraceSpan> => {
  const { began, ended = began } = trail
  const of = (name: Stage, from: number, to: number, attributes: TraceSpan["attributes"] = {}): TraceSpan => ({
    name,
    startUs: Math.round((from - began) * MICROS),
    durationUs: Math.max(0, Math.round((to - from) * MICROS)),
    ...(name === "dispatch" && call.server !== null ? { server: call.server } : {}),
    attributes
  })
  const about: Partial<Record<Stage, TraceSpan["attributes"]>> = {
    ...(call.decision === undefined ? {} : { authorize: { allowed: call.decision.allowed, rule: call.decision.rule } }),
    shape: { resultChars: call.resultChars, findings: call.findings.reduce((sum, { count }) => sum + count, 0) }
  }
  const spans: Array<TraceSpan> = []
  let from = began
  for (const [name, end] of endsOf(trail)) {
    // One that was resolved again has earlier times of stages that it has not reached since.
    const isReached = end !== undefined && end >= from
    spans.push(of(name, from, isReached ? end : ended, about[name]))
    from = isReached ? end : ended
    if (!isReached) break
  }
  if (trail.shaped !== undefined && from < ended) spans.push(of("record", from, ended))
  return [of("call", began, ended, { outcome: call.outcome, agent: call.agent, tool: call.tool }), ...spans]
}

/** `null` for a call that is not kept any more, or has no trail. */
export const traceOf =
  ({ call, heard }: Remembered) =>
  (id: string): TraceValue | null => {
    const kept = call(id)
    if (kept?.value.kind !== "call" || kept.value.trail === undefined) return null
    const record = heard([kept])[0]?.record
    if (record?.kind !== "call") return null
    const { trail } = kept.value
    return { id, at: kept.value.at - record.durationMs, record, spans: spansOf(trail, record) }
  }
