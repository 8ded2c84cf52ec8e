/**
 * A process by what tells it from every other one, for files that say whose they are. Whether it has died is told by its number
 * together with the time of its start; a number alone is given again.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { readFileSync, readlinkSync } from "node:fs"
import { hostname } from "node:os"

const Owner = Schema.Struct({
  pid: Schema.Int.check(Schema.isGreaterThan(0)),
  /** When that process began; empty where the system does not say. */
  started: Schema.String,
  host: Schema.String,
  boot: Schema.String,
  /** Where on that machine its number means it. */
  space: Schema.String
})

export interface ProcessOwner extends Schema.Schema.Type<typeof Owner> {}

const attempt = (read: () => string): string => {
  try {
    return read()
  } catch {
    return ""
  }
}

/** Field 22 of `stat`; the name before it may hold anything, so it is counted from its end. */
const startedAt = (pid: number | "self"): string =>
  attempt(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? ""
  })

const place = () => ({
  host: hostname(),
  boot: attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
  space: attempt(() => readlinkSync("/proc/self/ns/pid"))
})

export const thisProcess = (): ProcessOwner => ({ pid: process.pid, started: startedAt("self"), ...place() })

const decode = Schema.decodeUnknownOption(Owner)

/** Of what was read from a file; what is none is none. */
export const readProcessOwner = (value: unknown): ProcessOwner | undefined => Option.getOrUndefined(decode(value))

/** Also one of somebody else's. */
export const exists = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

/** `undefined` where that cannot be told from here. */
export const isOwnerAlive = ({ boot, host, pid, space, started }: ProcessOwner): boolean | undefined => {
  const here = place()
  if (host !== here.host) return undefined
  if (boot !== here.boot) return false
  if (space !== here.space) return undefined
  if (!exists(pid)) return false
  const now = startedAt(pid)
  return now === "" || started === "" ? undefined : now === started
}
