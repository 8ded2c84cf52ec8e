/** Decides which processes of a survey belong together, and which must be left alone whatever their tags say. */
import { isGone, lookAt, type ProcessEntry } from "./procfs.ts"
import { type Mark, namesPlace, namesStart } from "./mark.ts"
import type { Survey } from "./survey.ts"
import type { Owner } from "./tag.ts"

type Entries = Survey["entries"]

const isLive = (entry: ProcessEntry | undefined): entry is ProcessEntry => entry !== undefined && !entry.dead

/** The living processes among the roots and their descendants, without those that are spared and their descendants. */
export const withDescendants = (
  entries: Entries,
  roots: Iterable<number>,
  spared: (pid: number) => boolean
): ReadonlyArray<ProcessEntry> => {
  const children = new Map<number, Array<number>>()
  for (const { parent, pid } of entries.values()) {
    const siblings = children.get(parent)
    if (siblings === undefined) children.set(parent, [pid])
    else siblings.push(pid)
  }
  const found = new Set([...roots].filter((pid) => !spared(pid)))
  // The set grows while it is iterated.
  for (const pid of found) for (const child of children.get(pid) ?? []) if (!spared(child)) found.add(child)
  return [...found].map((pid) => entries.get(pid)).filter(isLive)
}

/** The processes of an earlier survey that still exist. */
const stillThere = (entries: Entries, known: ReadonlyArray<ProcessEntry>): ReadonlyArray<number> =>
  known.flatMap(({ pid, started }) => (entries.get(pid)?.started === started ? [pid] : []))

/** A process and its ancestors, which must never be ended. */
export const lineage = (entries: Entries, pid: number): ReadonlySet<number> => {
  const line = new Set<number>()
  for (let each: number | undefined = pid; each !== undefined && !line.has(each); each = entries.get(each)?.parent) {
    line.add(each)
  }
  return line
}

export interface Connection {
  readonly tag: string
  /** Without a mark, only the tag is known. */
  readonly mark?: string | undefined
  /** The leader of the process group and session of the connection. */
  readonly leader: Pick<ProcessEntry, "pid" | "started">
  /** Whether another process may have the number of the leader by now. */
  readonly numberIsFree: boolean
}

/**
 * The living processes of one connection: its session, those with its tag or mark, and their descendants, also of `known` processes whose parent
 * has ended meanwhile.
 */
export const remains = (
  { entries, marks, tags }: Survey,
  { leader, mark, numberIsFree, tag }: Connection,
  known: ReadonlyArray<ProcessEntry> = []
): ReadonlyArray<ProcessEntry> => {
  const first = entries.get(leader.pid)
  const numberIsOurs = first === undefined ? !numberIsFree : first.started === leader.started
  const members = [...entries.values()].filter(
    ({ pid, session }) =>
      (numberIsOurs && session === leader.pid) ||
      tags.get(pid)?.some(({ text }) => text === tag) === true ||
      (mark !== undefined && marks?.get(pid)?.text === mark)
  )
  const own = lineage(entries, process.pid)
  return withDescendants(entries, [...members.map(({ pid }) => pid), ...stillThere(entries, known)], (pid) =>
    own.has(pid)
  )
}

/** Whether the process that set a tag has ended. Unknown, and so false, for a process in another namespace. */
const hasEnded = (look: Look, here: Owner, { pid, place, started }: Owner): boolean => {
  if (place !== here.place || started === 0) return false
  const seen = look(pid)
  return typeof seen === "string" ? isGone(seen) : seen.started !== started || seen.dead
}

/** The same for the process that set a mark. */
const hasLeft = (look: Look, here: Owner, mark: Mark): boolean => {
  if (!namesPlace(mark, here.place)) return false
  const seen = look(mark.pid)
  return typeof seen === "string" ? isGone(seen) : !namesStart(mark, seen.started) || seen.dead
}

export type Look = (pid: number) => ProcessEntry | string

/** The processes that ended gateways have left running; none of a living gateway, and neither this process nor its ancestors. */
export const orphans = (
  { entries, marks = new Map(), tags }: Survey,
  here: Owner,
  known: ReadonlyArray<ProcessEntry> = [],
  // Not in the survey, because a process that is not in it may still live.
  look: Look = lookAt
): ReadonlyArray<ProcessEntry> => {
  // The process that started it decides: a gateway may outlive its own owner.
  const owners = [...tags].flatMap(([pid, chain]) => chain.slice(-1).map(({ owner }) => [pid, owner] as const))
  const gone = new Map(owners.map(([pid, owner]) => [pid, hasEnded(look, here, owner)]))
  for (const [pid, mark] of marks) {
    if (!hasLeft(look, here, mark)) continue
    // A gateway that is a server of another gateway has the mark of that server, and so has everything that it starts. A process that names
    // another owner, to be spared, is lying.
    const owner = tags.get(pid)?.at(-1)?.owner
    const isNested = owner !== undefined && owner.place === here.place && marks.get(owner.pid)?.text === mark.text
    if (!isNested || gone.get(pid) !== false) gone.set(pid, true)
  }
  const own = lineage(entries, here.pid)
  return withDescendants(
    entries,
    [...[...gone].flatMap(([pid, isOrphan]) => (isOrphan ? [pid] : [])), ...stillThere(entries, known)],
    (pid) => own.has(pid) || gone.get(pid) === false
  )
}
