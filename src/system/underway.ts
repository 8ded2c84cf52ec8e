/**
 * Which requests are under way at a server, and which have just ended, so that its questions reach the right client. A server sends questions
 * over a connection that many requests share, without saying which one a question belongs to. So one is found only when there is no doubt.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"

/** A request and its client. */
export interface One<X> {
  readonly exchange: X
  readonly client: string
}

/** The process of a server, or those of several: of all that a request may reach while it is unknown which one it will be. */
export type Place = string | ReadonlySet<string>

export interface Underway<X> {
  /** Runs a request. `lateMs` says for how long a question may still be about it after it has ended so. */
  readonly during: <A, E, R>(
    place: Place,
    one: One<X>,
    effect: Effect.Effect<A, E, R>,
    lateMs: (exit: Exit.Exit<A, E>) => number
  ) => Effect.Effect<A, E, R>
  /** The requests that name this process alone. */
  readonly at: (key: string) => ReadonlyArray<One<X>>
  /**
   * The request that a question belongs to; or, for the log, why that is unknown. Nothing if nobody has a request there, or had one of late.
   * Where everything `isForOne` client, any of its requests is right.
   */
  readonly whom: (key: string, isForOne?: boolean) => Effect.Effect<One<X> | string | undefined>
}

const placesOf = (known: ReadonlyMap<Place, unknown>, key: string): ReadonlyArray<Place> =>
  [...known.keys()].filter((place) => (typeof place === "string" ? place === key : place.has(key)))

export const NOBODY = "no client has a request under way there"

/** From this many places on, expired entries are removed. */
const LOOKED_THROUGH_FROM = 64

export const makeUnderway = <X>(): Underway<X> => {
  const running = new Map<Place, Set<One<X>>>()
  /** By place and client: until when a question may still be about a finished request. */
  const late = new Map<Place, Map<string, number>>()

  const add = (place: Place, one: One<X>) => {
    const there = running.get(place)
    if (there === undefined) running.set(place, new Set([one]))
    else there.add(one)
  }
  const remove = (place: Place, one: One<X>) => {
    const there = running.get(place)
    there?.delete(one)
    if (there?.size === 0) running.delete(place)
  }
  /** Removes expired entries. */
  const lateAt = (place: Place, now: number): Map<string, number> => {
    const there = late.get(place) ?? new Map<string, number>()
    for (const [client, until] of there) if (until <= now) there.delete(client)
    if (there.size === 0) late.delete(place)
    return there
  }
  let lookAt = LOOKED_THROUGH_FROM
  const forgetOver = (now: number) => {
    if (late.size < lookAt) return
    for (const place of late.keys()) lateAt(place, now)
    lookAt = Math.max(LOOKED_THROUGH_FROM, late.size * 2)
  }
  const ended = (place: Place, { client }: One<X>, now: number, forMs: number) => {
    forgetOver(now)
    const there = lateAt(place, now)
    there.set(client, Math.max(there.get(client) ?? 0, now + forMs))
    late.set(place, there)
  }

  const lookUp = (key: string, isForOne: boolean, now: number): One<X> | string | undefined => {
    const there = placesOf(running, key).flatMap((place) => [...running.get(place)!])
    const lately = placesOf(late, key).flatMap((place) => [...lateAt(place, now).keys()])
    const last = there.at(-1)
    if (last === undefined) return lately.length === 0 ? undefined : NOBODY
    if (isForOne) return last
    if (there.length > 1) return `clients have ${there.length} requests under way there`
    return lately.every((client) => client === last.client)
      ? last
      : "it may be about a call of another client that has just ended"
  }

  return {
    during: (place, one, effect, lateMs) =>
      Effect.suspend(() => {
        add(place, one)
        return Effect.onExit(effect, (exit) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            remove(place, one)
            const forMs = lateMs(exit)
            if (forMs > 0) ended(place, one, now, forMs)
          })
        )
      }),
    at: (key) => [...(running.get(key) ?? [])],
    whom: (key, isForOne = false) => Effect.map(Clock.currentTimeMillis, (now) => lookUp(key, isForOne, now))
  }
}
