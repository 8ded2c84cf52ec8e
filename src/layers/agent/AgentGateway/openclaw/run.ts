/**
 * One run of a gateway's agent: `chat.send`, the events up to the last one, and `chat.abort` when nobody wants the answer any more. Text
 * and thoughts are the agent's own words and passed on unchanged; results of tools and the gateway's own texts are cleaned.
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
  GATEWAY_MEDIA_MAX
} from "../../../../schemas/defaults/Gateway.ts"
import { ERROR_TEXT_MAX_CHARS } from "../../../../schemas/defaults/Results.ts"
import { ORIGIN_MAX_CHARS } from "../../../../schemas/defaults/Texts.ts"
import { GatewayError } from "../../../../schemas/agent/GatewayError.ts"
import type { ToolResult } from "../../../../schemas/call/Tool.ts"
import type { ContentSanitizer } from "../../../../services/content/ContentSanitizer.ts"
import type { GatewayLink, Link } from "../../../../services/agent/GatewayLink.ts"
import type { Talk } from "../gateway.ts"
import type { makeTurnCalls } from "./callMatching.ts"
import { readInputTokens, readRunEvent, type RunEvent } from "./events.ts"
import { replyMedia } from "./media.ts"

type Sanitizer = ContentSanitizer["Service"]

export interface RunsOptions {
  /** Lives longer than the runs. */
  readonly scope: Scope.Scope
  readonly link: Link
  readonly download: GatewayLink["Service"]["download"]
  readonly sanitizer: Sanitizer
}

export interface RunOptions {
  readonly talk: Talk
  /** The gateway's key of the session. */
  readonly key: string
  /** What goes to the gateway besides the names of the session and the run. */
  readonly sent: object
  /** The session's tools, if it has any. */
  readonly turn: ReturnType<typeof makeTurnCalls> | undefined
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

export const makeRuns = ({ download, link, sanitizer, scope }: RunsOptions) => {
  /** Runs that the gateway is still aborting, by session. */
  const aborting = new Map<string, Fiber.Fiber<unknown>>()

  const run = ({
    key,
    sent,
    talk: { emit, modelAsked, sessionKey },
    turn
  }: RunOptions): Effect.Effect<void, GatewayError> => {
    const runId = randomUUID()
    const text = makePieces()
    const thought = makePieces()
    const mentioned = new Set<string>()
    let [chars, calls, outputTokens] = [0, 0, undefined as number | undefined]

    const media = (expected: number) =>
      replyMedia({ link, download, label: sanitizer.label, sessionKey: key, runId, expected })

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
          turn?.onEnded(event.id)
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
          for (const given of yield* media(mentioned.size)) yield* emit(given)
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
      modelAsked(1)
      yield* link.request("chat.send", { sessionKey: key, idempotencyKey: runId, ...sent })
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

  return {
    run,
    /** Returns when the last run of the session is not being aborted any more. */
    aborted: (sessionKey: string): Effect.Effect<void> =>
      Effect.suspend(() => {
        const last = aborting.get(sessionKey)
        return last === undefined ? Effect.void : Effect.asVoid(Fiber.await(last))
      })
  }
}
