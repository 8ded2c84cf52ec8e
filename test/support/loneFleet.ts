/** The fleet as a node of a test sees it that finds nobody else alive. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { Fleet } from "../../src/services/fleet/Fleet.ts"

/** The incarnation has the name of the node. */
export const loneFleet = (name: string): Layer.Layer<Fleet> =>
  Layer.mock(Fleet)({
    self: { name, incarnation: name },
    nodes: () => [],
    node: () => undefined,
    isCurrent: () => true,
    isDraining: () => false,
    draining: Effect.never,
    deaths: Stream.empty,
    reports: () => {}
  })
