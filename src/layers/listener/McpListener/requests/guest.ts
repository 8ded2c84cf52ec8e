/** What is known of a client, and becomes known while it is here: its name and its roots. */
import type { Server } from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"
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
import type { McpClient } from "../../../../services/listener/McpListener.ts"
import type { Run } from "./Call.ts"
import { askForRoots } from "./mcpServer.ts"

const CLIENT_INFO = "io.modelcontextprotocol/clientInfo"

/** What the sender of a message calls itself, where a message says that. */
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
  /** Has the client name its roots: now, and each time it says that they are others. */
  readonly follow: (server: Server) => { readonly look: () => void }
}

export const makeGuest = (
  who: Pick<McpClient, "agent" | "only" | "principal"> & { readonly name: string | undefined },
  label: Label,
  run: Run
): Guest => {
  const roots = Effect.runSync(SubscriptionRef.make<ReadonlyArray<Root> | undefined>(undefined))
  return {
    client: {
      principal: who.principal,
      agent: who.agent,
      only: who.only,
      name: who.name === undefined ? undefined : label(who.name, LISTENER_NAME_MAX_CHARS),
      roots: Stream.filter(SubscriptionRef.changes(roots), (known) => known !== undefined)
    },
    follow: (server) => {
      let isLooking = false
      let again = false
      const look = () => {
        if (server.getClientCapabilities()?.roots === undefined) return
        if (isLooking) {
          again = true
          return
        }
        isLooking = true
        void askForRoots(server)
          .then((result) => void run(SubscriptionRef.set(roots, rootsIn(result, label))))
          // It said that it has roots, and does not name them: then there are none to know of.
          .catch(() => {})
          .finally(() => {
            isLooking = false
            const next = again
            again = false
            if (next) look()
          })
      }
      server.setNotificationHandler("notifications/roots/list_changed", look)
      return { look }
    }
  }
}
