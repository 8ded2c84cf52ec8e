/**
 * Approvals of calls by a person. Approvals for good are in `ApprovalStore`: files of the data directory, unless another one is provided.
 * Those for a session are in memory, and in the store if it has room for them. No error ever allows a call.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import {
  isApprovalAnswer,
  isNamedBy,
  sessionKey,
  type SessionSubject,
  type ApprovalAbout,
  type ApprovalAnswer,
  type ApprovalQuestion,
  type ApprovalRequest,
  type Verdict
} from "../../schemas/call/Approval.ts"
import { OPERATOR } from "../../schemas/call/Forgotten.ts"
import type { Person } from "../../schemas/login/Identity.ts"
import { dataDirectory } from "../../schemas/config/DataDirectory.ts"
import { APPROVAL_TIMEOUT_MS, APPROVALS_HELD_MAX } from "../../schemas/defaults/Approvals.ts"
import { LABEL_MAX_CHARS } from "../../schemas/defaults/Texts.ts"
import { inLine } from "../../schemas/content/ServerText.ts"
import { showArguments } from "./Approvals/shownArguments.ts"
import { Approvals, type Approve, type Approver, GivenBy } from "../../services/call/Approvals.ts"
import { ApprovalStore } from "../../services/call/ApprovalStore.ts"
import { AuditLog, type ApprovalRecord } from "../../services/call/AuditLog.ts"
import { ContentSanitizer } from "../../services/content/ContentSanitizer.ts"
import { Redactor } from "../../services/content/Redactor.ts"
import { fileStore } from "./Approvals/approvalFiles.ts"
import { putNewest } from "../../schemas/data/Newest.ts"
import { makeKeyedMutex } from "../../system/keyedMutex.ts"

/** Who is asked, and for how long. */
export interface AskOptions {
  /** Asks the person, for sessions without an approver of their own. Without it such calls are denied. */
  readonly approve?: Approve | undefined
  /** A question without an answer counts as a no after this many milliseconds. */
  readonly timeoutMs?: number | undefined
}

/** The same, and where approvals for good are stored. */
export interface Options extends AskOptions {
  /** The data directory. Default: `$MCP_LIVE_HOME`, else `~/.mcp-live`. */
  readonly directory?: string | undefined
}

/** The client, where it cannot be asked itself. `undefined` where the agent has only one, and the approver of the program is asked. */
type Session = string | undefined

const denied = (reason: (Verdict & { readonly allowed: false })["reason"]): Verdict => ({ allowed: false, reason })

/** A verdict, and the person who gave it where that is not whom the approver stands for. */
interface Judged {
  readonly verdict: Verdict
  readonly by?: Person | undefined
}

const aboutOf = ({ approvers, personId }: ApprovalRequest): ApprovalAbout => ({ approvers, personId })

/** Untyped programs may throw, reject, or return anything. */
const called = (approve: Approve, question: ApprovalQuestion, about: ApprovalAbout): Effect.Effect<unknown, unknown> =>
  Effect.scoped(
    Effect.flatMap(Effect.abortSignal, (signal) =>
      Effect.suspend((): Effect.Effect<unknown, unknown> => {
        const given: unknown = approve(question, signal, about)
        return Effect.isEffect(given) ? (given as Effect.Effect<unknown, unknown>) : Effect.promise(async () => given)
      })
    )
  )

