/** Nothing of a run is left on the machine: each process of it has a marker in its environment. */
import { readdirSync, readFileSync } from "node:fs"
import { setTimeout as delay } from "node:timers/promises"
import { MARKER } from "../node.ts"
import type { Violation } from "./facts.ts"

const PATIENCE_MS = 15_000
const LOOK_MS = 250

const read = (pid: string, what: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${what}`, "latin1")
  } catch {
    // It has ended.
    return ""
  }
}

/** The processes of a run, as their command lines. */
export const running = (run: string): ReadonlyArray<string> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => read(pid, "environ").includes(`${MARKER}=${run}`))
    .map((pid) => `${pid} ${read(pid, "cmdline").replaceAll("\0", " ").trim()}`)

export const leftovers = async (run: string): Promise<ReadonlyArray<Violation>> => {
  const until = Date.now() + PATIENCE_MS
  while (running(run).length > 0 && Date.now() < until) await delay(LOOK_MS)
  return running(run).map((detail) => ({ promise: "nothing is left running", detail }))
}
