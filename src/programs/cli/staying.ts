/** What the commands share that stay until their client leaves, or a signal ends them. */
import * as Effect from "effect/Effect"
import type * as LogLevel from "effect/LogLevel"
import { keepYoungGenerationSmall } from "../../system/youngGeneration.ts"
import { withLogLevel } from "./command.ts"
import { untilStopped } from "./signals.ts"

/** A signal is the normal end of a command that stays, so it is a success. */
const ended = Effect.catchTag(untilStopped(Effect.never), "Stopped", (stopped) =>
  stopped.reason === "crash" ? Effect.fail(stopped) : Effect.void
)

/** Runs such a command. Memory is collected in small steps meanwhile, because all whom it serves wait for each of them. */
export const staying =
  (level: LogLevel.LogLevel) =>
  <A, E, R>(command: Effect.Effect<A, E, R>) =>
    Effect.andThen(keepYoungGenerationSmall, command).pipe(
      Effect.scoped,
      (kept) => Effect.raceFirst(kept, ended),
      withLogLevel(level)
    )
