/**
 * Masks secrets in everything that a command prints on stderr: log lines, errors, and reports of crashes, which come from
 * outside of any layer. A secret that was registered once is masked until the process ends.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Redactor } from "../../services/content/Redactor.ts"

const redactors = new Set<Redactor["Service"]>()

export const masked = (text: string): string => {
  try {
    return [...redactors].reduce((rest, redactor) => redactor.redact(rest), text)
  } catch {
    return "(a message that cannot be masked, and is not shown)\n"
  }
}

/** The redactor of a command; loaded on first use. */
export const redactorLayer: Layer.Layer<Redactor> = Layer.unwrap(
  Effect.map(
    Effect.promise(() => import("../../layers/content/Redactor.ts")),
    ({ layer }) =>
      Layer.effect(
        Redactor,
        Effect.tap(Redactor, (redactor) => Effect.sync(() => redactors.add(redactor)))
      ).pipe(Layer.provide(layer))
  )
)
