/**
 * Marks show whose a process is when its environment cannot be read: the process dropped or overwrote it, or forbids reading it (as
 * ssh-agent does). A mark is a value of the limit of file locks, which Linux has ignored since 2.4. Every process has this limit and
 * inherits it, everybody may read it, and only root can raise it. Marks exist on Linux only, if the `prlimit` program is installed;
 * without it, processes are found by their tags.
 */
import { spawnSync } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { canRun, findProgram, shebangOf } from "./paths.ts"
import type { Owner } from "./tag.ts"

/** As much of the owner as fits into two numbers of 62 bits. */
export interface Mark {
  /** Both limits as the system shows them: equal for the processes of one connection. */
  readonly text: string
  readonly pid: number
  /** The last bits of the start time of the owner. */
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

/** Makes the mark of one connection. The soft limit is below the hard one, because its first bit is not set. */
export const makeMark = ({ pid, place, started }: Owner): Mark => {
  const hard = (((MAGIC << PID_BITS) | lastBits(BigInt(pid), PID_BITS)) << STARTED_BITS) | BigInt(startOf(started))
  const random = lastBits(BigInt(`0x${randomBytes(8).toString("hex")}`), RANDOM_BITS)
  const soft = (placeOf(place) << RANDOM_BITS) | random
  return { text: `${soft}:${hard}`, pid, started: startOf(started), place: placeOf(place) }
}

const LIMIT = /^Max file locks +(\d{1,20}) +(\d{1,20}) /m

/** Reads the mark from `/proc/PID/limits`. A limit that another program has set is not a mark. */
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

/** This read does not wait for the process, so a stuck one cannot block it. */
export const markOf = (pid: number): Mark | undefined => parseMark(limitsOf(pid))

const PLACES = "/usr/bin:/bin:/usr/local/bin:/run/current-system/sw/bin"
/** The search path of `execvp` for a process without PATH. */
const PATH_OF_NONE = "/bin:/usr/bin"

/** Calls `find` once, also if it finds nothing: it may start a program and block until that ends. */
const foundOnce = (find: FindPrlimit): FindPrlimit => {
  let program: string | null | undefined
  return (mark) => {
    if (program === undefined) program = find(mark)
    return program
  }
}

/** The path of `prlimit`; `null` if there is none, or if this process has a mark itself: then what it starts belongs to its owner. */
type FindPrlimit = (mark: Mark) => string | null

const findPrlimit: FindPrlimit = (mark) => {
  if (process.platform !== "linux" || MAGIC_BITS + PID_BITS + STARTED_BITS > 62n) return null
  if (!/^Max file locks +unlimited +unlimited /m.test(limitsOf("self"))) return null
  const found = findProgram("prlimit", PLACES, "/")
  if (found === undefined) return null
  // If the system does not allow setting the limit, no server would start.
  const { status } = spawnSync(found, [limitOption(mark), "--", found, "--version"], { stdio: "ignore", env: {} })
  return status === 0 ? found : null
}

const limitOption = ({ text }: Mark) => `--locks=${text}`

export interface Command {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string | undefined
}

/** `prlimit` would load the libraries of the server, and may not start with them. */
const hasOwnLibraries = ({ env }: Command): boolean =>
  Object.entries(env).some(([name, value]) => name.startsWith("LD_") && value !== "")

/** A command that cannot start stays unchanged: only then does the system report why. */
const canStart = ({ command, cwd = process.cwd(), env }: Command): boolean => {
  const path = findProgram(command, env["PATH"] ?? PATH_OF_NONE, cwd)
  if (path === undefined) return false
  const interpreter = shebangOf(path)?.program
  return interpreter === undefined || canRun(resolve(cwd, interpreter))
}

/** Gives the command as one whose process has the mark before its first instruction. */
export type WithMark = <A extends Command>(what: A, mark: Mark) => A

/** `prlimit` sets the limit of its own process, and becomes the command by an exec. */
export const makeWithMark = (find: FindPrlimit = findPrlimit): WithMark => {
  const prlimit = foundOnce(find)
  return (what, mark) => {
    const program = prlimit(mark)
    if (program === null || hasOwnLibraries(what) || !canStart(what)) return what
    return { ...what, command: program, args: [limitOption(mark), "--", what.command, ...what.args] }
  }
}
