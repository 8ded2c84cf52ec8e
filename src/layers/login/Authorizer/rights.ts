/**
 * How often a server may ask for more scopes than its token has (step-up). Scopes that were asked for and not given are not asked for
 * again, and there is a limit in all: otherwise a server could have a person asked without end.
 */
import { MORE_RIGHTS_MAX, MORE_RIGHTS_WINDOW_MS, REFUSED_RIGHTS_MAX } from "../../../schemas/defaults/Authorization.ts"
import { addNewest } from "../../../schemas/data/Newest.ts"
import { makeSlidingWindow } from "../../../system/slidingWindow.ts"

export interface Rights {
  /** Whether these scopes may be asked for now. If so, they count as refused until they are given. */
  readonly ask: (scopes: ReadonlyArray<string>, now: number) => boolean
  readonly given: (scopes: ReadonlyArray<string>) => void
  readonly forget: () => void
}

const keyOf = (scopes: ReadonlyArray<string>): string => scopes.toSorted().join(" ")

export const makeRights = (): Rights => {
  const refused = new Set<string>()
  let asked = makeSlidingWindow(MORE_RIGHTS_MAX, MORE_RIGHTS_WINDOW_MS)
  return {
    ask: (scopes, now) => {
      const key = keyOf(scopes)
      if (scopes.length === 0 || refused.has(key) || !asked.take(now)) return false
      // The server chooses the names, and may choose any number of them.
      addNewest(refused, key, REFUSED_RIGHTS_MAX)
      return true
    },
    given: (scopes) => void refused.delete(keyOf(scopes)),
    forget: () => {
      refused.clear()
      asked = makeSlidingWindow(MORE_RIGHTS_MAX, MORE_RIGHTS_WINDOW_MS)
    }
  }
}
