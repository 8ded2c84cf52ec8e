/** What is left of processes: tests of shutdown ask here. */
import { readFileSync } from "node:fs"

/** Whether a process is there and more than an unreaped zombie. */
export const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  if (process.platform !== "linux") return true
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    return !["Z", "X"].includes(stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3))
  } catch {
    return false
  }
}
