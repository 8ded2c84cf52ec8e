/**
 * The memory that the lists of all servers share. Each server has a guaranteed part, however much the others have taken: the limit for all must
 * not let one server keep out the tools of another one.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { LIST_MAX_BYTES, LISTS_MAX_BYTES } from "../schemas/defaults/Definitions.ts"
import type { ListRoom } from "../schemas/connection/ListRoom.ts"
import { makeSharedRoom } from "./sharedRoom.ts"

/** Gives a server its part until the Scope closes. */
export const makeListRooms = ({ eachMax = LIST_MAX_BYTES, inAllMax = LISTS_MAX_BYTES } = {}): Effect.Effect<
  ListRoom,
  never,
  Scope.Scope
> => {
  let holders = 0
  const shareOf = makeSharedRoom({ eachMax, inAllMax, holders: () => holders })
  const acquire = Effect.sync(() => {
    holders++
    const share = shareOf()
    const begin: ListRoom["begin"] = () => {
      const before = share.taken()
      share.take(-before)
      return {
        take: (bytes) => {
          if (share.isOver(bytes)) return false
          share.take(bytes)
          return true
        },
        undo: () => share.take(before - share.taken())
      }
    }
    return { share, begin }
  })
  return Effect.acquireRelease(acquire, ({ share }) =>
    Effect.sync(() => {
      holders--
      share.take(-share.taken())
    })
  )
}
