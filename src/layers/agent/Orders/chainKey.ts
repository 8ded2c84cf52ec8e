/** The key of the marks in chains of orders: one for all processes of a data directory. */
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { keptOnce, makeWord } from "../../../system/keptOnce.ts"

const KEY = { bytes: 32, encoding: "hex" } as const

/** Where nothing can be kept, it is this process's alone: then it only knows itself again. */
export const chainKey = (directory: string | undefined): Effect.Effect<string> =>
  directory === undefined
    ? Effect.sync(() => makeWord(KEY))
    : Effect.tryPromise(() => keptOnce({ ...KEY, path: join(directory, "chain-key") })).pipe(
        Effect.orElseSucceed(() => undefined),
        Effect.map((kept) => kept ?? makeWord(KEY))
      )
