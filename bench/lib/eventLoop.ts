/** How long the event loop stood still. */
import { setImmediate as turn } from "node:timers/promises"

/** Milliseconds of the longest turn of the event loop while `work` ran. */
export const longestBlock = async (work: () => Promise<unknown>): Promise<{ blockMs: number; totalMs: number }> => {
  await turn()
  let [last, longest, running] = [performance.now(), 0, true]
  const probe = () => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
    if (running) setImmediate(probe)
  }
  setImmediate(probe)
  const start = performance.now()
  await work()
  const totalMs = performance.now() - start
  // The turn in which the work ended counts too.
  await turn()
  running = false
  return { blockMs: longest, totalMs }
}
