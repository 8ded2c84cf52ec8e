/** What a session of either kind consists of: the offer for its client, and the SDK's server for that, in the session's Scope. */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Scope from "effect/Scope"
import { LISTENER_SESSION_IDLE_MS } from "../../../../schemas/defaults/Listener.ts"
import type { RequestRefused } from "../../../../schemas/listener/ListenerError.ts"
import type { Label } from "../../../../schemas/content/ServerText.ts"
import type { TransportKind } from "../../../../schemas/connection/ServerState.ts"
import type { Recording } from "../../../../services/telemetry/Telemetry.ts"
import type { Serve } from "../../../../services/listener/McpListener.ts"
import type { Directory } from "../../../../services/listener/SessionDirectory.ts"
import type { Run } from "../requests/running.ts"
import { Calls } from "../requests/Calls.ts"
import { tasksOf } from "../requests/capabilities.ts"
import type { ClientQuota } from "../requests/ClientQuota.ts"
import type { InFleet } from "../requests/InFleet.ts"
import { makeGuest, offered } from "../requests/guest.ts"
import { tell, tellOfTask, type RequestId, type Sdk, type Server } from "../requests/sdk.ts"
import { makeServer } from "../requests/mcpServer.ts"
import { observedSession } from "../requests/observed.ts"
import { Wishes } from "../requests/Wishes.ts"
import { following } from "../../../../system/rounds.ts"
import type { Caller } from "./addresses.ts"
import type { EventStreams } from "./responses.ts"
import { Use } from "./Use.ts"

/** What all clients of a listener have in common. */
export interface Common {
  readonly sdk: Sdk
  readonly serve: Serve
  readonly label: Label
  readonly quotaOf: (who: Caller) => ClientQuota
  readonly run: Run
  readonly scope: Scope.Scope
  readonly open: EventStreams
  readonly clock: Clock.Clock
  readonly telemetry: Recording
  /** Of the fleet, if this is a node of one. */
  readonly directory?: Directory | undefined
}

export interface SessionOptions extends Common {
  readonly id: string
  readonly who: Caller
  /** Closes the session's Scope. */
  readonly end: () => void
}

export interface SessionServer {
  readonly server: Server
  readonly run: Run
  readonly use: Use
  /** Cancels a request that is under way. */
  readonly cancel: (id: RequestId) => void
  /** Asks the client for its roots, if it has any. */
  readonly look: () => void
  /** Tells the client that everything may have changed. */
  readonly tellAll: () => void
  /** Whether a handler works for it, also while nobody waits for the answer. */
  readonly isBusy: () => boolean
  readonly wishes: Wishes
  /** Tells the client what changes, from now on. */
  readonly beginNews: () => void
}

/** For a client that calls itself so, as far as it has said that. */
export const openServer = Effect.fnUntraced(function* (
  { clock, directory, end, id, label, quotaOf, sdk, serve, telemetry, who }: SessionOptions,
  name: string | undefined,
  transport: TransportKind,
  changed?: () => Promise<void> | undefined,
  runsBefore?: InFleet["runsBefore"]
): Effect.fn.Return<SessionServer, RequestRefused, Scope.Scope> {
  // Ends after everything that uses it.
  const resources = yield* Scope.fork(yield* Effect.scope)
  const run = yield* FiberSet.makeRuntime()
  const guest = yield* makeGuest(who, name, label, directory === undefined ? undefined : id)
  const offer = yield* Scope.provide(offered(serve, guest), resources)
  const observed = { telemetry, transport }
  const underWay = new Map<RequestId, () => void>()
  const wishes = new Wishes(changed)
  const fleet: InFleet | undefined =
    directory === undefined ? undefined : { directory, owner: id, session: id, runsBefore }
  const calls = new Calls(run, quotaOf(who), fleet)
  const server: Server = makeServer({
    sdk,
    era: "legacy",
    offer,
    calls,
    tasks: tasksOf(offer, run, quotaOf(who), (task) => tellOfTask(server, task.legacy), fleet),
    wishes,
    run,
    observed,
    underWay: (request, cancel) => {
      underWay.set(request, cancel)
      return () => void underWay.delete(request)
    }
  })
  yield* Effect.addFinalizer(() => Effect.promise(() => server.close().catch(() => {})))
  yield* observedSession(observed, () => server.getNegotiatedProtocolVersion())
  const { look } = yield* guest.follow(server)
  const use = new Use(clock)
  const { idleMs = LISTENER_SESSION_IDLE_MS } = offer
  run(
    Effect.andThen(
      use.unused(idleMs, () => !calls.isIdle),
      Effect.sync(end)
    )
  )
  const news = following("the news for a client", offer.changes, (change) =>
    change.kind === "resource" && !wishes.subscriptions.has(change.uri) ? Effect.void : tell(server, change)
  )
  return {
    server,
    run,
    use,
    cancel: (request) => underWay.get(request)?.(),
    look,
    tellAll: () => {
      for (const kind of ["tools", "resources", "prompts"] as const) run(tell(server, { kind }))
      for (const uri of wishes.subscriptions.all) run(tell(server, { kind: "resource", uri }))
    },
    isBusy: () => !calls.isIdle,
    wishes,
    beginNews: () => void run(news)
  }
})
