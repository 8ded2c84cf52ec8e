/**
 * The agent behind every front: give it a message, watch it answer; and the conversations that it has had. Those that another
 * agent has had are none of them, also where both are kept in one place.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { AgentEvent } from "../../schemas/agent/AgentEvent.ts"
import type { ApprovalAnswer, ApprovalQuestion } from "../../schemas/call/Approval.ts"
import type { Conversation, ConversationInfo } from "../../schemas/agent/Conversation.ts"
import type { GatewayError } from "../../schemas/agent/GatewayError.ts"
import type { UserMessage } from "../../schemas/agent/UserMessage.ts"
import type { McpRuntimeShape } from "../call/McpRuntime.ts"

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

/** What one message may bring besides its text. All of it may be left out. */
export interface SendOptions {
  /** Who is asked about the calls of this answer; whom the program names for all when left out. */
  readonly approve?: ApproveCall | undefined
  /** Whether they are asked about every call, from now on and for as long as it says so: it only ever asks more. */
  readonly asksAlways?: (() => boolean) | undefined
  /** Another of the program's agents answers: with its tools, and its model. */
  readonly as?: McpRuntimeShape | undefined
  /** The answer goes to a model, and not to a person: words of servers in it stand between boundaries, also in listings. */
  readonly forModel?: boolean | undefined
  /** Who sends it, as a person knows them: the list of conversations names them, and the agent. */
  readonly client?: string | undefined
  /** The model, or the agent elsewhere, is asked: for the first time (1), and with what tools have said. */
  readonly onModelAsked?: ((step: number) => void) | undefined
  /** How many characters a line of a listing may have where the answer is shown; 120 when left out. */
  readonly columns?: number | undefined
}

/** What is kept of a conversation beside what is said. */
export interface Beginning {
  readonly cwd: string
  /** Which of the program's agents answers. */
  readonly agent?: string | undefined
}

/**
 * The agent behind every front (terminal, editor, MCP client): it is given a message, and its answer is a stream.
 * `AgentGatewayLayer` has the built-in one, that of an OpenClaw gateway, and a scripted one for tests.
 */
export class AgentGateway extends Context.Service<
  AgentGateway,
  {
    /**
     * Sends a message in the conversation `sessionKey` and streams the answer; the last event is `Done`. Interrupting the
     * stream aborts the answer and the tool calls in it. One answer at a time per session: a second waits. When the stream
     * has ended, however it did, the conversation is kept; the message is from its beginning. Fails when another process has
     * the conversation open.
     */
    readonly send: (
      sessionKey: string,
      message: UserMessage,
      options?: SendOptions
    ) => Stream.Stream<AgentEvent, GatewayError>
    /**
     * Begins a conversation, or goes on with one: from now on, until it is released, it is not forgotten by itself, and is
     * this process's alone. Fails when another process has it open. It is kept from its first message on.
     */
    readonly begin: (sessionKey: string, about: Beginning) => Effect.Effect<void, GatewayError>
    /** The conversation so far; `undefined` when there is none of that key. */
    readonly load: (sessionKey: string) => Effect.Effect<Conversation | undefined>
    /** The conversations in which something was said, the latest first. */
    readonly list: Effect.Effect<ReadonlyArray<ConversationInfo>>
    /** Nobody looks at it any more. One in which nothing was said is forgotten. */
    readonly release: (sessionKey: string) => Effect.Effect<void>
    /** The agent may work on another machine: a session's directory means nothing here. */
    readonly elsewhere?: true
    /**
     * Forgets a conversation for good, also one that another process has open; `false` when there was none. An agent
     * elsewhere that is away forgets it when it is back, and what is begun anew knows nothing of it.
     */
    readonly forget: (sessionKey: string) => Effect.Effect<boolean>
  }
>()("mcp-live/services/AgentGateway") {}
