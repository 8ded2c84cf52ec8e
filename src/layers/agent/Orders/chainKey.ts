/** The key for the marks of agent requests: one for all processes of a data directory. */
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { keptOnce, makeWord } from "../../../system/keptOnce.ts"

const KEY = { bytes: 32, encoding: "hex" } as const

/** Without a directory it belongs to this process only, which then only recognizes itself. */
export const chainKey = (directory: string | undefined): Effect.Effect<string> =>
  directory === undefined
    ? Effect.sync(() => makeWord(KEY))
    : Effect.tryPromise(() => keptOnce({ ...KEY, path: join(directory, "chain-key") })).pipe(
        Effect.orElseSucceed(() => undefined),
        Effect.map((kept) => kept ?? makeWord(KEY))
      )
