/**
 * Room that several holders share. Each holder may take up to its own limit while there is room in total. Whatever the others have taken, each
 * has a guaranteed part: the total divided by the number of holders. So nobody is kept out by others, and all together take less than twice the
 * total.
 */
export interface SharedBounds {
  /** The limit of one holder. Only the total limits a single thing that is larger. */
  readonly eachMax: number
  readonly inAllMax: number
  /** The number of holders, or a function that gives the present number. */
  readonly holders: number | (() => number)
}

/** The room of one holder. */
export interface Share {
  readonly taken: () => number
  /** A negative amount gives room back. */
  readonly take: (amount: number) => void
  /** Whether the holder has too much, or would have with so much more. */
  readonly isOver: (more?: number) => boolean
}

/** Gives each holder its share. */
export const makeSharedRoom = ({ eachMax, holders, inAllMax }: SharedBounds): (() => Share) => {
  const part = () => inAllMax / (typeof holders === "number" ? holders : holders())
  let inAll = 0
  return () => {
    let own = 0
    return {
      taken: () => own,
      take: (amount) => {
        own += amount
        inAll += amount
      },
      isOver: (more = 0) => (own > 0 && own + more > eachMax) || (inAll + more > inAllMax && own + more > part())
    }
  }
}
