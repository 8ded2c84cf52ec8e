/** What whoever asks may do. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ServerClient } from "effect/rpc/Rpc"
import { NeedsAll, OnlyReading, type Power, Powers } from "../../../schemas/control/Powers.ts"

/** For handlers that do less for somebody who may only look. */
export const powersOf = ({ annotations }: ServerClient): Effect.Effect<Power> =>
  Effect.withFiber(({ context }) =>
    Effect.succeed(Context.getOrUndefined(annotations, Powers) ?? Context.get(context, Powers))
  )

/** The gate before each request that changes something. */
export const layerNeedsAll = Layer.succeed(NeedsAll, (handled, { client, rpc }) =>
  Effect.flatMap(powersOf(client), (powers) =>
    powers === "all" ? handled : Effect.fail(new OnlyReading({ request: rpc._tag }))
  )
)
