/**
 * What all agents in this process share: one conversation per session key, one answer at a time, the tools of the session, an
 * approver, and a record of the conversation.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import type { AgentEvent } from "../../../schemas/agent/AgentEvent.ts"
import { addEvent } from "../../../schemas/agent/Conversation.ts"
import type { GatewayError } from "../../../schemas/agent/GatewayError.ts"
import type { Look } from "../../../schemas/call/Look.ts"
import { inBase64, partsOf, type UserPart } from "../../../schemas/agent/UserMessage.ts"
import { AgentGateway, type Beginning, type SendOptions } from "../../../services/agent/AgentGateway.ts"
import { McpRuntime, type McpRuntimeShape } from "../../../services/call/McpRuntime.ts"
import { SessionTools } from "../../../services/agent/SessionTools.ts"
import { makeCalls, type CallOptions, type Calls } from "./toolCall.ts"
import type { Conversation, Conversations } from "./conversations.ts"
import { join } from "./joined.ts"
import { TURN_MAX_BYTES } from "./keptTurns.ts"

/** One answer, as its agent sees it. */
export interface Talk {
  readonly sessionKey: string
  /** The agent's tools and the session's. */
  readonly runtime: McpRuntimeShape
  readonly calls: Calls
  /** The agent's own tools, and those that the session brought. */
  readonly own: McpRuntimeShape
  readonly brought: McpRuntimeShape | undefined
  /** The options for calls of these tools by others than this agent. */
  readonly callOptions: Omit<CallOptions, "runtime">
  /** A model reads the answer. */
  readonly forModel: boolean
  /** How results of direct calls are shown. */
  readonly look: Look | undefined
  readonly columns: number
  /** Reports, for debugging, that the model is asked. */
  readonly modelAsked: (step: number) => void
  readonly emit: (event: AgentEvent) => Effect.Effect<unknown>
  /** What the model was told before. */
  readonly history: () => ReadonlyArray<unknown>
  /** Sets what the model is told about this turn from now on; the last call counts. */
  readonly keep: (messages: ReadonlyArray<unknown>) => void
  /** The conversation starts over, without this turn. */
  readonly forget: () => void
}

export type Respond = (message: ReadonlyArray<UserPart>, talk: Talk) => Effect.Effect<unknown, GatewayError>

/** Fits most places where a listing is shown. */
const LISTING_COLUMNS = 120

const NOT_KEPT =
  "This conversation cannot be written to the data directory: it is lost when this program ends. The log says why."

const publicTurn = ({ events, message }: Conversation["turns"][number]) => ({ events, message })

export const makeGateway = Effect.fnUntraced(function* (respond: Respond, conversations: Conversations) {
  /** Conversations whose people have been told that they are not stored. */
  const unkept = new WeakSet<Conversation>()
  const own = yield* McpRuntime
  const sessionTools = yield* SessionTools

  /** Answers one message within the conversation's turn. */
  const answer = Effect.fnUntraced(function* (
    conversation: Conversation,
    parts: ReadonlyArray<UserPart>,
    queue: Queue.Queue<AgentEvent, GatewayError | Cause.Done>,
    {
      approve,
      as = own,
      asksAlways,
      client,
      columns = LISTING_COLUMNS,
      forModel = false,
      look,
      onModelAsked,
      personId
    }: SendOptions
  ) {
    const { sessionKey } = conversation.info
    if (client !== undefined) conversation.info = { ...conversation.info, client, personId, agent: as.agent }
    const brought = yield* sessionTools.get(sessionKey)
    const runtime = join(as, brought)
    const offer = (event: AgentEvent) => Queue.offerUnsafe(queue, event)
    const callOptions = { sessionKey, approve, asksAlways, offer }
    const events: Array<AgentEvent> = []
    let messages: ReadonlyArray<unknown> = []
    let isForgotten = false
    const isKept = yield* Effect.uninterruptible(conversations.question(conversation, parts))
    // Reported only once.
    if (!isKept && !unkept.has(conversation)) offer({ _tag: "Notice", text: NOT_KEPT })
    if (isKept) unkept.delete(conversation)
    else unkept.add(conversation)
    const talk: Talk = {
      sessionKey,
      runtime,
      own: as,
      brought,
      callOptions,
      forModel,
      look,
      columns,
      modelAsked: (step) => onModelAsked?.(step),
      calls: makeCalls({ ...callOptions, runtime }),
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
        conversations.clear(conversation)
      }
    }
    const record = Effect.suspend(() =>
      isForgotten
        ? conversations.save(conversation)
        : conversations.add(conversation, { message: parts, events, messages })
    )
    yield* respond(parts, talk).pipe(Effect.ensuring(record))
  })

  return AgentGateway.of({
    send: (sessionKey, message, options = {}) =>
      Stream.callback<AgentEvent, GatewayError>((queue) =>
        Effect.acquireUseRelease(
          conversations.hold(sessionKey),
          (conversation) =>
            conversation.turn.withPermit(
              answer(conversation, inBase64(partsOf(message), TURN_MAX_BYTES), queue, options)
            ),
          conversations.letGo
        ).pipe(Effect.andThen(Queue.end(queue)), Effect.withSpan("AgentGateway.send"))
      ),
    begin: Effect.fn("AgentGateway.begin")((sessionKey: string, { agent, cwd }: Beginning) =>
      Effect.acquireUseRelease(
        conversations.hold(sessionKey),
        (conversation) =>
          Effect.sync(() => {
            conversation.open = true
            conversation.info = { ...conversation.info, cwd, agent: agent ?? conversation.info.agent }
          }),
        conversations.letGo
      )
    ),
    load: Effect.fn("AgentGateway.load")(function* (sessionKey: string) {
      const found = yield* conversations.find(sessionKey)
      return found === undefined ? undefined : { ...found.info, turns: found.turns.map(publicTurn) }
    }),
    glance: conversations.glance,
    list: conversations.list,
    release: Effect.fn("AgentGateway.release")((sessionKey: string) => conversations.release(sessionKey)),
    forget: Effect.fn("AgentGateway.forget")((sessionKey: string) => conversations.remove(sessionKey))
  })
})
