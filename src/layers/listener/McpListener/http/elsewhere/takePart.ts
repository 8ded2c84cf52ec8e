/** What a listener does for its fleet: it takes what other nodes pass on, gives up what they have taken over, and hands over before it ends. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { IncomingMessage, ServerResponse } from "node:http"
import { MISDIRECTED, NOT_HERE } from "../../../../../schemas/fleet/NotHere.ts"
import type { Directory } from "../../../../../services/listener/SessionDirectory.ts"
import { refuse } from "../../../../../system/httpServer.ts"
import { following } from "../../../../../system/rounds.ts"
import { drained } from "../drain.ts"
import type { Principals } from "../Principals.ts"
import type { Sessions } from "../Sessions.ts"
import type { Elsewhere } from "./Elsewhere.ts"
import { isForPage } from "./pageRequests.ts"
import { makePassedIn, type Passed } from "./peerHeaders.ts"

interface Options {
  readonly directory: Directory
  readonly fleet: Elsewhere
  readonly sessions: Sessions
  readonly principals: Principals
  /** Answers a request for a page that this node has made. */
  readonly page: (incoming: IncomingMessage, response: ServerResponse) => void
  readonly take: (incoming: IncomingMessage, response: ServerResponse, passed: Passed) => void
}

export const takePart = Effect.fnUntraced(function* ({
  directory,
  fleet,
  page,
  principals,
  sessions,
  take
}: Options): Effect.fn.Return<void, never, Scope.Scope> {
  yield* Effect.addFinalizer(() => Effect.sync(() => fleet.end()))
  const passedIn = makePassedIn()
  yield* directory.onHttp((incoming, response) => {
    if (isForPage(incoming, directory.self)) return page(incoming, response)
    const passed = passedIn(incoming, directory.self)
    // It is for an earlier life of this node.
    if (passed === undefined) return refuse(response, MISDIRECTED, { [NOT_HERE]: "1" })
    take(incoming, response, passed)
  })
  yield* Effect.forkScoped(
    following("fleet: the end of what dead nodes answer", directory.deaths, (node) =>
      Effect.sync(() => fleet.cut(node))
    )
  )
  yield* directory.onReplaced(Effect.sync(() => sessions.loseAll()))
  yield* directory.onDrain(drained(directory, sessions, () => principals.isBusy || fleet.isBusy))
  directory.reports(() => sessions.count)
})
