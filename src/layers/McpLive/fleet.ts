/** Whether this process is a node of a fleet. Without one, nothing of it is loaded. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ConfigError } from "../../schemas/config/ConfigError.ts"
import { type FleetServices, Joined, type Node } from "../../services/fleet/Joined.ts"
import { LiveConfig } from "../../services/config/LiveConfig.ts"
import type { McpLiveOptions } from "./options.ts"

const loaded = Effect.promise(() => import("../FleetLive.ts"))

type FleetLive = typeof import("../FleetLive.ts")

/** Joins the fleet of the configuration, in a program that is meant to be a node of it. */
export const layer = ({ dataDirectory, fleet: joins = false }: McpLiveOptions) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { file, fleet } = (yield* LiveConfig).current()
      if (fleet === undefined || !joins) return Layer.empty
      const { joined } = yield* loaded
      return joined(fleet, dataDirectory).pipe(
        Layer.catchTag("FleetRefused", ({ detail }) =>
          Layer.effectDiscard(new ConfigError({ issues: [{ file, line: 0, path: "fleet", message: detail }] }))
        )
      )
    })
  )

/** The layer that is one for all nodes, or the one of a process by itself. */
export const sharedOr = <A, R, R2>(
  shared: (fleet: FleetLive, node: Node) => Layer.Layer<A, never, R | FleetServices>,
  own: Layer.Layer<A, never, R2>
): Layer.Layer<A, never, Exclude<R, FleetServices> | R2> =>
  Layer.unwrap(
    Effect.gen(function* (): Effect.fn.Return<Layer.Layer<A, never, Exclude<R, FleetServices> | R2>> {
      const node = yield* Joined
      if (node === undefined) return own
      return Layer.provide(shared(yield* loaded, node), Layer.succeedContext(node.services))
    })
  )
