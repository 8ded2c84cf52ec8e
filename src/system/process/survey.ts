/**
 * Surveys read all processes of this machine, in slices. Callers share them: whoever asks while a survey runs gets the next one,
 * together with all others who asked meanwhile. A process whose environment cannot be read blocks nobody.
 */
import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises"
import { PROCESS_READ_WAIT_MS, PROCESSES_MAX } from "../../schemas/defaults/Processes.ts"
import {
  isKernelThread,
  isOurs,
  isShort,
  listNow,
  listPids,
  lookAt,
  ownSelf,
  type ProcessEntry,
  readTagText
} from "./procfs.ts"
import { type Mark, markOf } from "./mark.ts"
import { parseTags, type Tag } from "./tag.ts"

export interface Survey {
  readonly entries: ReadonlyMap<number, ProcessEntry>
  /** By the number of the process, of processes of our own user; no entry for those without tags. */
  readonly tags: ReadonlyMap<number, ReadonlyArray<Tag>>
  /** The same for marks. */
  readonly marks?: ReadonlyMap<number, Mark> | undefined
  /** Whether the tags of some processes were not read in time: they may be anybody's. */
  readonly incomplete?: boolean | undefined
}

const SLICE = 256
const READERS = 3
/** Reads that never end. Each occupies one of the few threads with which Node reads files. */
const STUCK_MAX = 2
const nameOf = ({ pid, started }: ProcessEntry) => `${pid}:${started}`

/** Waits in steps: if this process is too busy to notice that a read has ended, only one step passes. */
const WAIT_STEPS = 10
const waited = async (over: AbortSignal): Promise<"late"> => {
  for (let step = 0; step < WAIT_STEPS && !over.aborted; step++) {
    await delay(PROCESS_READ_WAIT_MS / WAIT_STEPS, undefined, { signal: over }).catch(() => {})
    await nextTurn()
  }
  return "late"
}

/** Gives `undefined` if it takes too long. It gives up waiting, not reading: a read cannot be cancelled. */
const readTags = async (
  entry: ProcessEntry,
  read: typeof readTagText,
  stuck: Set<string>
): Promise<ReadonlyArray<Tag> | undefined> => {
  const name = nameOf(entry)
  if (stuck.size >= STUCK_MAX || stuck.has(name)) return undefined
  const reading = read(entry.pid)
  const over = new AbortController()
  const text = await Promise.race([reading, waited(over.signal)])
  over.abort()
  if (text !== "late") return parseTags(text ?? "")
  stuck.add(name)
  void reading.finally(() => stuck.delete(name))
  return undefined
}

/** `stuck` has the processes whose tags are still being read from earlier surveys. */
const takeSurvey = async (since: number, read: typeof readTagText, stuck: Set<string>): Promise<Survey | undefined> => {
  const pids = listPids()
  if (pids === undefined) return undefined
  const entries = new Map<number, ProcessEntry>()
  const candidates: Array<ProcessEntry> = []
  const marks = new Map<number, Mark>()
  for (let from = 0; from < pids.length && from < PROCESSES_MAX; from += SLICE) {
    for (const pid of pids.slice(from, from + SLICE)) {
      const entry = lookAt(pid)
      // A survey that misses processes would take them for ended.
      if (isShort(entry)) return undefined
      if (typeof entry === "string" || isKernelThread(entry)) continue
      entries.set(pid, entry)
      if (entry.dead || entry.started < since || pid === process.pid || !isOurs(pid)) continue
      const mark = markOf(pid)
      if (mark !== undefined) marks.set(pid, mark)
      // A process with our own mark needs no tag, and must not be able to delay the reading of tags.
      if (mark?.pid !== process.pid) candidates.push(entry)
    }
    await nextTurn()
  }
  const tags = new Map<number, ReadonlyArray<Tag>>()
  let incomplete = false
  const waiting = candidates.values()
  const reader = async () => {
    for (const each of waiting) {
      const found = await readTags(each, read, stuck)
      if (found === undefined) incomplete = true
      else if (found.length > 0) tags.set(each.pid, found)
    }
  }
  await Promise.all(Array.from({ length: READERS }, reader))
  return { entries, tags, marks, incomplete }
}

/** Takes a survey synchronously and without tags, for the exit hook, which cannot wait. */
export const surveyNow = (): Survey => {
  const entries = listNow()
  const marks = [...entries.keys()].flatMap((pid) => {
    const mark = markOf(pid)
    return mark === undefined ? [] : [[pid, mark] as const]
  })
  return { entries, tags: new Map(), marks: new Map(marks) }
}

/** Gives every caller a run of `look` that starts after the call, with as few runs as possible. */
export const shared = <A>(look: () => Promise<A>): (() => Promise<A>) => {
  let current: Promise<unknown> = Promise.resolve()
  let next: Promise<A> | undefined
  return () =>
    (next ??= current.then(async () => {
      // Callers of the same turn share this run.
      await nextTurn()
      const running = look()
      current = running.catch(() => {})
      next = undefined
      return running
    }))
}

export interface Surveys {
  /** Reads the tags and marks of processes that started no earlier than `since`. `undefined` if processes cannot be listed. */
  readonly take: (since: number, read?: typeof readTagText) => Promise<Survey | undefined>
  /** The same since the start of this process, shared: nothing that we started is older. */
  readonly shared: () => Promise<Survey | undefined>
}

export const makeSurveys = (): Surveys => {
  const stuck = new Set<string>()
  const take: Surveys["take"] = (since, read = readTagText) => takeSurvey(since, read, stuck)
  return { take, shared: shared(() => take(ownSelf().started)) }
}
