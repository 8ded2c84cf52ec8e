/**
 * Answers a person who has logged in on the page: with their own calls, questions and accounts, and with nothing that tells of anybody else. Numbers
 * and positions in the log count what others do, so people get none of them.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { randomBytes } from "node:crypto"
import type { AuditRecord } from "../../../schemas/call/AuditRecord.ts"
import { auditSubject } from "../../../schemas/call/AuditRecord.ts"
import type { Caller } from "../../../schemas/call/Caller.ts"
import { loggedInId } from "../../../schemas/call/Caller.ts"
import { OPERATOR } from "../../../schemas/call/Forgotten.ts"
import { CONTROL_CONTRACT, type GatewayKind } from "../../../schemas/control/Gateway.ts"
import type { GatewayEvent, HeardRecord, NumberedEvent } from "../../../schemas/control/Events.ts"
import type { PendingQuestion } from "../../../schemas/control/Question.ts"
import { Personal } from "../../../schemas/control/Personal.ts"
import type { TraceValue } from "../../../schemas/control/Trace.ts"
import { KEPT_PIECE } from "../../../schemas/defaults/Control.ts"
import { VERSION } from "../../../schemas/data/Version.ts"
import type { Person } from "../../../schemas/login/Identity.ts"
import { type PersonVisit, Visitor } from "../../../services/control/Visitor.ts"
import type { NodeControl } from "../../../services/fleet/NodeControl.ts"
import type { Desk } from "../../../services/control/Desk.ts"
import { makeSealer, SEAL_KEY_BYTES } from "../../../system/sealed.ts"
import type { Masked } from "./masked.ts"
import { makeMine, type MineParts } from "./mine.ts"
import type { makePast } from "./past.ts"
import type { Remembered } from "./remembered.ts"

interface Parts extends MineParts {
  readonly kind: GatewayKind
  readonly remembered: Remembered
  readonly past: ReturnType<typeof makePast>
  readonly trace: (id: string) => TraceValue | null
  readonly desk: Desk["Service"]
  readonly masked: Masked
  /** The other nodes of a fleet. */
  readonly nodes: NodeControl["Service"] | undefined
}

/** The person and the id of whoever asks. Nobody reaches these handlers without one. */
interface Asking {
  readonly visit: PersonVisit
  readonly caller: Caller
  readonly id: string
}

const asking: Effect.Effect<Asking> = Effect.flatMap(Visitor, (visit) => {
  const caller = visit?.caller()
  const id = loggedInId(caller)
  return visit === undefined || caller === undefined || id === undefined
    ? Effect.interrupt
    : Effect.succeed({ visit, caller, id })
})

/** Longer than ids and cursors are: how many digits a number has would say how much others do. */
const SEALED_CHARS = 96

const isSamePerson = (one: Person | undefined, other: Person | undefined): boolean =>
  one !== undefined && other !== undefined && one.issuer === other.issuer && one.subject === other.subject

/** Who else has answered is not told; that they themselves or the operator did is. */
const shownTo = (id: string, record: AuditRecord): AuditRecord => {
  if (record.kind !== "approval" || record.answeredById === id || record.answeredBy === OPERATOR) return record
  const { answeredBy: _name, answeredById: _id, ...rest } = record
  return rest
}

type Place = "here" | "elsewhere"

/** The questions of all nodes as one list; what else happens is passed on. */
const together = () => {
  const questions: Record<Place, ReadonlyArray<PendingQuestion>> = { here: [], elsewhere: [] }
  return ([place, event]: readonly [Place, GatewayEvent]): GatewayEvent => {
    if (event._tag !== "Questions") return event
    questions[place] = event.questions
    return { _tag: "Questions", questions: [...questions.here, ...questions.elsewhere] }
  }
}

const isOf =
  (id: string) =>
  (record: AuditRecord): boolean =>
    auditSubject(record).personId === id

