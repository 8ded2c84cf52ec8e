/** Texts that others have kept who share the store. */
import * as Effect from "effect/Effect"
import type { Kept, KeptParts } from "../../../services/call/ResultStore.ts"
import type { ResultTexts } from "../../../services/call/ResultTexts.ts"

export const HANDLE_BYTES = 8
const HANDLE = /^r-[0-9a-f]{16}$/

/** What cannot be read has been removed. */
export const ifThere = (read: Effect.Effect<string, string>): Effect.Effect<string | undefined> =>
  Effect.orElseSucceed(read, () => undefined)

/** `undefined` for a text that nobody has kept for everybody. */
export const makeElsewhere = ({ find, read, slice }: ResultTexts["Service"]) => {
  const found = (handle: string) => (HANDLE.test(handle) ? find(handle) : Effect.undefined)
  return {
    read: Effect.fnUntraced(function* (handle: string): Effect.fn.Return<Kept | undefined> {
      const there = yield* found(handle)
      const text = there === undefined ? undefined : yield* ifThere(read(handle))
      return there === undefined || text === undefined ? undefined : { origin: there.origin, length: text.length, text }
    }),
    open: (handle: string): Effect.Effect<KeptParts | undefined> =>
      Effect.map(
        found(handle),
        (there) =>
          there && {
            origin: there.origin,
            length: there.parts.chars.at(-1) ?? 0,
            slice: (from, to) => ifThere(slice(handle, there.parts, from, to))
          }
      )
  }
}