const make = Effect.fnUntraced(function* ({ approve, timeoutMs = APPROVAL_TIMEOUT_MS }: AskOptions) {
  const store = yield* ApprovalStore
  const redactor = yield* Redactor
  const sanitizer = yield* ContentSanitizer
  const audit = yield* AuditLog

  // ---- what is remembered ------------------------------------------------------------------------------------------

  const held = new Map<string, { readonly session: Session }>()
  const heldKey = (session: Session, subject: SessionSubject) => JSON.stringify([session ?? null, sessionKey(subject)])

  const hold = (session: Session, subject: SessionSubject) => {
    putNewest(held, heldKey(session, subject), { session }, APPROVALS_HELD_MAX)
  }

  const BY_SESSION: Verdict = { allowed: true, by: "session", remembered: true }

  /** What was approved where the session was before. */
  const recallStored = (session: Session, request: ApprovalRequest): Effect.Effect<Verdict | undefined> =>
    session === undefined || store.sessions === undefined
      ? Effect.undefined
      : Effect.map(store.sessions.has(session, request), (kept) => {
          if (kept) hold(session, request)
          return kept ? BY_SESSION : undefined
        })

  const recall = (session: Session, request: ApprovalRequest): Effect.Effect<Verdict | undefined> => {
    if (held.has(heldKey(session, request))) return Effect.succeed(BY_SESSION)
    if (request.approvers !== undefined) return recallStored(session, request)
    return Effect.flatMap(store.has(request), (kept) =>
      kept ? Effect.succeed({ allowed: true, by: "always", remembered: true }) : recallStored(session, request)
    )
  }

  const holdForSession = (session: Session, request: ApprovalRequest): Effect.Effect<void> => {
    hold(session, request)
    return (session === undefined ? undefined : store.sessions?.save(session, request)) ?? Effect.void
  }

  /** If it cannot be stored for good, it is kept for the session: the person has said yes. */
  const keep = Effect.fnUntraced(function* (
    session: Session,
    { agent, definition, launch, person, personId, server, tool }: ApprovalRequest
  ) {
    const subject = { agent, server, launch, tool, definition, ...(personId === undefined ? {} : { personId }) }
    const named = personId === undefined ? {} : { personName: person?.name }
    const approvedAt = yield* Clock.currentTimeMillis
    yield* store.save({ ...subject, ...named, approvedAt }).pipe(
      Effect.catch(({ message }) => {
        hold(session, subject)
        return Effect.logWarning(`an approval was not stored, and is forgotten when this program ends: ${message}`)
      })
    )
  })

  // ---- the question ------------------------------------------------------------------------------------------------

  /** The exposed name, the tool and the rule may contain text of a server, or a secret that the operator wrote. */
  const shown = (text: string) => inLine(text, sanitizer.label, LABEL_MAX_CHARS)

  const questionOf = (request: ApprovalRequest): Effect.Effect<ApprovalQuestion> =>
    Effect.map(request.approvers === undefined ? store.hasOther(request) : Effect.succeed(false), (changed) => ({
      agent: shown(request.agent),
      server: shown(request.server),
      tool: shown(request.tool),
      exposed: shown(request.exposed),
      rule: shown(request.rule),
      arguments: showArguments(request.args, redactor.redact),
      changed,
      ...calledBy(request),
      ...(request.approvers === undefined ? {} : { approvers: request.approvers.map(shown) })
    }))

  /** Two issuers may have people of the same name. The user of the operating system knows which calls are their own. */
  const calledBy = ({ approvers, client, person, personId }: ApprovalRequest) => {
    if (person !== undefined && (personId !== undefined || approvers !== undefined))
      return { caller: shown(`${person.name} (${person.issuer})`) }
    return client === undefined || client === OPERATOR ? {} : { caller: shown(client) }
  }

  const settle = (session: Session, request: ApprovalRequest, answer: ApprovalAnswer): Effect.Effect<Verdict> => {
    if (answer === "deny") return Effect.succeed(denied("person"))
    // Whoever approves the calls of somebody else does not decide for good.
    const by = answer === "always" && request.approvers !== undefined ? "session" : answer
    const verdict: Verdict = { allowed: true, by, remembered: false }
    if (by === "session") return Effect.as(holdForSession(session, request), verdict)
    return by === "always" ? Effect.as(keep(session, request), verdict) : Effect.succeed(verdict)
  }

  const ask = Effect.fnUntraced(function* (approve: Approve, session: Session, request: ApprovalRequest) {
    // While this call waited, the person may have answered for further calls.
    const known = yield* recall(session, request)
    if (known !== undefined) return { verdict: known } satisfies Judged
    const question = yield* questionOf(request)
    yield* note(request, "asked", undefined)
    const given = yield* called(approve, question, aboutOf(request))
    const { answer, by } = given instanceof GivenBy ? given : { answer: given, by: undefined }
    if (isApprovalAnswer(answer)) return { verdict: yield* settle(session, request, answer), by } satisfies Judged
    yield* Effect.logWarning("a call was not approved: the answer must be once, session, always or deny")
    return { verdict: denied("failed") } satisfies Judged
  })

  const note = (
    { agent, definition, person, rule, server, tool }: ApprovalRequest,
    answer: ApprovalRecord["answer"],
    answeredBy: ApprovalRecord["answeredBy"]
  ) =>
    audit.approval({
      agent,
      ...(person === undefined ? {} : { person }),
      server,
      tool,
      definition,
      rule,
      answer,
      ...(answeredBy === undefined ? {} : { answeredBy })
    })

  /** The client of the call answers for its person, and whoever is asked by the program is its operator. */
  const answererOf = ({ client, person }: ApprovalRequest, asked: Approver | undefined): ApprovalRecord["answeredBy"] =>
    asked === undefined || asked.isOperator === true ? OPERATOR : (person ?? client)

  /** A remembered approval is not recorded as an answer; the record of the call names the rule. */
  const noted = (request: ApprovalRequest, { by, verdict }: Judged, asked?: Approver): Effect.Effect<Verdict> => {
    if (verdict.allowed && verdict.remembered) return Effect.succeed(verdict)
    const isAnswered = verdict.allowed || verdict.reason === "person"
    const answerer = isAnswered ? (by ?? answererOf(request, asked)) : undefined
    return Effect.as(note(request, verdict.allowed ? "given" : "denied", answerer), verdict)
  }

  /** An interruption from outside stays one, because nobody waits for the verdict. One from inside the question is a failure. */
  const askSafely = (approve: Approve, session: Session, request: ApprovalRequest): Effect.Effect<Judged> =>
    Effect.suspend(() => ask(approve, session, request)).pipe(
      Effect.catchCause((cause) =>
        Effect.as(
          Cause.hasInterruptsOnly(cause) ? Effect.void : Effect.logError("asking for an approval failed", cause),
          { verdict: denied("failed") }
        )
      )
    )

  /** Calls of the same tool in the same session are asked about one after the other. */
  const { inTurn } = yield* makeKeyedMutex

  return Approvals.of({
    decide: Effect.fn("Approvals.decide")(function* (request: ApprovalRequest, own?: Approver) {
      // The client whose call it is never answers for somebody else.
      const asked = request.approvers === undefined || own?.isOperator === true ? own : undefined
      const session = own?.session ?? request.client
      const known = yield* recall(session, request)
      if (known !== undefined) return known
      const asks = asked === undefined ? approve : asked.approve
      if (asks === undefined || asks.canAsk?.(aboutOf(request)) === false) {
        return yield* noted(request, { verdict: denied("nobody") })
      }
      const judged = yield* inTurn(heldKey(session, request), askSafely(asks, session, request)).pipe(
        Effect.timeoutOrElse({
          duration: timeoutMs,
          orElse: () => Effect.succeed<Judged>({ verdict: denied("timeout") })
        })
      )
      return yield* noted(request, judged, asked)
    }),
    endSession: (session) =>
      Effect.sync(() => {
        for (const [key, of] of held) if (of.session === session) held.delete(key)
      }),
    list: Effect.map(store.list, (found) =>
      found.toSorted((a, b) => {
        const [one, other] = [a, b].map(({ agent, server, tool }) => `${agent}/${server}/${tool}`)
        return one! < other! ? -1 : one! > other! ? 1 : a.approvedAt - b.approvedAt
      })
    ),
    forget: Effect.fn("Approvals.forget")(function* (pattern?: string) {
      if (pattern === undefined) return yield* store.removeAll
      const found = (yield* store.list).filter((one) => isNamedBy(one, pattern))
      yield* Effect.forEach(found, store.remove, { discard: true })
      return found.length
    })
  })
})

/** Without `approve`, calls that need approval are denied unless they were approved for good. */
export const layerStored = (
  options: AskOptions = {}
): Layer.Layer<Approvals, never, ApprovalStore | Redactor | ContentSanitizer | AuditLog> =>
  Layer.effect(Approvals, make(options))

/** Approvals for good in files of the data directory. */
export const layerStore = ({ directory }: Pick<Options, "directory"> = {}): Layer.Layer<ApprovalStore> =>
  Layer.sync(ApprovalStore, () => fileStore(directory ?? dataDirectory()))

/** The same, with approvals for good in the data directory. */
export const layer = (options: Options = {}): Layer.Layer<Approvals, never, Redactor | ContentSanitizer | AuditLog> =>
  layerStored(options).pipe(Layer.provide(layerStore(options)))
