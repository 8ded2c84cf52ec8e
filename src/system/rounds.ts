/**
 * Work in the background that nothing ends but the end of its fiber. A round that fails, also by a mistake in the program, is followed by the
 * next one: a fiber that ended with it would leave something undone for good, and nobody would be told.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"

type Rounds = <A, E, R>(round: Effect.Effect<A, E, R>) => Effect.Effect<A | undefined, never, R>

/**
 * For all rounds of one work. A round that fails gives `undefined`, and the first after one that did not is logged. What a round expects to
 * fail, it handles itself.
 */
export const roundsOf = (what: string): Rounds => {
  let isFailing = false
  return <A, E, R>(round: Effect.Effect<A, E, R>) =>
    Effect.matchCauseEffect(round, {
      onSuccess: (value): Effect.Effect<A | undefined> => {
        isFailing = false
        return Effect.succeed(value)
      },
      onFailure: (cause) => {
        // Something of it was given up, as when the program ends.
        if (isFailing || Cause.hasInterruptsOnly(cause)) return Effect.undefined
        isFailing = true
        const words = `${what} failed unexpectedly and goes on; this is said once until it succeeds`
        return Effect.as(Effect.logWarning(words, cause), undefined)
      }
    })
}

/** A pause (in milliseconds, or until something happens) and a round, again and again. */
export const again = <R, R2 = never>(
  what: string,
  pause: number | Effect.Effect<unknown, never, R2>,
  round: Effect.Effect<unknown, unknown, R>
): Effect.Effect<never, never, R | R2> =>
  Effect.suspend(() => {
    const rounds = roundsOf(what)
    return Effect.forever(Effect.andThen(typeof pause === "number" ? Effect.sleep(pause) : pause, rounds(round)))
  })

/** Until a round succeeds; with a pause after each other one. */
export const untilDone = <R>(
  what: string,
  pauseMs: number,
  round: Effect.Effect<unknown, unknown, R>
): Effect.Effect<void, never, R> =>
  Effect.suspend(() => {
    const rounds = roundsOf(what)
    return Effect.asVoid(
      Effect.repeat(rounds(Effect.as(round, true)), {
        until: (isDone) => isDone === true,
        schedule: Schedule.spaced(pauseMs)
      })
    )
  })

/** A round for each that a stream gives. */
export const following = <A, E, R, R2>(
  what: string,
  stream: Stream.Stream<A, E, R>,
  round: (each: A) => Effect.Effect<unknown, unknown, R2>
): Effect.Effect<void, E, R | R2> =>
  Effect.suspend(() => {
    const rounds = roundsOf(what)
    return Stream.runForEach(stream, (each) => rounds(Effect.suspend(() => round(each))))
  })

/** All of them, one after the other unless `options` say otherwise; then fails with what failed. */
export const tryEach = <A, E, R>(
  all: Iterable<A>,
  act: (each: A) => Effect.Effect<unknown, E, R>,
  options?: { readonly concurrency: "unbounded" }
): Effect.Effect<void, E, R> =>
  Effect.flatMap(
    Effect.forEach(all, (each) => Effect.exit(Effect.suspend(() => act(each))), options),
    Exit.asVoidAll
  )
