/** How commands that provide secrets are run: their environment, and the most that they may write. */
import type * as Effect from "effect/Effect"
import { BASE_VARIABLES, BASE_VARIABLES_WINDOWS } from "../../../schemas/connection/BaseEnvironment.ts"
import { SECRET_ANSWER_MAX_BYTES } from "../../../schemas/defaults/Secrets.ts"
import { runHelper, type HelperFailed, type HelperResult, type HelperSpec } from "../../../system/helperProcess.ts"

export const run = (
  spec: Omit<HelperSpec, "maxBytes"> & Partial<HelperSpec>
): Effect.Effect<HelperResult, HelperFailed> => runHelper({ maxBytes: SECRET_ANSWER_MAX_BYTES, ...spec })

/** Programs of secret stores keep their settings there. */
const WINDOWS = [...BASE_VARIABLES_WINDOWS, "PROGRAMDATA"]

/** The variables of this process that a command gets: harmless names, and those that begin with one of `prefixes`. */
export const baseEnvironment = (
  env: Readonly<Record<string, string | undefined>>,
  prefixes: ReadonlyArray<string> = [],
  platform: NodeJS.Platform = process.platform
): Record<string, string> => {
  const onWindows = platform === "win32"
  const base = new Set(onWindows ? WINDOWS : BASE_VARIABLES)
  const starts = [...prefixes, ...(onWindows ? [] : ["LC_"])]
  const isPassed = (name: string) => base.has(name) || starts.some((prefix) => name.startsWith(prefix))
  // Only Windows ignores the case of names. Functions that bash exports are not data.
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] =>
        isPassed(onWindows ? entry[0].toUpperCase() : entry[0]) && entry[1] !== undefined && !entry[1].startsWith("()")
    )
  )
}
