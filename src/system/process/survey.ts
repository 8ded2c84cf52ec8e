/**
 * One look at all processes of this machine, for whoever needs one: who asks while a look is under way gets the next one,
 * together with everybody else who asked by then. A look is taken in slices, and a process that does not let its
 * environment be read holds nobody up.
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
  /** Of processes of our own user; without an entry where there are none. */
  readonly tags: ReadonlyMap<number, ReadonlyArray<Tag>>
  /** Of processes of our own user, likewise. */
  readonly marks?: ReadonlyMap<number, Mark> | undefined
  /** Whether the tags of some were not read in time: they may be anybody's. */
  readonly incomplete?: boolean | undefined
}

const SLICE = 256
const READERS = 3
/** Readings that never ended; each holds one of the few threads that read files for this process. */
const STUCK_MAX = 2
/** Of which processes: none of them takes a second thread. */
const stuck = new Set<string>()
const nameOf = ({ pid, started }: ProcessEntry) => `${pid}:${started}`

/** In steps: while this process is busy, what has been read long ago is not heard of, and one step passes. */
const WAIT_STEPS = 10
const waited = async (over: AbortSignal): Promise<"late"> => {
  for (let step = 0; step < WAIT_STEPS && !over.aborted; step++) {
    await delay(PROCESS_READ_WAIT_MS / WAIT_STEPS, undefined, { signal: over }).catch(() => {})
    await nextTurn()
  }
  return "late"
}

/** `undefined` when it takes too long. Gives up waiting, not reading: that cannot be taken back. */
const readTags = async (entry: ProcessEntry, read: typeof readTagText): Promise<ReadonlyArray<Tag> | undefined> => {
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

/** Reads the tags and marks of processes that started no earlier than `since`. `undefined` where processes cannot be listed. */
export const takeSurvey = async (since: number, read = readTagText): Promise<Survey | undefined> => {
  const pids = listPids()
  if (pids === undefined) return undefined
  const entries = new Map<number, ProcessEntry>()
  const candidates: Array<ProcessEntry> = []
  const marks = new Map<number, Mark>()
  for (let from = 0; from < pids.length && from < PROCESSES_MAX; from += SLICE) {
    for (const pid of pids.slice(from, from + SLICE)) {
      const entry = lookAt(pid)
      // To miss some would be to take them for ended.
      if (isShort(entry)) return undefined
      if (typeof entry === "string" || isKernelThread(entry)) continue
      entries.set(pid, entry)
      if (entry.dead || entry.started < since || pid === process.pid || !isOurs(pid)) continue
      const mark = markOf(pid)
      if (mark !== undefined) marks.set(pid, mark)
      // What we have marked ourselves needs no tag, and cannot hold the reading of tags up.
      if (mark?.pid !== process.pid) candidates.push(entry)
    }
    await nextTurn()
  }
  const tags = new Map<number, ReadonlyArray<Tag>>()
  let incomplete = false
  const waiting = candidates.values()
  const reader = async () => {
    for (const each of waiting) {
      const found = await readTags(each, read)
      if (found === undefined) incomplete = true
      else if (found.length > 0) tags.set(each.pid, found)
    }
  }
  await Promise.all(Array.from({ length: READERS }, reader))
  return { entries, tags, marks, incomplete }
}

/** The same at once, for the moment when nothing can be waited for: tags are not read then. */
export const surveyNow = (): Survey => {
  const entries = listNow()
  const marks = [...entries.keys()].flatMap((pid) => {
    const mark = markOf(pid)
    return mark === undefined ? [] : [[pid, mark] as const]
  })
  return { entries, tags: new Map(), marks: new Map(marks) }
}

/** Runs of `look` that start after they were asked for, as few as that takes. */
export const shared = <A>(look: () => Promise<A>): (() => Promise<A>) => {
  let current: Promise<unknown> = Promise.resolve()
  let next: Promise<A> | undefined
  return () =>
    (next ??= current.then(async () => {
      // Whoever asks in the same breath joins.
      await nextTurn()
      const running = look()
      current = running.catch(() => {})
      next = undefined
      return running
    }))
}

/** Nothing that we started is older than we are. */
export const survey = shared(() => takeSurvey(ownSelf().started))