export const makePersonal = ({ desk, kind, masked, nodes, past, remembered, trace, ...parts }: Parts) => {
  const cursors = makeSealer(randomBytes(SEAL_KEY_BYTES), "cursor")
  const ids = makeSealer(randomBytes(SEAL_KEY_BYTES), "id of a call", true)
  const { after, heard, last, watch } = remembered
  const mine = makeMine(parts)

  const sealed = (call: string | undefined) => (call === undefined ? {} : { id: ids.seal(call.padEnd(SEALED_CHARS)) })

  const heardBy = (id: string, { id: call, record }: HeardRecord): HeardRecord => ({
    record: shownTo(id, record),
    ...sealed(call)
  })

  /** What somebody sees of a record of the past; a search looks at nothing else. */
  const seenBy =
    (id: string) =>
    (record: AuditRecord): AuditRecord | undefined =>
      isOf(id)(record) ? masked(shownTo(id, record)) : undefined

  /** Their records as they come. */
  const passing = ({ caller: { person }, id, visit }: Asking): Stream.Stream<GatewayEvent> =>
    Stream.unwrap(
      Effect.gen(function* () {
        const woken = yield* Queue.sliding<void>(1)
        yield* watch(() => Queue.offerUnsafe(woken, undefined))
        return Stream.unfold(last(), (seen) =>
          Effect.gen(function* () {
            while (last() <= seen) yield* Queue.take(woken)
            const passed = after(seen, KEPT_PIECE)
            const own = passed.flatMap((one) =>
              one._tag === "Record" && "person" in one.record && isSamePerson(one.record.person, person)
                ? [{ seq: one.seq, value: one.record }]
                : []
            )
            // Their session may have ended meanwhile.
            const events = heard(visit.caller() === undefined ? [] : own).flatMap((one): ReadonlyArray<GatewayEvent> =>
              one === undefined ? [] : [{ _tag: "Call", ...heardBy(id, one) }]
            )
            return [events, passed.at(-1)?.seq ?? last()] as const
          })
        ).pipe(Stream.flatMap((piece) => Stream.fromIterable(piece)))
      })
    )

  /** A position is one of this stream alone: whoever comes back asks anew for what they missed. */
  const events = (who: Asking, isBack: boolean): Stream.Stream<NumberedEvent> =>
    Stream.suspend(() => {
      const epoch = randomBytes(6).toString("hex")
      let seq = 0
      const lost: ReadonlyArray<GatewayEvent> = isBack ? [{ _tag: "Missed", count: null }] : []
      const here = Stream.map(desk.questionsOf(who.visit.caller), (all): GatewayEvent => ({
        _tag: "Questions",
        questions: masked(all)
      }))
      const elsewhere = nodes === undefined || who.visit.isPassedOn === true ? Stream.empty : nodes.heardBy(who.caller)
      const all = Stream.merge(
        Stream.map(Stream.merge(here, passing(who)), (event) => ["here", event] as const),
        Stream.map(elsewhere, (event) => ["elsewhere", event] as const)
      )
      return Stream.concat(Stream.fromIterable(lost), Stream.map(all, together())).pipe(
        Stream.mapEffect((event) => Effect.map(Clock.currentTimeMillis, (at) => ({ epoch, seq: seq++, at, event })))
      )
    })

  const traced = (id: string, asked: string): TraceValue | null => {
    const call = ids.open(asked)?.trimEnd()
    const found = call === undefined ? null : trace(call)
    return found === null || !isOf(id)(found.record) ? null : { ...found, id: asked }
  }

  return Personal.of({
    Hello: () =>
      Effect.map(asking, ({ caller }) => ({
        contract: CONTROL_CONTRACT,
        version: VERSION,
        kind,
        pid: 0,
        startedAt: 0,
        configuration: null,
        agents: [],
        agent: "",
        powers: "all" as const,
        person: caller.person?.name ?? ""
      })),
    Events: (request) => Stream.unwrap(Effect.map(asking, (who) => events(who, request.after !== undefined))),
    PastCalls: Effect.fnUntraced(function* ({ before, ...request }) {
      const { id } = yield* asking
      const from = before === undefined ? undefined : cursors.open(before)?.trimEnd()
      if (before !== undefined && from === undefined) return { records: [] }
      const asked = { ...request, ...(from === undefined ? {} : { before: from }) }
      const { cursor, records } = yield* past.calls(asked, seenBy(id))
      return {
        records: records.map(({ id: call, record }) => ({ record, ...sealed(call) })),
        ...(cursor === undefined ? {} : { cursor: cursors.seal(cursor.padEnd(SEALED_CHARS)) })
      }
    }),
    Trace: ({ call }) => Effect.map(asking, ({ id }) => masked(traced(id, call))),
    AnswerQuestion: Effect.fnUntraced(function* (request) {
      const { caller, visit } = yield* asking
      if (yield* desk.answerOf(caller, request.id, request.answer)) return true
      if (nodes === undefined || visit.isPassedOn === true) return false
      const said = yield* nodes.askAs(caller, (client) => client.AnswerQuestion(request))
      return said.some((one) => one._tag === "Said" && one.value)
    }),
    Mine: () => Effect.flatMap(asking, ({ id, visit, caller }) => Effect.map(mine.of(id, caller, visit), masked)),
    ConnectAccount: ({ server }) => Effect.flatMap(asking, ({ visit }) => mine.connect(visit, server)),
    DisconnectAccount: ({ server }) => Effect.flatMap(asking, ({ visit }) => mine.disconnect(visit, server))
  })
}
