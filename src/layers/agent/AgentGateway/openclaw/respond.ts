/**
 * Sends one message to an OpenClaw gateway and streams its run: `chat.send`, the events up to the last one, and `chat.abort`
 * when nobody wants the answer any more. Text and thoughts are the agent's own words and passed on unchanged; results of
 * tools and the gateway's own texts are cleaned.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { randomUUID } from "node:crypto"
import type { AgentEvent } from "../../../../schemas/agent/AgentEvent.ts"
import {
  GATEWAY_ABORT_WAIT_MS,
  GATEWAY_ANSWER_CALLS_MAX,
  GATEWAY_ANSWER_MAX_CHARS,
  GATEWAY_ASIDE_MS,
  GATEWAY_AWAY_TOLD_MS,
  GATEWAY_MEDIA_MAX
} from "../../../../schemas/defaults/Gateway.ts"
import { ERROR_TEXT_MAX_CHARS } from "../../../../schemas/defaults/Results.ts"
import { ORIGIN_MAX_CHARS } from "../../../../schemas/defaults/Texts.ts"
import { AWAY_ADVICE, GatewayError } from "../../../../schemas/agent/GatewayError.ts"
import type { ToolResult } from "../../../../schemas/call/Tool.ts"
import type { ContentSanitizer } from "../../../../services/content/ContentSanitizer.ts"
import type { GatewayLink, Link } from "../../../../services/agent/GatewayLink.ts"
import type { Respond, Talk } from "../gateway.ts"
import { join } from "../joined.ts"
import { outgoing } from "./attachments.ts"
import { makeTurnCalls } from "./callMatching.ts"
import type { Deleted } from "./deleted.ts"
import { readInputTokens, readRunEvent, type RunEvent } from "./events.ts"
import { replyMedia } from "./media.ts"
import type { makeInjection } from "./injection.ts"

type Sanitizer = ContentSanitizer["Service"]

export interface RespondOptions {
  /** Lives longer than the answers. */
  readonly scope: Scope.Scope
  readonly link: Link
  readonly download: GatewayLink["Service"]["download"]
  readonly sanitizer: Sanitizer
  readonly injection: Effect.Success<ReturnType<typeof makeInjection>>
  /** Whether the gateway's sessions also get our configured servers. */
  readonly ownServers: boolean
  readonly keyOf: (sessionKey: string) => Effect.Effect<string, GatewayError>
  readonly deleted: Deleted
}

/** A result of the gateway's own tools, for people: the agent has it already. */
export const resultFrom = (
  { content, isError, name }: Extract<RunEvent, { _tag: "CallEnded" }>,
  { clean, label }: Sanitizer
): ToolResult => ({
  content: content.map((block) => (block.type === "text" ? { ...block, text: clean(block.text).text } : block)),
  isError,
  details: {
    externalContent: {
      untrusted: true,
      source: "mcp_server",
      server: "openclaw",
      tool: label(name, ORIGIN_MAX_CHARS),
      mode: "delimit",
      wrapped: false
    },
    findings: [],
    notes: []
  }
})

