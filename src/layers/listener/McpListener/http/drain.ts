/** A node of a fleet that ends: it gives its sessions to others as soon as nothing is done for them, and waits for what is under way. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { FLEET_DRAIN_LOOK_MS, FLEET_DRAIN_MS, FLEET_DRAIN_NOTICE_MS } from "../../../../schemas/defaults/Listener.ts"
import type { Directory } from "../../../../services/listener/SessionDirectory.ts"
import type { Sessions } from "./Sessions.ts"

/** Done when nothing is under way any more and load balancers have had time to see it, or when it has taken too long. */
export const drained = (directory: Directory, sessions: Sessions, isBusyBesides: () => boolean): Effect.Effect<void> =>
  Effect.gen(function* () {
    const begun = yield* Clock.currentTimeMillis
    const look: Effect.Effect<void> = Effect.gen(function* () {
      const isBusy = (yield* sessions.handOver(directory)) || isBusyBesides()
      const since = (yield* Clock.currentTimeMillis) - begun
      if (since >= FLEET_DRAIN_MS || (!isBusy && since >= FLEET_DRAIN_NOTICE_MS)) return
      yield* Effect.sleep(FLEET_DRAIN_LOOK_MS)
      return yield* look
    })
    return yield* look
  })
