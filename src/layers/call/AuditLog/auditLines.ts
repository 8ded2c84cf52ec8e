/**
 * Converts queued records into lines of the file. Queued records hold no arguments or results. Their texts come from servers
 * and models, and are cleaned here instead of during the call.
 */
import { AUDIT_VERSION, type AuditRecord } from "../../../schemas/call/AuditRecord.ts"
import { personIdOf } from "../../../schemas/login/Identity.ts"
import { AUDIT_FINDINGS_MAX, AUDIT_SHAPE_MAX_CHARS } from "../../../schemas/defaults/Audit.ts"
import { LABEL_MAX_CHARS } from "../../../schemas/defaults/Texts.ts"
import type { Finding } from "../../../schemas/content/Finding.ts"
import type { Person } from "../../../schemas/login/Identity.ts"
import { wordOf, type Label } from "../../../schemas/content/ServerText.ts"
import type { QueuedCall, QueuedRecord } from "../../../services/call/AuditFeed.ts"

type Clean = (text: unknown) => string

/** The same few names and shapes recur, mostly in a row: each is cleaned once per chunk. */
const once = (make: Clean): Clean => {
  const known = new Map<unknown, string>()
  let [last, madeOfLast]: [unknown, string | undefined] = [undefined, undefined]
  return (text) => {
    if (madeOfLast !== undefined && text === last) return madeOfLast
    let made = known.get(text)
    if (made === undefined) known.set(text, (made = make(text)))
    last = text
    madeOfLast = made
    return made
  }
}

const HASH = /^[0-9a-f]{64}$/

/** Hashes need no cleaning. */
const hashBy =
  (clean: Clean): Clean =>
  (hash) =>
    typeof hash === "string" && HASH.test(hash) ? hash : clean(hash)

const findingsBy = (clean: Clean) => (findings: ReadonlyArray<Finding>) =>
  findings
    .slice(0, AUDIT_FINDINGS_MAX)
    .map(({ count, detail, kind }) => ({ kind: clean(kind), detail: clean(detail), count: numberOf(count) }))

/** An invalid time is written as the first one, 1970. */
const isoOf = (at: number): string => {
  const date = new Date(at)
  return (Number.isNaN(date.getTime()) ? new Date(0) : date).toISOString()
}

/** A duration has one decimal place. */
const numberOf = (value: number): number => (Number.isFinite(value) ? Math.round(value * 10) / 10 : 0)

/** `undefined` values are left out of a line, but every key must be given. */
type Parts<R> = R extends unknown ? { readonly [K in keyof R]-?: R[K] | undefined } : never

const answererOf = (by: Person | string | undefined, clean: Clean) =>
  by === undefined || typeof by === "string"
    ? { answeredBy: by && clean(by), answeredById: undefined }
    : { answeredBy: clean(by.name), answeredById: personIdOf(by) }

type OtherRecord = Exclude<AuditRecord, { readonly kind: "call" }>

const recordOf = (waiting: Exclude<QueuedRecord, QueuedCall>, time: string, clean: Clean): Parts<OtherRecord> => {
  const v = AUDIT_VERSION
  const hashOf = (hash: string | undefined) => (hash === undefined ? undefined : hashBy(clean)(hash))
  const findingsOf = findingsBy(clean)
  switch (waiting.kind) {
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
        count: waiting.count === undefined ? undefined : numberOf(waiting.count),
        pin: clean(waiting.pin)
      }
    case "approval":
      return {
        v,
        time,
        kind: "approval",
        agent: clean(waiting.agent),
        person: waiting.person === undefined ? undefined : clean(waiting.person.name),
        personId: waiting.person === undefined ? undefined : personIdOf(waiting.person),
        server: clean(waiting.server),
        tool: clean(waiting.tool),
        definition: hashOf(waiting.definition),
        answer: clean(waiting.answer),
        ...answererOf(waiting.answeredBy, clean),
        rule: clean(waiting.rule)
      }
    case "dropped":
      return { v, time, kind: "dropped", count: waiting.count, since: isoOf(waiting.since) }
  }
}

