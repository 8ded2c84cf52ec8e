/** Finds out which protocol revision to speak: the order of attempts on each transport, and what is remembered of them. */
import * as Effect from "effect/Effect"
import { ERA_PROBE_MS } from "../../../../schemas/defaults/Connections.ts"
import type { JsonObject } from "../../../../schemas/data/Json.ts"
import type { HandshakeFailed, UnsupportedProtocol } from "../../../../schemas/connection/ConnectError.ts"
import type { RequestError } from "../../../../schemas/connection/RequestError.ts"
import type { ProtocolChoice } from "../../../../schemas/config/ServerKeys.ts"
import { adoptModern, initialize, probe, unsupported, type Agreement, type Verdict } from "./handshake.ts"
import type { LaunchMemory } from "./memory.ts"
import type { Session } from "../rpc/Session.ts"

export interface AgreeOptions {
  readonly choice: ProtocolChoice
  /** What this host offers to the server. */
  readonly clientCapabilities: JsonObject
  readonly timeoutMs: number
  readonly key: string
  readonly memory: LaunchMemory
  /** Called with the name of each phase. */
  readonly onPhase: (phase: string) => void
}

/** A legacy HTTP server refuses a request outside of a session with some 4xx; 429 says nothing about revisions. */
const refusedByHttp = (error: RequestError): boolean =>
  error._tag === "HttpFailed" &&
  error.status !== null &&
  error.status >= 400 &&
  error.status < 500 &&
  error.status !== 429

type AgreeError = RequestError | HandshakeFailed | UnsupportedProtocol

const accept = (session: Session, verdict: Verdict, options: AgreeOptions): Effect.Effect<Agreement, AgreeError> => {
  switch (verdict.kind) {
    case "modern":
      return Effect.succeed(adoptModern(session, options.clientCapabilities, verdict))
    case "unsupported":
      return Effect.fail(unsupported(session.server, verdict.versions))
    case "legacy":
      options.memory.note(options.key, "legacy")
      return shakeHands(session, options)
  }
}

const shakeHands = (session: Session, options: AgreeOptions) =>
  Effect.suspend(() => {
    options.onPhase("initialize")
    const choice = options.choice === "2026-07-28" ? "auto" : options.choice
    return initialize(session, choice, options.clientCapabilities, options.timeoutMs)
  })

/**
 * A server that did not answer `server/discover` may be legacy and ignore unknown methods, or only slow to start. `initialize`
 * decides: a modern server refuses it, and has started by then, so it is asked again.
 */
const silent = (session: Session, options: AgreeOptions): Effect.Effect<Agreement, AgreeError> =>
  shakeHands(session, options).pipe(
    Effect.tap(() => Effect.sync(() => options.memory.note(options.key, "legacy"))),
    Effect.catchTag("ProtocolError", (refusal) =>
      probe(session, options.clientCapabilities, ERA_PROBE_MS).pipe(
        Effect.flatMap((verdict) =>
          verdict.kind === "legacy" ? Effect.fail(refusal) : accept(session, verdict, options)
        )
      )
    )
  )

/** Agrees on the revision that the configuration demands, or else on one that the server speaks. */
export const agree = Effect.fnUntraced(
  function* (session: Session, options: AgreeOptions): Effect.fn.Return<Agreement, AgreeError> {
    const { choice, clientCapabilities, key, memory, onPhase, timeoutMs } = options
    if (choice === "2026-07-28") {
      onPhase("server/discover")
      const verdict = yield* probe(session, clientCapabilities, timeoutMs)
      if (verdict.kind === "modern") return adoptModern(session, options.clientCapabilities, verdict)
      return yield* unsupported(session.server, verdict.kind === "unsupported" ? verdict.versions : ["older revisions"])
    }
    if (choice !== "auto" || session.transport === "sse") return yield* shakeHands(session, options)
    // The memory may be wrong; `initialize` shows that, too.
    if (memory.holds(key, "legacy")) return yield* silent(session, options)
    onPhase("server/discover")
    // If the server stays silent, there must be time left for the legacy handshake.
    return yield* probe(session, clientCapabilities, Math.min(ERA_PROBE_MS, timeoutMs / 3)).pipe(
      Effect.catchIf(refusedByHttp, () => Effect.succeed<Verdict>({ kind: "legacy" })),
      Effect.flatMap((verdict) => accept(session, verdict, options)),
      Effect.catchTag("CallTimeout", (error) =>
        error.method === "server/discover" ? silent(session, options) : Effect.fail(error)
      )
    )
  },
  (effect, _session, options) => Effect.tapError(effect, () => Effect.sync(() => options.memory.forget(options.key)))
)
