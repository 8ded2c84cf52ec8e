/** A peer with its link, as the connector and the handshake use it: requests as Effects, and the end of the link. */
import * as Effect from "effect/Effect"
import type { Decoded, Quote, ToolDefinition } from "../../../../schemas/connection/Catalogue.ts"
import type { ServerExited } from "../../../../schemas/connection/ConnectError.ts"
import type { ConnectionLost, RequestError } from "../../../../schemas/connection/RequestError.ts"
import type { TransportKind } from "../../../../schemas/connection/ServerState.ts"
import type { RequestOptions } from "../../../../services/connection/ServerConnector.ts"
import type { Peer } from "./Peer.ts"
import type { Tidy } from "./tidy.ts"

export interface Session {
  readonly server: string
  readonly transport: TransportKind
  readonly pid: number | undefined
  readonly peer: Peer
  /** Never succeeds; fails when the link is gone. */
  readonly closed: Effect.Effect<never, ServerExited | ConnectionLost>
  /** The last lines of stderr, cleaned; empty for HTTP. */
  readonly lastWords: () => string
  readonly tidy: Tidy
  /** Tells an HTTP link the revision for its headers. */
  readonly setProtocolVersion: (version: string) => void
  /** For links that can lose what the server says by itself: calls back after each time that it may have said something unheard. */
  readonly onMissed?: (tell: () => void) => void
  /** For links with additional rules about tools. */
  readonly decodeTool?: (raw: unknown, quote: Quote) => Decoded<ToolDefinition>
}

/** One request; interruption cancels it. */
export const request = (
  session: Session,
  method: string,
  params: Readonly<Record<string, unknown>>,
  options: RequestOptions
): Effect.Effect<unknown, RequestError> =>
  Effect.callback((resume) => {
    const id = session.peer.request(method, params, options, (outcome) => {
      resume(outcome.ok ? Effect.succeed(outcome.result) : Effect.fail(outcome.error))
    })
    return Effect.sync(() => session.peer.cancel(id))
  })
