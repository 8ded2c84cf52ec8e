/**
 * How often a server may want more rights than those of its token: what was asked for and not given is not asked for again,
 * and only so many times in all, or a server could have a person asked for ever.
 */
import { MORE_RIGHTS_MAX, MORE_RIGHTS_WINDOW_MS, REFUSED_RIGHTS_MAX } from "../../../schemas/defaults/Authorization.ts"

export interface Rights {
  /** Whether these may be asked for now; if so they count as not given until they are. */
  readonly ask: (scopes: ReadonlyArray<string>, now: number) => boolean
  readonly given: (scopes: ReadonlyArray<string>) => void
  readonly forget: () => void
}

const keyOf = (scopes: ReadonlyArray<string>): string => scopes.toSorted().join(" ")

export const makeRights = (): Rights => {
  const refused = new Set<string>()
  let asked: ReadonlyArray<number> = []
  return {
    ask: (scopes, now) => {
      const key = keyOf(scopes)
      asked = asked.filter((at) => now - at < MORE_RIGHTS_WINDOW_MS)
      if (scopes.length === 0 || refused.has(key) || asked.length >= MORE_RIGHTS_MAX) return false
      asked = [...asked, now]
      refused.add(key)
      // The oldest first: names are the server's, and it has no end of them.
      for (const oldest of refused) {
        if (refused.size <= REFUSED_RIGHTS_MAX) break
        refused.delete(oldest)
      }
      return true
    },
    given: (scopes) => void refused.delete(keyOf(scopes)),
    forget: () => {
      refused.clear()
      asked = []
    }
  }
}
