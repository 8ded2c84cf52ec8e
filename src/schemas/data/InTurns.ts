/** Work in steps: it yields where others may run. The caller decides whether they do. */
export type InTurns<A> = Generator<undefined, A>

export const atOnce = <A>(work: InTurns<A>): A => {
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
  }
}
