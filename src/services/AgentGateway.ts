/** The agent behind every front: give it a message, watch it answer. */
import * as Context from "effect/Context"
import type * as Stream from "effect/Stream"
import type { AgentEvent } from "../schemas/AgentEvent.ts"
import type { GatewayError } from "../schemas/GatewayError.ts"

export class AgentGateway extends Context.Service<
  AgentGateway,
  {
    /**
     * Sends a message in the conversation `sessionKey` and streams the answer; the last event is `Done`. Interrupting the
     * stream aborts the answer and the tool calls in it. One answer at a time per session: a second waits.
     */
    readonly send: (sessionKey: string, message: string) => Stream.Stream<AgentEvent, GatewayError>
  }
>()("mcp-live/services/AgentGateway") {}
