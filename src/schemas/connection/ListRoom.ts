/** The memory for one server's lists, a share of the memory that all servers have for lists. */
export interface ListRoom {
  /** The lists are read again: what is taken from now on replaces what was taken before. */
  readonly begin: () => {
    /** Takes so many bytes; `false`, and nothing is taken, if there is no room for them. */
    readonly take: (bytes: number) => boolean
    /** The lists could not be read: the last ones stay. */
    readonly undo: () => void
  }
}
