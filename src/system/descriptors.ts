/** How many descriptors (files, pipes, connections) the system allows this process. */
import { readFileSync } from "node:fs"
import { DESCRIPTORS_UNKNOWN } from "../schemas/defaults/Processes.ts"

/** The soft limit in the text of `/proc/self/limits`. */
export const descriptorsIn = (limits: string): number => {
  const [, soft] = /^Max open files\s+(\d+|unlimited)\s/m.exec(limits) ?? []
  return soft === undefined ? DESCRIPTORS_UNKNOWN : soft === "unlimited" ? Infinity : Number(soft)
}

export const descriptorsMax = (): number => {
  try {
    return descriptorsIn(readFileSync("/proc/self/limits", "utf8"))
  } catch {
    // Not Linux.
    return DESCRIPTORS_UNKNOWN
  }
}
