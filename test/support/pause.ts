/** Between two looks at what another process does. While nothing runs here, that process has the machine. */
import * as Schedule from "effect/Schedule"
import { setTimeout as delay } from "node:timers/promises"

const PAUSE_MS = 10

/** For `Effect.repeat`, on the real clock. */
export const pauses = Schedule.spaced(PAUSE_MS)

export const pause = (): Promise<void> => delay(PAUSE_MS)
