/** What another process writes, as it comes. A test that wants a line of it waits for the line: the answer may be there first. */
import * as Effect from "effect/Effect"

export interface HeardText {
  /** More of it. */
  readonly hear: (text: string) => void
  /** All that has come so far: to be sure that something is not in it, wait for the end of the process first. */
  readonly text: () => string
  /** Returns once it matches. */
  readonly logged: (pattern: RegExp) => Effect.Effect<RegExpExecArray>
}

export const heardText = (): HeardText => {
  let all = ""
  const looks = new Set<() => void>()
  return {
    hear: (text) => {
      all += text
      for (const look of looks) look()
    },
    text: () => all,
    logged: (pattern) =>
      Effect.callback<RegExpExecArray>((resume) => {
        const look = () => {
          const found = pattern.exec(all)
          if (found === null) return
          looks.delete(look)
          resume(Effect.succeed(found))
        }
        looks.add(look)
        look()
        return Effect.sync(() => void looks.delete(look))
      })
  }
}
