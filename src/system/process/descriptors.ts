/**
 * Files that stand open in this process without the mark that closes them at an exec: whoever started us left them to us, and
 * a server would get them, also into its sandbox. Node marks what it opens itself, and what it inherits only up to the first
 * gap above 15.
 */
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs"
import { DESCRIPTORS_COVERED_MAX, DESCRIPTORS_KNOWN_MS } from "../../schemas/defaults/Processes.ts"

const FIRST = 3
const CLOSED_ON_EXEC = 0o2000000

/** What /proc says of an open file; one that is gone by now is nobody's. */
const isLeftOpen = (flags: string): boolean => {
  const [, octal] = /^flags:\s*([0-7]+)/m.exec(flags) ?? []
  return octal !== undefined && (Number.parseInt(octal, 8) & CLOSED_ON_EXEC) === 0
}

const flagsOf = (descriptor: number): string => {
  try {
    return readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1")
  } catch {
    return ""
  }
}

/** Numbers above those of stdin, stdout and stderr that a program started now would find open. */
export const leftOpen = (platform: NodeJS.Platform = process.platform): ReadonlyArray<number> => {
  if (platform !== "linux") return []
  try {
    return readdirSync("/proc/self/fdinfo")
      .map(Number)
      .filter((descriptor) => descriptor >= FIRST && isLeftOpen(flagsOf(descriptor)))
  } catch {
    return []
  }
}

let seen: { readonly at: number; readonly open: ReadonlyArray<number> } | undefined

/** Servers that start together share one look: nothing but native code of this very process opens such a file meanwhile. */
const leftOpenLately = (): ReadonlyArray<number> => {
  const now = performance.now()
  if (seen === undefined || now - seen.at > DESCRIPTORS_KNOWN_MS) seen = { at: now, open: leftOpen() }
  return seen.open
}

const highest = (open: ReadonlyArray<number>): number => open.reduce((most, each) => Math.max(most, each), FIRST)

/** Why no server can be started without getting one of these files; they are looked up when left out. */
export const uncoverable = (open: ReadonlyArray<number> = leftOpenLately()): string | undefined =>
  highest(open) > DESCRIPTORS_COVERED_MAX
    ? `a file that was left open to this process has number ${highest(open)}, and a server would get it: close it before you start mcp-live, or open it with a number of ${DESCRIPTORS_COVERED_MAX} at most`
    : undefined

/** How many files a process must be allowed to have open, so that a server gets none of ours: those above are counted anew. */
export const descriptorsNeeded = (): number => {
  const open = leftOpenLately()
  return highest(open) + open.length + 2
}

type Stdio = ["pipe", "pipe", "pipe", ...Array<number | "ignore" | "pipe">]

/** Runs `start` with the child's descriptors: three pipes, or four, and nothing to be had at any other number. `uncoverable` is asked first. */
export const withNothingElseOpen = <A>(hasFourth: boolean, start: (stdio: Stdio) => A): A => {
  const open = leftOpenLately()
  if (open.length === 0) return start(["pipe", "pipe", "pipe", ...(hasFourth ? (["pipe"] as const) : [])])
  const nothing = openSync("/dev/null", "r")
  try {
    const covered = new Set(open)
    const above = Array.from({ length: highest(open) - FIRST + 1 }, (_, index) =>
      covered.has(index + FIRST) ? nothing : ("ignore" as const)
    )
    return start(["pipe", "pipe", "pipe", ...(hasFourth ? ["pipe" as const, ...above.slice(1)] : above)])
  } finally {
    closeSync(nothing)
  }
}
