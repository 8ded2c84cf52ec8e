/**
 * How much of a long table is run. `npm test` takes a part of each that is spread over all of it, `npm run test:more` all of it: hostile
 * servers and clients, what takes linear time at its real size, random inputs.
 */
export const isFull = process.env["MCP_LIVE_TESTS"] === "full"

/** Every row of `npm run test:more`; one in so many of `npm test`. */
export const some = <A>(rows: ReadonlyArray<A>, oneIn: number): ReadonlyArray<A> =>
  isFull ? rows : rows.filter((_, index) => index % oneIn === 0)

/** A size or a count: that of `npm run test:more`, or a smaller one. */
export const inFull = (full: number, otherwise: number): number => (isFull ? full : otherwise)

/** Rows that keep the same promise: all of them in `npm run test:more`, or these. */
export const rowsInFull = <A>(all: ReadonlyArray<A>, otherwise: ReadonlyArray<NoInfer<A>>): ReadonlyArray<A> =>
  isFull ? all : otherwise
