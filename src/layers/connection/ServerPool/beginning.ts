/** What a server is before anything is done for it. One that cannot ever be started says so, once, in the log. */
import * as Effect from "effect/Effect"
import { formatIssue } from "../../../schemas/config/ConfigIssue.ts"
import { InvalidLaunch } from "../../../schemas/connection/ConnectError.ts"
import type { ServerConfig } from "../../../schemas/connection/ServerConfig.ts"
import type { ServerState } from "../../../schemas/connection/ServerState.ts"
import type { Snapshot } from "../../../services/connection/ServerPool.ts"

/** The states from which a server may be started. */
export const STARTABLE: ReadonlySet<ServerState["_tag"]> = new Set(["Idle", "Connecting"])

type Beginning = Pick<Snapshot, "state" | "lastError">

export const beginningOf = Effect.fnUntraced(function* ({
  enabled,
  fault,
  lazy,
  name
}: ServerConfig): Effect.fn.Return<Beginning> {
  if (!enabled) {
    yield* Effect.logInfo(`[${name}] disabled in the configuration`)
    return { state: { _tag: "Disabled" }, lastError: undefined }
  }
  if (fault !== undefined) {
    const cause = new InvalidLaunch({ server: name, detail: formatIssue(fault) })
    yield* Effect.logWarning(`[${name}] cannot be started: ${cause.detail}`)
    return { state: { _tag: "Failed", cause }, lastError: cause.message }
  }
  return { state: lazy ? { _tag: "Idle" } : { _tag: "Connecting", attempt: 1 }, lastError: undefined }
})
