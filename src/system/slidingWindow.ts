/** At most so many events within any time of a given length. The caller says what time it is, by whatever clock it uses. */
export interface SlidingWindow {
  /** Counts an event, unless there are too many. */
  readonly take: (now: number) => boolean
  /** Counts an event in any case. */
  readonly note: (now: number) => void
  /** Milliseconds until one more event is allowed. */
  readonly waitMs: (now: number) => number
  /** Whether no event is counted any more. */
  readonly isEmpty: (now: number) => boolean
}

export const makeSlidingWindow = (max: number, windowMs: number): SlidingWindow => {
  let events: ReadonlyArray<number> = []

  /** Without events that lie in the future because the clock was set back. */
  const recent = (now: number): ReadonlyArray<number> => {
    events = events.filter((at) => at <= now && now - at < windowMs).slice(-max)
    return events
  }

  const waitMs = (now: number): number => {
    const [first = now] = recent(now)
    return events.length < max ? 0 : first + windowMs - now
  }

  const note = (now: number): void => {
    events = [...recent(now), now]
  }

  return {
    take: (now) => {
      const isAllowed = waitMs(now) === 0
      if (isAllowed) note(now)
      return isAllowed
    },
    note,
    waitMs,
    isEmpty: (now) => recent(now).length === 0
  }
}
