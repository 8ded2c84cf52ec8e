/** The state of a server, for whoever has leased it at another node. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { LeaseEvent } from "../../../schemas/fleet/ServerRpcs.ts"
import type { ServerState } from "../../../schemas/connection/ServerState.ts"
import type { Snapshot, SupervisedServer } from "../../../services/connection/ServerPool.ts"

type SnapshotEvent = Extract<LeaseEvent, { readonly _tag: "Snapshot" }>

/** What belongs to this process alone is left out: the connection itself, and its process id. */
const stateOf = (state: ServerState): SnapshotEvent["state"] =>
  state._tag === "Ready"
    ? { _tag: "Ready", info: { ...state.info, pid: undefined }, since: state.since }
    : (state as SnapshotEvent["state"])

const eventOf = ({ catalogue, lastError, relistMs, restarts, state }: Snapshot, sendsList: boolean): SnapshotEvent => ({
  _tag: "Snapshot",
  state: stateOf(state),
  restarts,
  ...(sendsList && catalogue !== undefined ? { catalogue } : {}),
  ...(lastError === undefined ? {} : { lastError }),
  ...(relistMs === undefined ? {} : { relistMs })
})

export const snapshotEvents = (server: SupervisedServer): Stream.Stream<LeaseEvent> =>
  Stream.suspend(() => {
    let sent: Snapshot["catalogue"]
    return server.changes.pipe(
      Stream.mapEffect((snapshot) =>
        Effect.sync((): LeaseEvent => {
          const isNew = snapshot.catalogue !== sent
          sent = snapshot.catalogue
          return eventOf(snapshot, isNew)
        })
      )
    )
  })
