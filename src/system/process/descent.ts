/** Which processes of a survey belong together, and which must be left alone whatever their tags say. Pure. */
import { isGone, lookAt, type ProcessEntry } from "./procfs.ts"
import { type Mark, namesPlace, namesStart } from "./mark.ts"
import type { Survey } from "./survey.ts"
import type { Owner } from "./tag.ts"

type Entries = Survey["entries"]

const isLive = (entry: ProcessEntry | undefined): entry is ProcessEntry => entry !== undefined && !entry.dead

/** These and everything that descends from them, as far as it lives; nothing that is spared, and nothing below it. */
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
  // Grows while it is walked.
  for (const pid of found) for (const child of children.get(pid) ?? []) if (!spared(child)) found.add(child)
  return [...found].map((pid) => entries.get(pid)).filter(isLive)
}

/** Those of a former survey that are still there. */
const stillThere = (entries: Entries, known: ReadonlyArray<ProcessEntry>): ReadonlyArray<number> =>
  known.flatMap(({ pid, started }) => (entries.get(pid)?.started === started ? [pid] : []))

/** A process and all that it descends from: what none of us may ever end. */
export const lineage = (entries: Entries, pid: number): ReadonlySet<number> => {
  const line = new Set<number>()
  for (let each: number | undefined = pid; each !== undefined && !line.has(each); each = entries.get(each)?.parent) {
    line.add(each)
  }
  return line
}

export interface Connection {
  readonly tag: string
  /** Without one the tag must do. */
  readonly mark?: string | undefined
  /** The leader of the group and the session that were made for it. */
  readonly leader: Pick<ProcessEntry, "pid" | "started">
  /** Whether the leader's number may belong to a stranger by now. */
  readonly numberIsFree: boolean
}

/**
 * What lives of one connection: its session, what carries its tag or its mark, and what descends from either, also when the parent has
 * ended since it was `known`.
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

/** Whether the process that set a tag has ended. Of one that counted its processes elsewhere nothing can be known. */
const hasEnded = (look: Look, here: Owner, { pid, place, started }: Owner): boolean => {
  if (place !== here.place || started === 0) return false
  const seen = look(pid)
  return typeof seen === "string" ? isGone(seen) : seen.started !== started || seen.dead
}

/** The same of whoever set a mark. */
const hasLeft = (look: Look, here: Owner, mark: Mark): boolean => {
  if (!namesPlace(mark, here.place)) return false
  const seen = look(mark.pid)
  return typeof seen === "string" ? isGone(seen) : !namesStart(mark, seen.started) || seen.dead
}

export type Look = (pid: number) => ProcessEntry | string

/** What gateways that are gone have left running: nothing of a living one, not ourselves, nothing we descend from. */
export const orphans = (
  { entries, marks = new Map(), tags }: Survey,
  here: Owner,
  known: ReadonlyArray<ProcessEntry> = [],
  // Not the survey: whom it does not hold may live all the same.
  look: Look = lookAt
): ReadonlyArray<ProcessEntry> => {
  // Who started it decides: the owner of a gateway that lives on may well be gone.
  const owners = [...tags].flatMap(([pid, chain]) => chain.slice(-1).map(({ owner }) => [pid, owner] as const))
  const gone = new Map(owners.map(([pid, owner]) => [pid, hasEnded(look, here, owner)]))
  for (const [pid, mark] of marks) {
    if (!hasLeft(look, here, mark)) continue
    // A gateway that somebody else's server is has the mark of that server, as has all that it starts. Who names another
    // owner, to be spared for its sake, has made that up.
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
