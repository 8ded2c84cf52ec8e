/** Who uses something that is kept until nobody has used it for long. However often it is used, one fiber watches the time. */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

export class Use {
  readonly #clock: Clock.Clock
  #users = 0
  #since: number

  constructor(clock: Clock.Clock) {
    this.#clock = clock
    this.#since = clock.currentTimeMillisUnsafe()
  }

  get isUsed(): boolean {
    return this.#users > 0
  }

  enter(): void {
    this.#users++
  }

  leave(): void {
    this.#users--
    this.#since = this.#clock.currentTimeMillisUnsafe()
  }

  /** Done when nobody has used it for so long, and it does not work for a client that may come back. */
  unused(idleMs: number, isBusy: () => boolean): Effect.Effect<void> {
    return Effect.suspend(() => {
      const left = this.#since + idleMs - this.#clock.currentTimeMillisUnsafe()
      if (!this.isUsed && left <= 0 && !isBusy()) return Effect.void
      const time = this.isUsed || left <= 0 ? idleMs : left
      return Effect.andThen(Effect.sleep(time), this.unused(idleMs, isBusy))
    })
  }
}
