/**
 * Files that are open in this process without the close-on-exec flag. Whoever started us left them open, and a server would inherit
 * them, also into its sandbox. Node sets the flag on what it opens itself, and on inherited files only up to the first gap above 15.
 */
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs"
import { DESCRIPTORS_COVERED_MAX, DESCRIPTORS_KNOWN_MS } from "../../schemas/defaults/Processes.ts"

const FIRST = 3
const CLOSED_ON_EXEC = 0o2000000

/** By what /proc says of an open file. A file that was closed meanwhile has no flags. */
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

/** The numbers above stdin, stdout and stderr that a program started now would find open. */
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

/** `leftOpen`, looked up again after a while. Servers that start together share a lookup: only native code of this process could open such a file in between. */
export const makeLeftOpenLately = (): (() => ReadonlyArray<number>) => {
  let seen: { readonly at: number; readonly open: ReadonlyArray<number> } | undefined
  return () => {
    const now = performance.now()
    if (seen === undefined || now - seen.at > DESCRIPTORS_KNOWN_MS) seen = { at: now, open: leftOpen() }
    return seen.open
  }
}

const highest = (open: ReadonlyArray<number>): number => open.reduce((most, each) => Math.max(most, each), FIRST)

/** Why no server can be started without getting one of these files. */
export const uncoverable = (open: ReadonlyArray<number>): string | undefined =>
  highest(open) > DESCRIPTORS_COVERED_MAX
    ? `a file that was left open to this process has number ${highest(open)}, and a server would get it: close it before you start mcp-live, or open it with a number of ${DESCRIPTORS_COVERED_MAX} at most`
    : undefined

/** How many files this process must be allowed to have open, so that a server gets none of these. */
export const descriptorsNeeded = (open: ReadonlyArray<number>): number => highest(open) + open.length + 2

type Stdio = ["pipe", "pipe", "pipe", ...Array<number | "ignore" | "pipe">]

/** Runs `start` with the child's descriptors: three or four pipes, and /dev/null at the numbers of these files. Check `uncoverable` first. */
export const withNothingElseOpen = <A>(
  open: ReadonlyArray<number>,
  hasFourth: boolean,
  start: (stdio: Stdio) => A
): A => {
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
