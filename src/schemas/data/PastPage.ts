/** Pages of what files of lines hold. */

/** A page of the past, from the newest line to the oldest. */
export interface PastAsked<A> {
  /** `cursor` of the page before. */
  readonly before?: string | undefined
  readonly limit: number
  readonly accepts: (record: A) => boolean
}

export interface PastPage<A> {
  /** The oldest first. */
  readonly lines: ReadonlyArray<{ readonly text: string; readonly record: A }>
  /** Missing when there is nothing older. A search looks at a part at a time: a page may be empty and still have one. */
  readonly cursor?: string
}
