/**
 * A second sign of whose a process is, for those that have no environment to be read: it was dropped or written over, or the
 * process does not let itself be looked into (ssh-agent does not, for one). It is the limit of file locks, which Linux has not
 * used since 2.4: every process has one, inherits it, anybody may read it, and none but root can raise it again. Linux alone,
 * where its `prlimit` program is installed; without it the tag must do.
 */
import { spawnSync } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { canRun, findProgram, shebangOf } from "./paths.ts"
import type { Owner } from "./tag.ts"

/** Of the owner, what fits into a number of 62 bits. */
export interface Mark {
  /** Both limits, as the system shows them: equal for the processes of one connection. */
  readonly text: string
  readonly pid: number
  /** The last bits of the owner's start. */
  readonly started: number
  readonly place: bigint
}

const MAGIC = 0b1011_0111_0101n
const MAGIC_BITS = 12n
const PID_BITS = 22n
const STARTED_BITS = 28n
const PLACE_BITS = 24n
const RANDOM_BITS = 37n

const lastBits = (value: bigint, bits: bigint) => value & ((1n << bits) - 1n)
const placeOf = (place: string) => lastBits(BigInt(`0x${createHash("sha256").update(place).digest("hex")}`), PLACE_BITS)
const startOf = (started: number) => Number(lastBits(BigInt(started), STARTED_BITS))

/** Of one connection. The lower limit is below the higher one, since its first bit is not set. */
export const makeMark = ({ pid, place, started }: Owner): Mark => {
  const hard = (((MAGIC << PID_BITS) | lastBits(BigInt(pid), PID_BITS)) << STARTED_BITS) | BigInt(startOf(started))
  const random = lastBits(BigInt(`0x${randomBytes(8).toString("hex")}`), RANDOM_BITS)
  const soft = (placeOf(place) << RANDOM_BITS) | random
  return { text: `${soft}:${hard}`, pid, started: startOf(started), place: placeOf(place) }
}

const LIMIT = /^Max file locks +(\d{1,20}) +(\d{1,20}) /m

/** What the system says of the limits of a process; a limit that somebody else has set is no mark. */
export const parseMark = (limits: string): Mark | undefined => {
  const [, low, high] = LIMIT.exec(limits) ?? []
  if (low === undefined || high === undefined) return undefined
  const [soft, hard] = [BigInt(low), BigInt(high)]
  if (hard >> (PID_BITS + STARTED_BITS) !== MAGIC || soft >> (PLACE_BITS + RANDOM_BITS) !== 0n) return undefined
  return {
    text: `${soft}:${hard}`,
    pid: Number(lastBits(hard >> STARTED_BITS, PID_BITS)),
    started: Number(lastBits(hard, STARTED_BITS)),
    place: soft >> RANDOM_BITS
  }
}

/** Whether the mark names this owner. */
export const namesStart = (mark: Mark, started: number): boolean => mark.started === startOf(started)
export const namesPlace = (mark: Mark, place: string): boolean => mark.place === placeOf(place)

const limitsOf = (pid: number | "self"): string => {
  try {
    return readFileSync(`/proc/${pid}/limits`, "latin1")
  } catch {
    return ""
  }
}

/** Needs nothing of the process itself: a stuck one holds nobody up. */
export const markOf = (pid: number): Mark | undefined => parseMark(limitsOf(pid))

const PLACES = "/usr/bin:/bin:/usr/local/bin:/run/current-system/sw/bin"
/** Where a program is looked for that has no PATH: as `execvp` does it. */
const PATH_OF_NONE = "/bin:/usr/bin"

/** Looked for once, also where there is none: the look may start a program, and this one waits for it. */
export const foundOnce = (find: (mark: Mark) => string | null): typeof find => {
  let program: string | null | undefined
  return (mark) => {
    if (program === undefined) program = find(mark)
    return program
  }
}

/** `null` where there is none, or where we are marked ourselves and what we start belongs to our owner. */
const findPrlimit = (mark: Mark): string | null => {
  if (process.platform !== "linux" || MAGIC_BITS + PID_BITS + STARTED_BITS > 62n) return null
  if (!/^Max file locks +unlimited +unlimited /m.test(limitsOf("self"))) return null
  const found = findProgram("prlimit", PLACES, "/")
  if (found === undefined) return null
  // Where a system does not let it set the limit, no server would start.
  const { status } = spawnSync(found, [limitOption(mark), "--", found, "--version"], { stdio: "ignore", env: {} })
  return status === 0 ? found : null
}

const prlimit = foundOnce(findPrlimit)

const limitOption = ({ text }: Mark) => `--locks=${text}`

export interface Command {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string | undefined
}

/** Libraries that are the server's own: `prlimit` would get them, too, and may not start with them. */
const hasOwnLibraries = ({ env }: Command): boolean =>
  Object.entries(env).some(([name, value]) => name.startsWith("LD_") && value !== "")

/** What the system would not start is left as it is: only then does it say why. */
const canStart = ({ command, cwd = process.cwd(), env }: Command): boolean => {
  const path = findProgram(command, env["PATH"] ?? PATH_OF_NONE, cwd)
  if (path === undefined) return false
  const interpreter = shebangOf(path)?.program
  return interpreter === undefined || canRun(resolve(cwd, interpreter))
}

/**
 * The command as a process that has the mark before its first instruction: `prlimit` sets the limit of its own process, and
 * becomes the command.
 */
export const withMark = <A extends Command>(what: A, mark: Mark): A => {
  const program = prlimit(mark)
  if (program === null || hasOwnLibraries(what) || !canStart(what)) return what
  return { ...what, command: program, args: [limitOption(mark), "--", what.command, ...what.args] }
}
