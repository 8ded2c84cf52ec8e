/**
 * The agent behind every entry point: takes a message, streams the answer, and keeps the conversations. An agent sees its own
 * conversations only, even if another agent's are kept in the same place.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { AgentEvent } from "../../schemas/agent/AgentEvent.ts"
import type { ApprovalAnswer, ApprovalQuestion } from "../../schemas/call/Approval.ts"
import type { Conversation, ConversationInfo, Glance } from "../../schemas/agent/Conversation.ts"
import type { GatewayError } from "../../schemas/agent/GatewayError.ts"
import type { Look } from "../../schemas/call/Look.ts"
import type { UserMessage } from "../../schemas/agent/UserMessage.ts"
import type { McpRuntimeShape } from "../call/McpRuntime.ts"

/** The call that a question is about, as the event `ToolCall` named it. */
export interface AskedCall {
  readonly id: string
  readonly name: string
}

/** Asks the person behind a session about one call. The signal aborts when nobody waits for the answer any more. */
export type ApproveCall = (
  question: ApprovalQuestion,
  call: AskedCall,
  signal: AbortSignal
) => Effect.Effect<ApprovalAnswer, unknown>

/** Options of one message. All are optional. */
export interface SendOptions {
  /** Asks about the calls of this answer. Default: the approver of the whole program. */
  readonly approve?: ApproveCall | undefined
  /** Read before each call: while it returns true, every call needs approval. It never lifts a rule. */
  readonly asksAlways?: (() => boolean) | undefined
  /** Another agent of the program answers, with its tools and its model. */
  readonly as?: McpRuntimeShape | undefined
  /** The answer goes to a model instead of a person: text from servers stands between boundaries, also in listings. */
  readonly forModel?: boolean | undefined
  /** How the result of a call that the message itself asks for is shown. Default: as an agent gets it. */
  readonly look?: Look | undefined
  /** The sender, by a name that people know. It is shown in the list of conversations and to the agent. */
  readonly client?: string | undefined
  /** The id of the person behind the sender, if they have logged in. It is stored with the conversation. */
  readonly personId?: string | undefined
  /** Called when the model, or the remote agent, is asked: with 1 the first time, then each time with the results of tools. */
  readonly onModelAsked?: ((step: number) => void) | undefined
  /** The longest line of a listing where the answer is shown, in characters. Default: 120. */
  readonly columns?: number | undefined
}

/** What is stored with a conversation in addition to its messages. */
export interface Beginning {
  readonly cwd: string
  /** The agent of the program that answers. */
  readonly agent?: string | undefined
}

/**
 * The agent behind every entry point (terminal, editor, MCP client): takes a message and streams the answer.
 * `AgentGatewayLayer` has the built-in agent, that of an OpenClaw gateway, and a scripted one for tests.
 */
export class AgentGateway extends Context.Service<
  AgentGateway,
  {
    /**
     * Sends a message in the conversation `sessionKey` and streams the answer; the last event is `Done`. Interrupting the
     * stream aborts the answer and its tool calls. A session gives one answer at a time: a second message waits. The message
     * is stored at the start, the rest of the conversation when the stream has ended in any way. Fails when another process
     * has the conversation open.
     */
    readonly send: (
      sessionKey: string,
      message: UserMessage,
      options?: SendOptions
    ) => Stream.Stream<AgentEvent, GatewayError>
    /**
     * Opens a conversation, new or existing. Until you release it, it is not deleted automatically, and no other process can
     * open it. Fails when another process has it open. It is stored from its first message on.
     */
    readonly begin: (sessionKey: string, about: Beginning) => Effect.Effect<void, GatewayError>
    /** The conversation so far; `undefined` when the key is unknown. */
    readonly load: (sessionKey: string) => Effect.Effect<Conversation | undefined>
    /** What can be said about it without reading what was said. */
    readonly glance: (sessionKey: string) => Effect.Effect<Glance | undefined>
    /** The conversations that have messages, the latest first. */
    readonly list: Effect.Effect<ReadonlyArray<ConversationInfo>>
    /** Closes a conversation. One without messages is deleted. */
    readonly release: (sessionKey: string) => Effect.Effect<void>
    /** The agent may run on another machine, where a session's directory means nothing. */
    readonly elsewhere?: true
    /**
     * Deletes a conversation for good, even if another process has it open; `false` when there was none. A remote agent that
     * is not connected deletes it when it connects again; a new conversation under the same key knows nothing of it.
     */
    readonly forget: (sessionKey: string) => Effect.Effect<boolean>
  }
>()("mcp-live/services/AgentGateway") {}