/** The texts of a call, cleaned and as JSON. Each has its own cache of the last value, because most repeat. */
const textsBy = (label: Label) => {
  const clean = once((text) => wordOf(text, label, LABEL_MAX_CHARS))
  const word = () => once((text) => JSON.stringify(clean(text)))
  return {
    clean,
    agent: word(),
    client: word(),
    person: once(
      // A name is not enough: two people may have the same one.
      (person) => `${JSON.stringify(clean((person as Person).name))},"personId":"${personIdOf(person as Person)}"`
    ),
    server: word(),
    tool: word(),
    callId: word(),
    shape: once((text) => JSON.stringify(wordOf(text, label, AUDIT_SHAPE_MAX_CHARS))),
    outcome: word(),
    quota: word(),
    hash: once((text) => JSON.stringify(hashBy(clean)(text))),
    rule: word()
  }
}
type Texts = ReturnType<typeof textsBy>

/** The parts of a line around its variable values, which are the duration and the size of the result; the time comes first. */
type Frame = readonly [before: string, between: string, after: string]

/** As one string each, so that a line is not assembled from many parts. */
const flat = (...parts: ReadonlyArray<string>): string => parts.join("")

const frameOf = (
  { agent, callId, client, decision, definition, findings, outcome, person, quota, server, shape, tool }: QueuedCall,
  texts: Texts
): Frame => [
  flat(
    `","kind":"call","agent":${texts.agent(agent)}`,
    client === undefined ? "" : `,"client":${texts.client(client)}`,
    person === undefined ? "" : `,"person":${texts.person(person)}`,
    `,"server":${server === undefined ? "null" : texts.server(server)}`,
    `,"tool":${texts.tool(tool)}`,
    callId === undefined ? "" : `,"callId":${texts.callId(callId)}`,
    `,"shape":${texts.shape(shape)},"durationMs":`
  ),
  flat(
    `,"outcome":${texts.outcome(outcome)}`,
    quota === undefined ? "" : `,"quota":${texts.quota(quota)}`,
    `,"resultChars":`
  ),
  flat(
    `,"findings":${findings.length === 0 ? "[]" : JSON.stringify(findingsBy(texts.clean)(findings))}`,
    definition === undefined ? "" : `,"definition":${texts.hash(definition)}`,
    decision === undefined
      ? ""
      : `,"decision":{"allowed":${decision.allowed ? "true" : "false"},"rule":${texts.rule(decision.rule)}}`,
    "}"
  )
]

/** Whether the calls differ only in times and sizes. */
const isLike = (one: QueuedCall, other: QueuedCall): boolean =>
  one.tool === other.tool &&
  one.server === other.server &&
  one.shape === other.shape &&
  one.outcome === other.outcome &&
  one.quota === other.quota &&
  one.callId === other.callId &&
  one.agent === other.agent &&
  one.client === other.client &&
  one.person === other.person &&
  one.definition === other.definition &&
  one.decision?.allowed === other.decision?.allowed &&
  one.decision?.rule === other.decision?.rule &&
  one.findings.length === 0 &&
  other.findings.length === 0

const OPENING = `{"v":${AUDIT_VERSION},"time":"`

/** The line of a call, by far the most frequent record: reuses the parts of the last line if the calls are alike. */
const lineOfCallBy = (texts: Texts) => {
  let last: QueuedCall | undefined
  let frame: Frame = ["", "", ""]
  return (call: QueuedCall, time: string): string => {
    if (last === undefined || !isLike(call, last)) frame = frameOf(call, texts)
    last = call
    const [before, between, after] = frame
    return OPENING + time + before + numberOf(call.durationMs) + between + numberOf(call.resultChars) + after
  }
}

/** One line for each record, without line breaks. */
export const linesOf = (waiting: ReadonlyArray<QueuedRecord>, label: Label): ReadonlyArray<string> => {
  const texts = textsBy(label)
  const lineOfCall = lineOfCallBy(texts)
  let [at, time] = [Number.NaN, ""]
  return waiting.map((one) => {
    if (one.at !== at) [at, time] = [one.at, isoOf(one.at)]
    try {
      return one.kind === "call" ? lineOfCall(one, time) : JSON.stringify(recordOf(one, time, texts.clean))
    } catch {
      // A bug in one record must not keep the others from being written.
      return JSON.stringify(recordOf({ kind: "dropped", at, count: 1, since: at }, time, texts.clean))
    }
  })
}
