/**
 * Room that several holders share. Each may take up to a bound of its own while there is room in all. However much the others have
 * taken, each has its part: the room in all divided by the number of holders. So nobody is kept out by others, and all together take
 * less than twice the room.
 */
export interface SharedBounds {
  /** Of one holder. A single thing that is larger is for the bound of all to judge. */
  readonly eachMax: number
  readonly inAllMax: number
  /** How many there are; where they come and go, how many there are now. */
  readonly holders: number | (() => number)
}

/** What one holder has of the room. */
export interface Share {
  readonly taken: () => number
  /** Gives back what is negative. */
  readonly take: (amount: number) => void
  /** Whether it has too much, or would have with so much more. */
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
