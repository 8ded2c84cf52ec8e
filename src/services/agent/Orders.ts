/**
 * Agent requests of MCP clients: a message with its attachments in, one complete answer out. Clients share nothing: neither
 * conversations nor the queue.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { AgentEvent } from "../../schemas/agent/AgentEvent.ts"
import type { OrderAnswer } from "../../schemas/agent/OrderAnswer.ts"
import type { OrderFailed, OrderRefused } from "../../schemas/agent/OrderError.ts"
import type { OrderInput } from "../../schemas/agent/OrderInput.ts"
import type { OrderClient } from "../../schemas/agent/OrderSession.ts"
import type { OrderHistory, OrderStatus } from "../../schemas/agent/OrderStatus.ts"
import type { WholeRuntime } from "../call/McpRuntime.ts"
import type { SendOptions } from "./AgentGateway.ts"

export interface PlaceOptions extends SendOptions {
  /** The runtime of the agent that answers. What the rules of clients keep from the client is kept from the agent during this request. */
  readonly as?: WholeRuntime | undefined
  /** `_meta` of the request, which may say that another agent request caused this one. */
  readonly meta?: unknown
  /** Whether an OpenClaw gateway sends it, whose own agent may be working on an agent request. */
  readonly fromGateway?: boolean | undefined
  /** Called with what is being done, in words of ours that may be shown: at each change, and regularly in between. */
  readonly tell?: ((words: string) => void) | undefined
  /**
   * Called with the number of this client's requests that are before it, if it has to wait. `onBegun` gets the session key
   * when it starts.
   */
  readonly onQueued?: ((before: number) => void) | undefined
  readonly onBegun?: ((session: string) => void) | undefined
  /** Called with every event of the agent, unchanged. */
  readonly onEvent?: ((event: AgentEvent) => void) | undefined
}

export class Orders extends Context.Service<
  Orders,
  {
    /**
     * Has the agent answer. Without a session key it starts a conversation under a new key, which the answer names; with one
     * it continues that conversation of the same client. Requests of one session are answered one by one, in the order of
     * arrival. The number that run at once is limited, per client and overall; so is the number that wait, and what exceeds
     * it is refused at once. A request that came back to us through its own chain of agents, or whose chain is too long, is
     * refused. The agent gets the message as it was written. Interruption removes the request from the queue or aborts the
     * answer.
     */
    readonly place: (
      order: OrderInput,
      client: OrderClient,
      options?: PlaceOptions
    ) => Effect.Effect<OrderAnswer, OrderRefused | OrderFailed>
    /** The state of a session of this client. Unknown sessions and those of other clients look the same: there is none. */
    readonly status: (sessionKey: string, client: OrderClient) => Effect.Effect<OrderStatus>
    /** The latest turns of a session, in the order in which they were said. */
    readonly history: (sessionKey: string, client: OrderClient, turns: number) => Effect.Effect<OrderHistory>
  }
>()("mcp-live/services/Orders") {}
