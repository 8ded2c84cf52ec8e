/** The room of one server for its lists, in memory that all servers share. */
export interface ListRoom {
  /** Its lists are read anew: what is taken from now on stands for them instead of what was taken before. */
  readonly begin: () => {
    /** Takes so many bytes; `false` when there is no room for them, and none is taken. */
    readonly take: (bytes: number) => boolean
    /** The lists could not be read: those of before are still there. */
    readonly undo: () => void
  }
}
