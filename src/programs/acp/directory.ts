/** Directories of sessions on this machine. */
import * as Effect from "effect/Effect"
import { stat } from "node:fs/promises"

/** Whether the path is an existing directory. */
export const isDirectory = (path: string): Effect.Effect<boolean> =>
  Effect.promise(() =>
    stat(path).then(
      (found) => found.isDirectory(),
      () => false
    )
  )
