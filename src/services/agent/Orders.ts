/**
 * Orders of MCP clients to the agent: a message with its attachments in, one whole answer out. Clients have nothing of each other:
 * neither conversations nor turns.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { AgentEvent } from "../../schemas/agent/AgentEvent.ts"
import type { OrderAnswer } from "../../schemas/agent/OrderAnswer.ts"
import type { OrderFailed, OrderRefused } from "../../schemas/agent/OrderError.ts"
import type { OrderInput } from "../../schemas/agent/OrderInput.ts"
import type { OrderClient } from "../../schemas/agent/OrderSession.ts"
import type { OrderHistory, OrderStatus } from "../../schemas/agent/OrderStatus.ts"
import type { SendOptions } from "./AgentGateway.ts"

export interface PlaceOptions extends SendOptions {
  /** `_meta` of the request, which may say that it comes out of another order. */
  readonly meta?: unknown
  /** Whether who sends it is an OpenClaw gateway, whose agent may be at work on an order itself. */
  readonly fromGateway?: boolean | undefined
  /** What is done now, in words of ours that may be shown: whenever it changes, and every so often while it does not. */
  readonly tell?: ((words: string) => void) | undefined
  /** How many orders of this client are before it, where it does not begin at once; and that it begins, under this key. */
  readonly onQueued?: ((before: number) => void) | undefined
  readonly onBegun?: ((session: string) => void) | undefined
  /** Everything that the agent does, before anything else is made of it. */
  readonly onEvent?: ((event: AgentEvent) => void) | undefined
}

export class Orders extends Context.Service<
  Orders,
  {
    /**
     * Has the agent answer. Without a session key it is a conversation of its own, under a fresh key that the answer names; with one
     * it goes on where the last order of this client under that key ended. Orders of one session are answered one after another, in
     * the order in which they came; so many of one client, and of all, at once; more wait, and more than that are refused at once.
     * One that has come back in its own chain, or is too deep in one, is refused. The message goes to the agent as it was written. Interruption takes the order out of the queue, or aborts the answer.
     */
    readonly place: (
      order: OrderInput,
      client: OrderClient,
      options?: PlaceOptions
    ) => Effect.Effect<OrderAnswer, OrderRefused | OrderFailed>
    /** How a session of this client is doing; of what is not there, and of others' sessions, that there is none. */
    readonly status: (sessionKey: string, client: OrderClient) => Effect.Effect<OrderStatus>
    /** What was said in it, the latest turns, the oldest of them first. */
    readonly history: (sessionKey: string, client: OrderClient, turns: number) => Effect.Effect<OrderHistory>
  }
>()("mcp-live/services/Orders") {}
