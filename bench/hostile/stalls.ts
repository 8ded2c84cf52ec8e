/**
 * How long the event loop stood still because this process was at work. Time in which the machine did something else is
 * nobody's fault here, so that of each pause only the processor time counts that the thread has used in it.
 */
const EVERY_MS = 5

export interface Stalls {
  /** Milliseconds of the longest so far, the present turn included. */
  readonly longest: () => Promise<number>
  /** Begins anew. */
  readonly reset: () => void
}

const usedMs = (): number => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1000
}

export const watchStalls = (): Stalls => {
  let [wall, used, longest] = [performance.now(), usedMs(), 0]
  const look = () => {
    const [nowWall, nowUsed] = [performance.now(), usedMs()]
    longest = Math.max(longest, Math.min(nowWall - wall, nowUsed - used))
    wall = nowWall
    used = nowUsed
  }
  setInterval(look, EVERY_MS).unref()
  return {
    longest: async () => {
      // The turn in which the work ended counts, too.
      await new Promise((resolve) => setTimeout(resolve, 2 * EVERY_MS))
      look()
      return longest
    },
    reset: () => {
      look()
      longest = 0
    }
  }
}
