/** The agent behind every front: give it a message, watch it answer; and the conversations that it has had. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { AgentEvent } from "../schemas/AgentEvent.ts"
import type { ApprovalAnswer, ApprovalQuestion } from "../schemas/Approval.ts"
import type { Conversation, ConversationInfo } from "../schemas/Conversation.ts"
import type { GatewayError } from "../schemas/GatewayError.ts"
import type { UserMessage } from "../schemas/UserMessage.ts"

/** The call that a question is about, as `ToolCall` has named it. */
export interface AskedCall {
  readonly id: string
  readonly name: string
}

/** Puts the question about one call to the person behind a session. The signal says that nobody waits any more. */
export type ApproveCall = (
  question: ApprovalQuestion,
  call: AskedCall,
  signal: AbortSignal
) => Effect.Effect<ApprovalAnswer, unknown>

export interface SendOptions {
  /** Who is asked about the calls of this answer; whom the program names for all when left out. */
  readonly approve?: ApproveCall | undefined
}

export class AgentGateway extends Context.Service<
  AgentGateway,
  {
    /**
     * Sends a message in the conversation `sessionKey` and streams the answer; the last event is `Done`. Interrupting the
     * stream aborts the answer and the tool calls in it. One answer at a time per session: a second waits. When the stream
     * has ended, however it did, the conversation is kept.
     */
    readonly send: (
      sessionKey: string,
      message: UserMessage,
      options?: SendOptions
    ) => Stream.Stream<AgentEvent, GatewayError>
    /** Begins a conversation, or goes on with one: from now on, until it is released, it is not forgotten by itself. */
    readonly begin: (sessionKey: string, about: { readonly cwd: string }) => Effect.Effect<void>
    /** The conversation so far; `undefined` when there is none of that key. */
    readonly load: (sessionKey: string) => Effect.Effect<Conversation | undefined>
    /** The conversations in which something was said, the latest first. */
    readonly list: Effect.Effect<ReadonlyArray<ConversationInfo>>
    /** Nobody looks at it any more. One in which nothing was said is forgotten. */
    readonly release: (sessionKey: string) => Effect.Effect<void>
    /** Forgets a conversation for good; `false` when there was none. */
    readonly forget: (sessionKey: string) => Effect.Effect<boolean>
  }
>()("mcp-live/services/AgentGateway") {}
