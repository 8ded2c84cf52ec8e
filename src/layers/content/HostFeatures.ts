/**
 * What this host offers to servers. Every request is answered: a feature that is not offered is refused, and so is a request
 * that fails because of the host.
 *
 * A server is told of a capability only if its configuration allows it and somebody can answer. Otherwise `roots/list` and
 * `sampling/createMessage` are refused (-32601); an elicitation is declined, because servers can handle a "no".
 *
 * What a person or a model sees of a request is cleaned and limited. A text that the answer has to repeat exactly, but that
 * cannot be shown unchanged, is refused; so is what the server's content policy withholds. Requests per minute are limited.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import { withheldFor } from "../../schemas/content/ContentPolicy.ts"
import {
  ELICITATION_PER_MINUTE,
  HOST_READS_PER_MINUTE,
  SAMPLING_PER_MINUTE
} from "../../schemas/defaults/HostRequests.ts"
import { ERROR_WORDS_MAX_CHARS, LABEL_MAX_CHARS, QUOTED_NAME_MAX_CHARS } from "../../schemas/defaults/Texts.ts"
import {
  HostRefusal,
  type ElicitationRequest,
  type ElicitationResult,
  type Root,
  type SamplingRequest,
  type SamplingResult
} from "../../schemas/content/HostRequest.ts"
import type { JsonObject } from "../../schemas/data/Json.ts"
import type { ServerConfig } from "../../schemas/connection/ServerConfig.ts"
import { AuditLog } from "../../services/call/AuditLog.ts"
import { ContentSanitizer } from "../../services/content/ContentSanitizer.ts"
import { HostFeatures, type Unasked } from "../../services/content/HostFeatures.ts"
import { makeAudited, type Answer, type Params } from "./HostFeatures/audited.ts"
import { accepted, readContent, readQuestion, type Question } from "./HostFeatures/elicitation.ts"
import * as PerMinute from "./HostFeatures/perMinute.ts"
import { failed, notOffered, refused } from "./HostFeatures/refusal.ts"
import { readRoots, sameRoots } from "./HostFeatures/roots.ts"
import { encodeAnswer, readRequest } from "./HostFeatures/sampling.ts"
import * as Words from "./HostFeatures/requestText.ts"

/** What the servers of one session are offered. */
export interface SessionHost {
  readonly roots?: ReadonlyArray<Root> | undefined
  readonly elicit?: Options["elicit"]
  /** The modes in which the person can be asked. Default: all. */
  readonly modes?: ReadonlyArray<ElicitationRequest["mode"]> | undefined
}

const ALL_MODES: NonNullable<SessionHost["modes"]> = ["form", "url"]

/** What servers may ask for. Features that are left out are not offered. */
export interface Options {
  /** The same for the servers of a session, which get nothing of the other options. */
  readonly forSession?: ((session: string) => SessionHost | undefined) | undefined
  /** `file:` URIs of the workspace. Without them, servers are told that there are no roots. */
  readonly roots?: ReadonlyArray<Root> | undefined
  /** Asks the person. Must show which server asks, and must not open a URL without their consent. */
  readonly elicit?: ((request: ElicitationRequest) => Effect.Effect<ElicitationResult>) | undefined
  /** Asks the host's model. Only called for servers whose configuration allows sampling. */
  readonly sample?: ((request: SamplingRequest) => Effect.Effect<SamplingResult, HostRefusal>) | undefined
  /** Told of calls about which `elicit` must not ask its persons. */
  readonly unasked?: Unasked | undefined
}

const DECLINED: Answer = { outcome: "decline", chars: 0, result: { action: "decline" } }
/** The server must not learn what was found, or it would try again without it. */
const QUESTION_WITHHELD: Answer = { ...DECLINED, outcome: "withheld" }
const REQUEST_WITHHELD: Answer = {
  outcome: "withheld",
  chars: 0,
  result: refused("this host does not pass requests like this one on")
}
/** Nobody has refused: the server may ask again later. */
const CANCELLED: Answer = { outcome: "cancel", chars: 0, result: { action: "cancel" } }

