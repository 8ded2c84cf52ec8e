/** What a session of either kind stands on: the offer for its client, and the SDK's server for that. */
import type { RequestId, Server } from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { LISTENER_SESSION_IDLE_MS } from "../../../../schemas/defaults/Listener.ts"
import { RequestRefused } from "../../../../schemas/listener/ListenerError.ts"
import type { Label } from "../../../../schemas/content/ServerText.ts"
import type { McpOffer, Serve } from "../../../../services/listener/McpListener.ts"
import type { Caller } from "./addresses.ts"
import type { Run } from "../requests/Call.ts"
import { Calls } from "../requests/Calls.ts"
import { makeGuest } from "../requests/guest.ts"
import type { ClientQuota } from "../requests/ClientQuota.ts"
import { made, runnerIn } from "../requests/made.ts"
import { makeServer, tasksOf, tellOfTask, type Desk, type Sdk } from "../requests/mcpServer.ts"
import { Subscriptions } from "../requests/Subscriptions.ts"
import { tell } from "../requests/tell.ts"

export interface SessionOptions {
  readonly sdk: Sdk
  readonly id: string
  readonly who: Caller
  readonly serve: Serve
  readonly label: Label
  readonly read: Desk["read"]
  /** The one request has come back for the answer to the other: what is said goes there. */
  readonly resumed: (by: Request, of: Request) => void
  readonly quotaOf: (who: Caller) => ClientQuota
  /** The listener's, in which the session's own lies. */
  readonly scope: Scope.Scope
  readonly run: Run
  readonly ended: () => void
}

export interface SessionServer {
  readonly scope: Scope.Closeable
  readonly server: Server
  readonly underWay: ReadonlyMap<RequestId, () => void>
  /** How long its client is waited for. */
  readonly idleMs: number
  /** Whether no call is under way: a task goes on without a request. */
  readonly isIdle: () => boolean
  /** Has the client name its roots, when it can be asked. */
  readonly look: () => void
  /** Tells the client what changes, from now on. */
  readonly beginNews: () => void
}

const news = (offer: McpOffer, server: Server, subscriptions: Subscriptions): Effect.Effect<void> =>
  Stream.runForEach(offer.changes, (change) =>
    Effect.promise(async () => {
      if (change.kind === "resource" && !subscriptions.has(change.uri)) return
      await tell(server, change).catch(() => {})
    })
  )

/** For the client that calls itself so, as far as it has said that; or why it is not served. */
export const openServer = async (
  { quotaOf, label, read, run: outer, scope: around, sdk, serve, who }: SessionOptions,
  name: string | undefined
): Promise<SessionServer | RequestRefused> => {
  const scope = Scope.forkUnsafe(around)
  // Ends after everything that uses it.
  const resources = Scope.forkUnsafe(scope)
  const run = await runnerIn(outer, scope)
  const guest = makeGuest({ ...who, name }, label, run)
  const offer = await made(run, Scope.provide(serve(guest.client), resources))
  if (offer instanceof RequestRefused) {
    outer(Scope.close(scope, Exit.void))
    return offer
  }
  const underWay = new Map<RequestId, () => void>()
  const subscriptions = new Subscriptions()
  const calls = new Calls(run, quotaOf(who))
  const server: Server = makeServer({
    sdk,
    era: "legacy",
    offer,
    calls,
    tasks: tasksOf(offer, run, quotaOf(who), (task) => tellOfTask(server, task)),
    subscriptions,
    read,
    underWay: (request, interrupt) => {
      underWay.set(request, interrupt)
      return () => void underWay.delete(request)
    }
  })
  const { look } = guest.follow(server)
  const { idleMs = LISTENER_SESSION_IDLE_MS } = offer
  const beginNews = () => void run(news(offer, server, subscriptions))
  return { scope, server, underWay, idleMs, isIdle: () => calls.isIdle, look, beginNews }
}