const doneReason = (stopReason: string | undefined): Extract<AgentEvent, { _tag: "Done" }>["reason"] => {
  switch (stopReason) {
    case undefined:
    case "stop":
    case "end_turn":
    case "endTurn":
      return "stop"
    case "length":
    case "max_tokens":
    case "maxTokens":
      return "length"
    case "toolUse":
    case "tool_use":
    case "max_turns":
      return "steps"
    case "refusal":
    case "content_filter":
      return "refusal"
    default:
      return "other"
  }
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

const stillThere = ({ code = "UNAVAILABLE", detail }: GatewayError) =>
  new GatewayError({
    code,
    detail: `This conversation was deleted, and what was said in it is still at the gateway (${detail}): begin a new one.`
  })

const sizeOf = (event: RunEvent): number => {
  switch (event._tag) {
    case "Text":
    case "Thought":
      return event.delta.length
    case "CallEnded":
      return event.content.reduce((sum, block) => sum + (block.type === "text" ? block.text : block.data).length, 0)
    default:
      return 0
  }
}

/** Text that is streamed in pieces, some of which repeat the whole: returns what is new in each. */
const makePieces = () => {
  let item = ""
  let shown = ""
  return {
    add: (of: string, delta: string, whole: string | undefined): string => {
      if (of !== item) [item, shown] = [of, ""]
      const fresh = whole?.startsWith(shown) === true ? whole.slice(shown.length) : delta
      shown += fresh
      return fresh
    },
    /** The part of the final text that no piece had. */
    rest: (whole: string): string => (whole.startsWith(shown) ? whole.slice(shown.length) : ""),
    begin: () => {
      ;[item, shown] = ["", ""]
    }
  }
}

export const makeRespond = ({
  deleted,
  download,
  injection,
  keyOf,
  link,
  ownServers,
  sanitizer,
  scope
}: RespondOptions): Respond => {
  /** Runs that the gateway is still aborting, by session. */
  const aborting = new Map<string, Fiber.Fiber<unknown>>()

  /** Tells the person when the gateway is not connected. */
  const greeted = (emit: Talk["emit"]) => {
    const tell = Effect.gen(function* () {
      yield* Effect.sleep(GATEWAY_AWAY_TOLD_MS)
      const why = (yield* link.trouble)?.detail
      if (why !== undefined)
        yield* emit({ _tag: "Notice", text: `${sentence(why)} It is still being tried. ${AWAY_ADVICE}`, passing: true })
      return yield* Effect.never
    })
    return Effect.raceFirst(link.hello, tell).pipe(
      Effect.mapError((error) =>
        error.code === "LINK_DOWN"
          ? new GatewayError({ code: error.code, detail: `${sentence(error.detail)} ${AWAY_ADVICE}` })
          : error
      )
    )
  }

  return Effect.fnUntraced(function* (parts, talk) {
    const { emit, sessionKey } = talk
    const { limits } = yield* greeted(emit)
    const prepared = outgoing(parts, limits)
    if (Result.isFailure(prepared)) return yield* new GatewayError({ detail: prepared.failure })
    const { attachments, message } = prepared.success
    const key = yield* keyOf(sessionKey)
    // A conversation that is started again after it was deleted must know nothing of the old one.
    yield* Effect.mapError(deleted.settle(sessionKey), stillThere)
    const last = aborting.get(sessionKey)
    if (last !== undefined) yield* Fiber.await(last)

    const media = (runId: string, expected: number) =>
      replyMedia({ link, download, label: sanitizer.label, sessionKey: key, runId, expected })

    // ---- tools -----------------------------------------------------------------------------------------------------

    const own = ownServers ? talk.own : undefined
    const runtime = own === undefined ? talk.brought : join(own, talk.brought)
    const tools = runtime === undefined ? [] : yield* runtime.tools
    if (runtime !== undefined && tools.length > 0) {
      yield* injection
        .give({ sessionKey, gatewayKey: key, runtime, own, brought: talk.brought })
        .pipe(
          Effect.catch(({ detail }) =>
            emit({ _tag: "Notice", text: `The gateway could not be given the tools of this session: ${detail}` })
          )
        )
    }
    if (runtime !== undefined) {
      const turn = makeTurnCalls({ ...talk.callOptions, runtime, tools, emit })
      yield* injection.during(sessionKey, turn)
      return yield* run(turn)
    }
    return yield* run(undefined)

    // ---- the run ---------------------------------------------------------------------------------------------------

    function run(turn: ReturnType<typeof makeTurnCalls> | undefined) {
      const runId = randomUUID()
      const text = makePieces()
      const thought = makePieces()
      const mentioned = new Set<string>()
      let [chars, calls, outputTokens] = [0, 0, undefined as number | undefined]

      const inputTokens = link
        .request("chat.history", { sessionKey: key, limit: 1 }, { timeoutMs: GATEWAY_ASIDE_MS })
        .pipe(
          Effect.map((history) => readInputTokens(history, runId)),
          Effect.orElseSucceed(() => undefined)
        )

      const finish = Effect.fnUntraced(function* (reason: Extract<AgentEvent, { _tag: "Done" }>["reason"]) {
        const read = yield* inputTokens
        if (read !== undefined || outputTokens !== undefined) {
          yield* emit({ _tag: "Usage", inputTokens: read, outputTokens })
        }
        yield* emit({ _tag: "Done", reason, inputTokens: read, outputTokens })
      })

      const say = (_tag: "Text" | "Thought", delta: string) =>
        delta === "" ? Effect.void : Effect.asVoid(emit({ _tag, delta: delta.toWellFormed() }))

      /** `false` after the last event. */
      const onEvent = Effect.fnUntraced(function* (event: RunEvent): Effect.fn.Return<boolean, GatewayError> {
        chars += sizeOf(event)
        if (event._tag === "CallStarted") calls++
        if (chars > GATEWAY_ANSWER_MAX_CHARS || calls > GATEWAY_ANSWER_CALLS_MAX) {
          return yield* new GatewayError({ detail: "the OpenClaw gateway's answer has no end: it was stopped" })
        }
        switch (event._tag) {
          case "Text":
            if (mentioned.size < GATEWAY_MEDIA_MAX) for (const url of event.media) mentioned.add(url)
            yield* say("Text", text.add(event.item, event.delta, event.whole))
            return true
          case "Thought":
            yield* say("Thought", thought.add("", event.delta, event.whole))
            return true
          case "CallStarted": {
            // Text after a call is a separate piece.
            text.begin()
            thought.begin()
            const name = sanitizer.label(event.name, ORIGIN_MAX_CHARS)
            yield* emit(
              turn?.onStarted(event.id, name, event.args) ?? { _tag: "ToolCall", id: event.id, name, args: event.args }
            )
            return true
          }
          case "CallEnded": {
            const name = turn?.nameOf(event.id) ?? sanitizer.label(event.name, ORIGIN_MAX_CHARS)
            const result = turn?.resultOf(event.id) ?? resultFrom(event, sanitizer)
            yield* emit({ _tag: "ToolResult", id: event.id, name, result })
            return true
          }
          case "Usage":
            outputTokens = event.outputTokens
            return true
          case "Final":
            yield* say("Text", text.rest(event.text))
            for (const given of yield* media(runId, mentioned.size)) yield* emit(given)
            yield* finish(doneReason(event.stopReason))
            return false
          case "Aborted":
            yield* emit({ _tag: "Notice", text: "The answer was stopped at the gateway." })
            yield* finish("other")
            return false
          case "Failed": {
            const why = sanitizer.label(event.message, ERROR_TEXT_MAX_CHARS)
            return yield* new GatewayError({ detail: why === "" ? "the OpenClaw gateway's agent failed" : why })
          }
        }
      })

      const abort = link
        .request("chat.abort", { sessionKey: key, runId }, { timeoutMs: GATEWAY_ASIDE_MS })
        .pipe(Effect.ignore)

      /** Starts the abort; the session's next message waits for it. */
      const beginAbort = Effect.gen(function* () {
        const fiber = yield* Effect.forkIn(abort, scope, { startImmediately: true })
        aborting.set(sessionKey, fiber)
        fiber.addObserver(() => {
          if (aborting.get(sessionKey) === fiber) aborting.delete(sessionKey)
        })
        return fiber
      })

      /** The run may continue unseen, so it is aborted in the background while the error is returned. */
      const afterFailure = ({ code }: GatewayError) =>
        code === "LINK_DOWN" || code === "LINK_TOO_LARGE" ? Effect.void : beginAbort

      /** Waits only briefly: everything may be shutting down, for which a client allows a second. */
      const afterInterrupt = Effect.flatMap(beginAbort, (fiber) =>
        Effect.timeoutOption(Fiber.await(fiber), GATEWAY_ABORT_WAIT_MS)
      )

      return Effect.gen(function* () {
        // Subscribes before sending, so that no event is missed.
        const events = yield* link.events
        const sent = { sessionKey: key, message, idempotencyKey: runId }
        talk.modelAsked(1)
        yield* link.request("chat.send", attachments.length === 0 ? sent : { ...sent, attachments })
        yield* events.pipe(
          Stream.filterMap((event) => Result.fromNullishOr(readRunEvent(event, runId), () => undefined)),
          Stream.mapEffect(onEvent),
          Stream.takeWhile((goesOn) => goesOn),
          Stream.runDrain
        )
      }).pipe(
        Effect.scoped,
        Effect.tapError((error) => afterFailure(error)),
        Effect.onInterrupt(() => afterInterrupt)
      )
    }
  }, Effect.scoped)
}
