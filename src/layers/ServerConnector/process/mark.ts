/**
 * A second sign of whose a process is, for those that have no environment to be read: it was dropped or written over, or the
 * process does not let itself be looked into (ssh-agent does not, for one). It is the limit of file locks, which Linux has not
 * used since 2.4: every process has one, inherits it, anybody may read it, and none but root can raise it again. Linux alone,
 * where its `prlimit` program is installed; without it the tag must do.
 */
import { spawn } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { findProgram } from "../sandbox/paths.ts"
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

/** Found once: `null` where there is none, or where we are marked ourselves and what we start belongs to our owner. */
let program: string | null | undefined

const findPrlimit = (): string | null => {
  if (process.platform !== "linux" || MAGIC_BITS + PID_BITS + STARTED_BITS > 62n) return null
  if (!/^Max file locks +unlimited +unlimited /m.test(limitsOf("self"))) return null
  return findProgram("prlimit", PLACES, "/") ?? null
}

/** Marks a process that was just started. Nobody waits for it, and nothing depends on it. */
export const putMark = (pid: number, mark: Mark): void => {
  program ??= findPrlimit()
  if (program === null) return
  const args = ["--pid", String(pid), `--locks=${mark.text}`]
  try {
    const child = spawn(program, args, { stdio: "ignore", env: {} })
    child.on("error", () => {}).unref()
  } catch {
    // This process is short of something.
  }
}
