/** One client: its name, its roots as far as they are known, and what it is offered. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import {
  LISTENER_NAME_MAX_CHARS,
  LISTENER_ROOTS_MAX,
  LISTENER_URI_MAX_CHARS,
  LISTENER_URIS_MAX_CHARS
} from "../../../../schemas/defaults/Listener.ts"
import type { Root } from "../../../../schemas/content/HostRequest.ts"
import { isObject } from "../../../../schemas/data/Json.ts"
import type { Label } from "../../../../schemas/content/ServerText.ts"
import type { RequestRefused } from "../../../../schemas/listener/ListenerError.ts"
import type { McpClient, McpOffer, Serve } from "../../../../services/listener/McpListener.ts"
import { again } from "../../../../system/rounds.ts"
import { refusalIn } from "./Call.ts"
import { askForRoots, type Server } from "./sdk.ts"

const CLIENT_INFO = "io.modelcontextprotocol/clientInfo"

/** What the sender of a message calls itself, if the message says that. */
export const nameIn = (message: unknown): string | undefined => {
  const params = isObject(message) && isObject(message["params"]) ? message["params"] : undefined
  const meta = isObject(params?.["_meta"]) ? params["_meta"] : undefined
  const info = meta?.[CLIENT_INFO] ?? params?.["clientInfo"]
  return isObject(info) && typeof info["name"] === "string" ? info["name"] : undefined
}

const rootsIn = (result: unknown, label: Label): ReadonlyArray<Root> => {
  const named = isObject(result) && Array.isArray(result["roots"]) ? result["roots"] : []
  let chars = 0
  return named.slice(0, LISTENER_ROOTS_MAX).flatMap((root: unknown): ReadonlyArray<Root> => {
    if (!isObject(root)) return []
    const { name, uri } = root
    if (typeof uri !== "string" || !uri.startsWith("file://") || uri.length > LISTENER_URI_MAX_CHARS) return []
    chars += uri.length
    if (chars > LISTENER_URIS_MAX_CHARS) return []
    return [{ uri, ...(typeof name === "string" ? { name: label(name, LISTENER_NAME_MAX_CHARS) } : {}) }]
  })
}

export interface Guest {
  readonly client: McpClient
  /** Asks the client for its roots: when it is told to look, and each time the client says that they changed. */
  readonly follow: (server: Server) => Effect.Effect<{ readonly look: () => void }, never, Scope.Scope>
}

export const makeGuest = Effect.fnUntraced(function* (
  who: Pick<McpClient, "agent" | "identity" | "only" | "principal">,
  name: string | undefined,
  label: Label,
  session?: string
): Effect.fn.Return<Guest> {
  const roots = yield* SubscriptionRef.make<ReadonlyArray<Root> | undefined>(undefined)
  return {
    client: {
      principal: who.principal,
      agent: who.agent,
      identity: who.identity,
      latest: () => who.identity,
      only: who.only,
      session,
      name: name === undefined ? undefined : label(name, LISTENER_NAME_MAX_CHARS),
      roots: Stream.filter(SubscriptionRef.changes(roots), (known) => known !== undefined)
    },
    follow: Effect.fnUntraced(function* (server) {
      // However often it is told to look meanwhile, it looks once more.
      const looks = yield* Queue.sliding<void>(1)
      const look = () => void Queue.offerUnsafe(looks, undefined)
      server.setNotificationHandler("notifications/roots/list_changed", look)
      const found = Effect.suspend(() =>
        server.getClientCapabilities()?.roots === undefined
          ? Effect.void
          : Effect.flatMap(askForRoots(server), (result) => SubscriptionRef.set(roots, rootsIn(result, label)))
      )
      // A client that says that it has roots and does not name them has none.
      yield* Effect.forkScoped(again("asking a client for its folders", Queue.take(looks), Effect.ignore(found)))
      return { look }
    })
  }
})

/** What a client is offered, in the Scope of its connection; fails with what the client is told if it is not served. */
export const offered = (serve: Serve, { client }: Guest): Effect.Effect<McpOffer, RequestRefused, Scope.Scope> =>
  serve(client).pipe(
    Effect.tapCause((cause) =>
      Cause.hasDies(cause) ? Effect.logError("an MCP client cannot be served: unexpected failure", cause) : Effect.void
    ),
    Effect.catchCause((cause) => Effect.fail(refusalIn(cause)))
  )
