/**
 * Masks what a command prints on stderr with all redactors that it has made: lines of the log, errors, and reports of a crash, which come
 * from outside of every layer. A secret that was known once is masked until the process ends, so the redactors are kept in a
 * `Context.Reference`, for the process, and not in a layer.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Redactor } from "../../services/content/Redactor.ts"

export class Redactors extends Context.Reference<Set<Redactor["Service"]>>("mcp-live/cli/Redactors", {
  defaultValue: () => new Set()
}) {}

export const maskedBy = (redactors: ReadonlySet<Redactor["Service"]>, text: string): string => {
  try {
    return [...redactors].reduce((rest, redactor) => redactor.redact(rest), text)
  } catch {
    return "(a message that cannot be masked, and is not shown)\n"
  }
}

export const masked = (text: string): Effect.Effect<string> =>
  Effect.map(Redactors, (redactors) => maskedBy(redactors, text))

/** The same for those who are no fiber: the process calls them when something crashes. */
export const maskedNow = (text: string): string => Effect.runSync(masked(text))

/** The redactor of a command; loaded only where one is made. */
export const redactorLayer: Layer.Layer<Redactor> = Layer.unwrap(
  Effect.map(
    Effect.promise(() => import("../../layers/content/Redactor.ts")),
    ({ layer }) =>
      Layer.effect(
        Redactor,
        Effect.gen(function* () {
          const redactor = yield* Redactor
          const redactors = yield* Redactors
          redactors.add(redactor)
          return redactor
        })
      ).pipe(Layer.provide(layer))
  )
)
