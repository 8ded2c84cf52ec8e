/** Which rows of a long table are in sight, and where a key leads from one. */

/** Rows beyond the edges, so that fast scrolling shows no gap. */
const BEYOND = 12

export interface Sight {
  readonly count: number
  readonly rowPx: number
  readonly top: number
  readonly height: number
}

/** The first row to draw, and the one after the last. */
export const rowsInSight = ({ count, height, rowPx, top }: Sight): { readonly from: number; readonly to: number } => {
  const from = Math.max(0, Math.min(count, Math.floor(top / rowPx) - BEYOND))
  return { from, to: Math.max(from, Math.min(count, Math.ceil((top + height) / rowPx) + BEYOND)) }
}

/** `undefined` for a key that means nothing here. `current` is -1 before the first step. */
export const stepTo = (key: string, current: number, count: number, page: number): number | undefined => {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: current + 1,
    ArrowUp: current - 1,
    PageDown: current + Math.max(1, page),
    PageUp: current - Math.max(1, page),
    Home: 0,
    End: count - 1
  }
  const to = steps[key]
  return to === undefined || count === 0 ? undefined : Math.max(0, Math.min(count - 1, to))
}
