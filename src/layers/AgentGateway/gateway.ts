/**
 * What every agent in this process has in common, whatever it answers: one conversation per session key, one answer at a
 * time, the tools of the session, somebody to ask, and a record of what was said that outlives the answer.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import type { AgentEvent } from "../../schemas/AgentEvent.ts"
import { addEvent, titleOf } from "../../schemas/Conversation.ts"
import type { GatewayError } from "../../schemas/GatewayError.ts"
import { partsOf, type UserPart } from "../../schemas/UserMessage.ts"
import { AgentGateway, type SendOptions } from "../../services/AgentGateway.ts"
import { McpRuntime, type McpRuntimeShape } from "../../services/McpRuntime.ts"
import { SessionTools } from "../../services/SessionTools.ts"
import { makeCalls, type Calls } from "./calls.ts"
import type { Conversation, Conversations } from "./conversations.ts"
import { join } from "./joined.ts"

/** One answer, as the agent that gives it sees it. */
export interface Talk {
  readonly sessionKey: string
  /** The agent's tools and the session's. */
  readonly runtime: McpRuntimeShape
  readonly calls: Calls
  readonly emit: (event: AgentEvent) => Effect.Effect<unknown>
  /** What a model was told before. */
  readonly history: () => ReadonlyArray<unknown>
  /** What a model is told of this turn from now on; the last word counts. */
  readonly keep: (messages: ReadonlyArray<unknown>) => void
  /** The conversation starts over; this turn is no part of it. */
  readonly forget: () => void
}

export type Respond = (message: ReadonlyArray<UserPart>, talk: Talk) => Effect.Effect<unknown, GatewayError>

const publicTurn = ({ events, message }: Conversation["turns"][number]) => ({ events, message })

export const makeGateway = Effect.fnUntraced(function* (respond: Respond, conversations: Conversations) {
  const own = yield* McpRuntime
  const sessionTools = yield* SessionTools

  /** One message and all that comes of it, in the conversation's turn. */
  const answer = Effect.fnUntraced(function* (
    conversation: Conversation,
    parts: ReadonlyArray<UserPart>,
    queue: Queue.Queue<AgentEvent, GatewayError | Cause.Done>,
    { approve }: SendOptions
  ) {
    const { sessionKey } = conversation.info
    const runtime = join(own, yield* sessionTools.get(sessionKey))
    const events: Array<AgentEvent> = []
    let messages: ReadonlyArray<unknown> = []
    let isForgotten = false
    const talk: Talk = {
      sessionKey,
      runtime,
      calls: makeCalls({ runtime, sessionKey, approve, offer: (event) => Queue.offerUnsafe(queue, event) }),
      emit: (event) => {
        addEvent(events, event)
        return Queue.offer(queue, event)
      },
      history: () => conversation.turns.flatMap((turn) => turn.messages),
      keep: (kept) => {
        messages = kept
      },
      forget: () => {
        isForgotten = true
        conversation.turns = []
        conversation.info = { ...conversation.info, title: undefined }
      }
    }
    const record = Effect.suspend(() =>
      isForgotten
        ? conversations.save(conversation)
        : conversations.add(conversation, { message: parts, events, messages }, titleOf(parts))
    )
    yield* respond(parts, talk).pipe(Effect.ensuring(record))
  })

  return AgentGateway.of({
    send: (sessionKey, message, options = {}) =>
      Stream.callback<AgentEvent, GatewayError>((queue) =>
        Effect.gen(function* () {
          const conversation = yield* conversations.open(sessionKey)
          conversation.waiting++
          yield* answer(conversation, partsOf(message), queue, options).pipe(
            conversation.turn.withPermit,
            Effect.ensuring(Effect.sync(() => void conversation.waiting--))
          )
        }).pipe(Effect.andThen(Queue.end(queue)), Effect.withSpan("AgentGateway.send"))
      ),
    begin: Effect.fn("AgentGateway.begin")(function* (sessionKey: string, { cwd }: { readonly cwd: string }) {
      const conversation = yield* conversations.open(sessionKey)
      conversation.open = true
      conversation.info = { ...conversation.info, cwd }
      yield* conversations.save(conversation)
    }),
    load: Effect.fn("AgentGateway.load")(function* (sessionKey: string) {
      const found = yield* conversations.find(sessionKey)
      return found === undefined ? undefined : { ...found.info, turns: found.turns.map(publicTurn) }
    }),
    list: conversations.list,
    release: Effect.fn("AgentGateway.release")(function* (sessionKey: string) {
      const found = yield* conversations.find(sessionKey)
      if (found === undefined) return
      found.open = false
      if (conversations.isEmpty(found) && found.waiting === 0) yield* conversations.remove(sessionKey)
    }),
    forget: Effect.fn("AgentGateway.forget")((sessionKey: string) => conversations.remove(sessionKey))
  })
})
