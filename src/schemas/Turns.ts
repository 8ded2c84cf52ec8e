/** Work on something large as a generator that yields after every few milliseconds of it, for whoever lets others go between. */

/** All turns, one after the other. */
export const atOnce = <A>(turns: Generator<undefined, A>): A => {
  for (;;) {
    const turn = turns.next()
    if (turn.done === true) return turn.value
  }
}
