/** The texts about a server's state: for the log, and for callers that cannot use it. */
import { ServerUnavailable } from "../../../schemas/call/CallError.ts"
import { partsOf } from "../../../schemas/connection/ErrorFields.ts"
import { NOBODY } from "../../../schemas/connection/PersonPlaceholder.ts"
import type { ServerConfig } from "../../../schemas/connection/ServerConfig.ts"
import type { ServerState } from "../../../schemas/connection/ServerState.ts"
import type { ServerConnection } from "../../../services/connection/ServerConnector.ts"

export function readyWords({ catalogue, info }: ServerConnection): string {
  const pid = info.pid === undefined ? "" : `, pid ${info.pid}`
  return `${info.transport}, protocol ${info.protocolVersion}, ${catalogue.tools.length} tools, ${info.connectMs} ms${pid}`
}

export function unavailable(config: ServerConfig, state: ServerState, now: number): ServerUnavailable {
  const { enabled, name: server } = config
  const words = {
    Disabled: enabled ? NOBODY : "it is disabled in the configuration",
    Closed: "it has been stopped: the gateway is shutting down, or its configuration has changed",
    Idle: "it is asleep",
    Connecting: "it is still starting",
    Ready: "its connection was just lost"
  }
  switch (state._tag) {
    case "Backoff":
      return new ServerUnavailable({
        server,
        state: "restarting",
        detail: state.cause.message,
        cause: partsOf(state.cause),
        retryInMs: Math.max(0, state.until - now)
      })
    case "Failed": {
      const { cause } = state
      const needsLogin = cause._tag === "AuthRequired" && cause.remedy === "login"
      return new ServerUnavailable({
        server,
        state: "failed",
        detail: cause.message,
        cause: partsOf(cause),
        retryInMs: null,
        ...(needsLogin ? { needsLogin } : {})
      })
    }
    default:
      return new ServerUnavailable({
        server,
        state: state._tag.toLowerCase(),
        detail: words[state._tag],
        retryInMs: null
      })
  }
}
