/** The environment of this process, for libraries that read nothing else. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** Takes away what `pattern` matches and puts `values` in its place, for the rest of the scope. Empty ones are not set. */
export const environment = (
  pattern: RegExp,
  values: Readonly<Record<string, string>>
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.sync(() => {
        const before = { ...process.env }
        for (const name of Object.keys(before)) if (pattern.test(name)) delete process.env[name]
        for (const [name, value] of Object.entries(values)) if (value !== "") process.env[name] = value
        return before
      }),
      (before) =>
        Effect.sync(() => {
          for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
          Object.assign(process.env, before)
        })
    )
  )
