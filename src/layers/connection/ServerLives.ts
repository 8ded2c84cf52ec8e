/** Remembers the states of servers in the memory of this process. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { makeLives } from "../../schemas/control/Lives.ts"
import { ServerLives } from "../../services/connection/ServerLives.ts"

export const layer: Layer.Layer<ServerLives> = Layer.effect(
  ServerLives,
  Effect.map(Clock.Clock, (clock) => {
    const lives = makeLives()
    let begun = 0
    return ServerLives.of({
      ...lives,
      begin: () => ++begun,
      moved: (moved) => lives.add({ ...moved, at: clock.currentTimeMillisUnsafe() })
    })
  })
)