const make = Effect.fnUntraced(function* ({ elicit, forSession, roots, sample, unasked }: Options) {
  const sanitizer = yield* ContentSanitizer
  const audited = makeAudited(yield* AuditLog, sanitizer)
  const mayAsk = PerMinute.make(ELICITATION_PER_MINUTE)
  const maySample = PerMinute.make(SAMPLING_PER_MINUTE)
  const mayBeRead = PerMinute.make(HOST_READS_PER_MINUTE)
  /** One request of all servers is read at a time, in steps: many at once would block the event loop. */
  const reading = Semaphore.makeUnsafe(1)
  /** The roots of the workspace. */
  let current: ReadonlyArray<Root> | undefined

  const isWithheld = ({ content }: ServerConfig, words: Words.Words) =>
    withheldFor(content, words.findings()).length > 0

  const shownName = ({ name }: ServerConfig) => sanitizer.label(name, LABEL_MAX_CHARS)

  // ---- elicitation -------------------------------------------------------------------------------------------------

  const hostOf = ({ session }: ServerConfig): SessionHost =>
    session === undefined ? { roots: current, elicit } : (forSession?.(session) ?? {})

  /** How and in which modes the person is asked. */
  const askingFor = (server: ServerConfig) => {
    const { elicit: how, modes = ALL_MODES } = server.elicitation ? hostOf(server) : {}
    return how === undefined || modes.length === 0 ? undefined : { how, modes }
  }

  /** Servers with the same name but other owners have separate limits. */
  const limitKey = ({ holder = "", name, session = "" }: ServerConfig) => `${session}\n${holder}\n${name}`

  /** An error while a person is asked is not an answer of theirs. */
  const ask = (elicitFrom: NonNullable<Options["elicit"]>, { request }: Question): Effect.Effect<ElicitationResult> =>
    called(() => elicitFrom(request)).pipe(
      Effect.catchCause((cause) =>
        Effect.as(
          Cause.hasInterruptsOnly(cause)
            ? Effect.void
            : Effect.logError(`asking for MCP server '${request.server}' failed`, cause),
          { action: "cancel" } as const
        )
      )
    )

  const toAnswer = ({ form, request }: Question, given: ElicitationResult): Effect.Effect<Answer> => {
    // Untyped programs may return anything.
    const action: unknown = given?.action
    if (action === "decline") return Effect.succeed(DECLINED)
    if (action === "cancel") return Effect.succeed(CANCELLED)
    const wrong = (problem: string) =>
      Effect.as(Effect.logWarning(`the answer to MCP server '${request.server}' was not sent: ${problem}`), CANCELLED)
    if (given?.action !== "accept") return wrong("its action must be accept, decline or cancel")
    const content = form === undefined ? undefined : readContent(given.content, form)
    if (typeof content === "string") return wrong(content)
    const chars = content === undefined ? 0 : JSON.stringify(content).length
    return Effect.succeed({ outcome: "accept", chars, result: accepted(content) })
  }

  const answerElicitation = Effect.fnUntraced(function* (server: ServerConfig, params: Params, words: Words.Words) {
    const asking = askingFor(server)
    if (asking === undefined) return DECLINED
    const question = yield* reading.withPermit(readQuestion(shownName(server), params, words))
    // The person cannot be asked in this mode.
    if (!asking.modes.includes(question.request.mode)) return DECLINED
    if (!mayAsk(limitKey(server), yield* Clock.currentTimeMillis)) {
      return yield* refused(`more than ${ELICITATION_PER_MINUTE} questions in a minute`)
    }
    if (isWithheld(server, words)) return QUESTION_WITHHELD
    return yield* toAnswer(question, yield* ask(asking.how, question))
  })

  // ---- sampling ----------------------------------------------------------------------------------------------------

  const offersSampling = (server: ServerConfig) => server.sampling && sample !== undefined

  /** The host's own words may contain text of its provider. */
  const tidied = ({ code, message }: HostRefusal) =>
    new HostRefusal({
      code: Number.isSafeInteger(code) ? code : failed("").code,
      message: sanitizer.label(String(message), ERROR_WORDS_MAX_CHARS)
    })

  const answerSampling = Effect.fnUntraced(function* (server: ServerConfig, params: Params, words: Words.Words) {
    if (!offersSampling(server)) return yield* notOffered("sampling is not offered to this server")
    const request = yield* reading.withPermit(readRequest(shownName(server), params, words))
    if (!maySample(limitKey(server), yield* Clock.currentTimeMillis)) {
      return yield* refused(`more than ${SAMPLING_PER_MINUTE} completions in a minute`)
    }
    if (isWithheld(server, words)) return REQUEST_WITHHELD
    const given = yield* called(() => sample!(request)).pipe(Effect.mapError(tidied))
    const result = yield* encodeAnswer(given, words)
    return { outcome: "ok", chars: given.text.length, result }
  })

  // ---- roots -------------------------------------------------------------------------------------------------------

  // A pending change stands for all before it.
  const changes = yield* PubSub.sliding<void>(1)

  const readTheirs = Effect.fnUntraced(function* (given: ReadonlyArray<Root>) {
    const { problems, values } = readRoots(given)
    for (const problem of problems) yield* Effect.logWarning(problem)
    return values
  })

  const rootsFor = (server: ServerConfig) => (server.roots ? hostOf(server).roots : undefined)

  const answerRoots = (server: ServerConfig): Effect.Effect<JsonObject, HostRefusal> =>
    Effect.suspend(() => {
      const theirs = rootsFor(server)
      return theirs === undefined
        ? Effect.fail(notOffered("roots are not offered to this server"))
        : Effect.succeed({ roots: theirs.map(({ name, uri }) => (name === undefined ? { uri } : { uri, name })) })
    })

  if (roots !== undefined) current = yield* readTheirs(roots)

  return HostFeatures.of({
    capabilities: (server) => ({
      ...(rootsFor(server) === undefined ? undefined : { roots: { listChanged: true } }),
      ...(offersSampling(server) ? { sampling: {} } : undefined),
      ...elicitationOf(askingFor(server)?.modes)
    }),
    answer: Effect.fn("HostFeatures.answer")(function* (server, method, params) {
      switch (method) {
        case "roots/list":
          return yield* answerRoots(server)
        case "sampling/createMessage":
        case "elicitation/create":
          // Not written to the audit log either, where it would push out what matters.
          if (!mayBeRead(limitKey(server), yield* Clock.currentTimeMillis)) {
            return yield* refused(`more than ${HOST_READS_PER_MINUTE} requests in a minute`)
          }
          return yield* audited(server, method, params, (words) =>
            method === "elicitation/create"
              ? answerElicitation(server, params, words)
              : answerSampling(server, params, words)
          )
        default:
          return yield* notOffered(`${sanitizer.label(method, QUOTED_NAME_MAX_CHARS)} is not offered by this client`)
      }
    }),
    setRoots: Effect.fn("HostFeatures.setRoots")(function* (given) {
      const next = yield* readTheirs(given)
      if (sameRoots(current, next)) return
      current = next
      yield* PubSub.publish(changes, undefined)
    }),
    rootsChanged: Stream.fromPubSub(changes),
    unasked
  })
})

const elicitationOf = (modes: SessionHost["modes"]): JsonObject =>
  modes === undefined ? {} : { elicitation: Object.fromEntries(modes.map((mode) => [mode, {}])) }

/** A callback of an untyped program: it is a bug if it throws, or returns something other than an Effect. */
const called = <A, E>(callback: () => Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    const effect: unknown = callback()
    return Effect.isEffect(effect) ? (effect as Effect.Effect<A, E>) : Effect.die("the callback gave no Effect")
  })

/** Offers servers the features in `options`: cleaned, limited and recorded in the audit log. */
export const layer = (options: Options = {}): Layer.Layer<HostFeatures, never, ContentSanitizer | AuditLog> =>
  Layer.effect(HostFeatures, make(options))
