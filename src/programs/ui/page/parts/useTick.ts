/** Draws again now and then, for what changes with time alone. */
import { useEffect, useState } from "preact/hooks"

/** A number that grows every `ms`, while the page can be seen. */
export const useTick = (ms: number): number => {
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) setTurn((before) => before + 1)
    }, ms)
    return () => clearInterval(timer)
  }, [ms])
  return turn
}
