/**
 * From what waits to be written to a line of the file. What waits holds no arguments and no results, only what is small; its
 * texts are those of servers and models, and are cleaned here, away from the call.
 */
import { AUDIT_VERSION, type AuditRecord } from "../../schemas/AuditRecord.ts"
import { AUDIT_FINDINGS_MAX, AUDIT_SHAPE_MAX_CHARS, LABEL_MAX_CHARS } from "../../schemas/Defaults.ts"
import type { Finding } from "../../schemas/Finding.ts"
import { wordOf, type Label } from "../../schemas/ServerText.ts"
import type { ApprovalRecord, CallRecord, DefinitionRecord } from "../../services/AuditLog.ts"

export type Waiting = { readonly at: number } & (
  | ({ readonly kind: "call"; readonly shape: string } & Omit<CallRecord, "shape">)
  | {
      readonly kind: "finding"
      readonly server: string
      readonly subject: string
      readonly findings: ReadonlyArray<Finding>
    }
  | ({ readonly kind: "definition" } & DefinitionRecord)
  | ({ readonly kind: "approval" } & ApprovalRecord)
  | { readonly kind: "dropped"; readonly count: number; readonly since: number }
)

/** The same few names and shapes come again and again: within one piece each is cleaned once. */
const makeCleaner = (label: Label, maxChars: number): Clean => {
  const known = new Map<unknown, string>()
  return (text) => {
    let clean = known.get(text)
    if (clean === undefined) known.set(text, (clean = wordOf(text, label, maxChars)))
    return clean
  }
}
type Clean = (text: unknown) => string

const HASH = /^[0-9a-f]{64}$/

const isoOf = (at: number): string => new Date(at).toISOString()

/** Tenths are enough for a duration. */
const numberOf = (value: number): number => (Number.isFinite(value) ? Math.round(value * 10) / 10 : 0)

/** What is `undefined` is left out of a line. Every key has to be thought of, though. */
type Parts<R> = R extends unknown ? { readonly [K in keyof R]-?: R[K] | undefined } : never

const recordOf = (waiting: Waiting, time: string, clean: Clean, cleanShape: Clean): Parts<AuditRecord> => {
  const v = AUDIT_VERSION
  const hashOf = (hash: string | undefined) => (hash === undefined || HASH.test(hash) ? hash : clean(hash))
  const findingsOf = (findings: ReadonlyArray<Finding>) =>
    findings
      .slice(0, AUDIT_FINDINGS_MAX)
      .map(({ count, detail, kind }) => ({ kind: clean(kind), detail: clean(detail), count: numberOf(count) }))
  switch (waiting.kind) {
    case "call": {
      const { callId, decision, server } = waiting
      return {
        v,
        time,
        kind: "call",
        agent: clean(waiting.agent),
        server: server === undefined ? null : clean(server),
        tool: clean(waiting.tool),
        callId: callId === undefined ? undefined : clean(callId),
        shape: cleanShape(waiting.shape),
        durationMs: numberOf(waiting.durationMs),
        outcome: clean(waiting.outcome),
        resultChars: numberOf(waiting.resultChars),
        findings: findingsOf(waiting.findings),
        definition: hashOf(waiting.definition),
        decision: decision === undefined ? undefined : { allowed: decision.allowed, rule: clean(decision.rule) }
      }
    }
    case "finding":
      return {
        v,
        time,
        kind: "finding",
        server: clean(waiting.server),
        subject: clean(waiting.subject),
        findings: findingsOf(waiting.findings)
      }
    case "definition":
      return {
        v,
        time,
        kind: "definition",
        server: clean(waiting.server),
        tool: waiting.tool === undefined ? null : clean(waiting.tool),
        change: clean(waiting.change),
        hash: hashOf(waiting.hash) ?? null,
        previous: hashOf(waiting.previous),
        from: waiting.from === undefined ? undefined : clean(waiting.from),
        shadows: waiting.shadows === undefined ? undefined : clean(waiting.shadows),
        pin: clean(waiting.pin)
      }
    case "approval":
      return {
        v,
        time,
        kind: "approval",
        agent: clean(waiting.agent),
        server: clean(waiting.server),
        tool: clean(waiting.tool),
        definition: hashOf(waiting.definition),
        answer: clean(waiting.answer),
        rule: clean(waiting.rule)
      }
    case "dropped":
      return { v, time, kind: "dropped", count: waiting.count, since: isoOf(waiting.since) }
  }
}

/** One line each, without its line break. */
export const linesOf = (waiting: ReadonlyArray<Waiting>, label: Label): ReadonlyArray<string> => {
  const clean = makeCleaner(label, LABEL_MAX_CHARS)
  const cleanShape = makeCleaner(label, AUDIT_SHAPE_MAX_CHARS)
  let [at, time] = [Number.NaN, ""]
  return waiting.map((one) => {
    if (one.at !== at) [at, time] = [one.at, isoOf(one.at)]
    try {
      return JSON.stringify(recordOf(one, time, clean, cleanShape))
    } catch {
      // A bug in one record must not keep all others from being written.
      return JSON.stringify(recordOf({ kind: "dropped", at, count: 1, since: at }, time, clean, cleanShape))
    }
  })
}
