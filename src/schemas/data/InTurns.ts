/** Work that yields wherever others may have their turn. Who runs it decides whether they have it. */
export type InTurns<A> = Generator<undefined, A>

export const atOnce = <A>(work: InTurns<A>): A => {
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
  }
}
