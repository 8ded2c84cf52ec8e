/** The span that something happens under. */
import * as Fiber from "effect/Fiber"
import * as Tracer from "effect/Tracer"

/** That of the fiber that runs this, if a fiber runs it. */
export const currentSpan = (): Tracer.AnySpan | undefined => Fiber.getCurrent()?.cache.span

/** The same where Effect's own tracer makes spans that nobody sees: those are left out, and the next one above counts. */
export const seenSpan = (span: Tracer.AnySpan | undefined = currentSpan()): Tracer.AnySpan | undefined => {
  let seen = span
  while (seen instanceof Tracer.NativeSpan) seen = seen.parent._tag === "Some" ? seen.parent.value : undefined
  return seen
}
