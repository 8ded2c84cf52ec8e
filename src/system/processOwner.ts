/**
 * Identifies a process in a file that says whose it is. The number together with the start time tells whether the process still runs;
 * the number alone may belong to another process by now.
 */
import * as Schema from "effect/Schema"
import { readFileSync, readlinkSync } from "node:fs"
import { hostname } from "node:os"
import { lazy } from "../schemas/data/Memo.ts"
import { entryOf } from "./process/procfs.ts"

export const Owner = Schema.Struct({
  pid: Schema.Int.check(Schema.isGreaterThan(0)),
  /** When the process started; empty if the system does not tell. */
  started: Schema.String,
  host: Schema.String,
  boot: Schema.String,
  /** The namespace of the process number. */
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

const startedAt = (pid: number): string => String(entryOf(pid)?.started ?? "")

const place = () => ({
  host: hostname(),
  boot: attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
  space: attempt(() => readlinkSync("/proc/self/ns/pid"))
})

export const thisProcess = lazy((): ProcessOwner => ({ pid: process.pid, started: startedAt(process.pid), ...place() }))

const answers = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

/** Whether a process with this number runs, of any user. One that has ended keeps its number until its parent waits for it, which may never be. */
export const exists = (pid: number): boolean => answers(pid) && entryOf(pid)?.dead !== true

/** Whether the owner still runs; `undefined` if that cannot be determined from here. */
export const isOwnerAlive = ({ boot, host, pid, space, started }: ProcessOwner): boolean | undefined => {
  const here = place()
  if (host !== here.host) return undefined
  if (boot !== here.boot) return false
  if (space !== here.space) return undefined
  if (!exists(pid)) return false
  const now = startedAt(pid)
  return now === "" || started === "" ? undefined : now === started
}
