/**
 * Turns for questions to an issuer: so many run at a time, and so many wait. Whoever sends many tokens waits behind themselves: the senders get
 * turns one after the other, and when the room is full, a sender who has little in it takes the place of the last question of whoever has most.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

interface Waiter {
  readonly sender: string
  /** Done with `false` if another sender got the place. */
  readonly turn: Deferred.Deferred<boolean>
  hasTurn: boolean
}

export interface AskingTurns {
  readonly inTurn: <A, E, E2>(
    sender: string,
    asks: Effect.Effect<A, E>,
    /** There is no room. */
    orElse: Effect.Effect<never, E2>
  ) => Effect.Effect<A, E | E2>
}

export const makeAskingTurns = (atOnceMax: number, waitingMax: number): AskingTurns => {
  /** Of each sender, in the order of their turns. */
  const lines = new Map<string, Array<Waiter>>()
  let running = 0
  let waiting = 0

  const done = (waiter: Waiter, hasTurn: boolean): void => {
    waiter.hasTurn = hasTurn
    Deferred.doneUnsafe(waiter.turn, Effect.succeed(hasTurn))
  }

  const start = (waiter: Waiter): void => {
    running++
    done(waiter, true)
  }

  const startNext = (): void => {
    for (const [sender, line] of lines) {
      const first = line.shift()
      waiting--
      // The next sender has the next turn.
      lines.delete(sender)
      if (line.length > 0) lines.set(sender, line)
      if (first !== undefined) start(first)
      return
    }
  }

  const ended = (): void => {
    running--
    startNext()
  }

  const leave = (waiter: Waiter): void => {
    if (waiter.hasTurn) return ended()
    const line = lines.get(waiter.sender)
    const place = line?.indexOf(waiter) ?? -1
    if (line === undefined || place === -1) return
    line.splice(place, 1)
    waiting--
    if (line.length === 0) lines.delete(waiter.sender)
  }

  /** Whether somebody with more than one question more than this sender gave up a place. */
  const makeRoom = (sender: string): boolean => {
    const longest = [...lines.values()].reduce((most, line) => (line.length > most.length ? line : most), [])
    if (longest.length <= (lines.get(sender)?.length ?? 0) + 1) return false
    const last = longest.at(-1)!
    leave(last)
    done(last, false)
    return true
  }

  const join = (waiter: Waiter): void => {
    if (running < atOnceMax) return start(waiter)
    if (waiting >= waitingMax && !makeRoom(waiter.sender)) return done(waiter, false)
    const line = lines.get(waiter.sender)
    if (line === undefined) lines.set(waiter.sender, [waiter])
    else line.push(waiter)
    waiting++
  }

  return {
    inTurn: <A, E, E2>(sender: string, asks: Effect.Effect<A, E>, orElse: Effect.Effect<never, E2>) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.suspend((): Effect.Effect<A, E | E2> => {
          const waiter: Waiter = { sender, turn: Deferred.makeUnsafe(), hasTurn: false }
          join(waiter)
          return restore(Deferred.await(waiter.turn)).pipe(
            Effect.onInterrupt(() => Effect.sync(() => leave(waiter))),
            Effect.flatMap((hasTurn): Effect.Effect<A, E | E2> =>
              hasTurn ? Effect.ensuring(restore(asks), Effect.sync(ended)) : orElse
            )
          )
        })
      )
  }
}
