/** What this node answers to the requests of others. */
import * as Effect from "effect/Effect"
import { FLEET_CONTRACT } from "../../schemas/defaults/Fleet.ts"
import { HostRefusal, REFUSED } from "../../schemas/content/HostRequest.ts"
import { VERSION } from "../../schemas/data/Version.ts"
import { FleetRpcs } from "../../schemas/fleet/FleetRpcs.ts"
import type { ServerConfig } from "../../schemas/connection/ServerConfig.ts"
import { Fleet } from "../../services/fleet/Fleet.ts"
import { HomeServers } from "../../services/fleet/HomeServers.ts"

export const layer = FleetRpcs.toLayer(
  Effect.gen(function* () {
    const fleet = yield* Fleet
    const homes = yield* HomeServers
    return FleetRpcs.of({
      Hello: () => Effect.sync(() => ({ node: fleet.self, version: VERSION, contract: FLEET_CONTRACT })),
      // All nodes trust each other: who has the fleet's secret may start servers here, and says how.
      ServerLease: ({ config, lease, place }) => homes.far(place, lease, config as ServerConfig),
      ServerReady: ({ place }) => Effect.flatMap(homes.at(place), (server) => server.use(() => Effect.void)),
      ServerRequest: ({ asTask, call, idleMs, lease, method, params, place, progress, totalMs }) =>
        homes.request(place, { lease, call, method, params, options: { idleMs, totalMs, asTask, progress } }),
      ServerAnswer: ({ question, refusal, result }) =>
        homes.answer(
          question,
          result === undefined
            ? {
                refusal: new HostRefusal(
                  refusal ?? { code: REFUSED, message: "the client of this call did not say why" }
                )
              }
            : { result }
        ),
      ServerAct: ({ action, place }) => Effect.flatMap(homes.at(place), (server) => server[action]),
      ServerUpdates: ({ missed = [], place, uris }) => homes.updates(place, uris, missed)
    })
  })
)
