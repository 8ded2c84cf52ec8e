/**
 * The folder of conversations: limits their number, and removes what killed processes left behind. Work on it runs one task
 * at a time in this process; other processes may do the same at the same time without harm.
 */
import { readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import {
  CONVERSATION_HEADERS_AT_ONCE,
  CONVERSATION_LOCK_AGE_MAX_MS,
  CONVERSATION_UNFINISHED_AGE_MAX_MS,
  CONVERSATIONS_KEPT_MAX
} from "../../../schemas/defaults/Conversations.ts"
import { exists } from "../../../system/processOwner.ts"
import { isHeld } from "../../../system/fileLock.ts"

/** Behind the name of a conversation that is open: its lock. */
export const LOCK_SUFFIX = ".lock"

const NAME = /^[0-9a-f]{32}\.jsonl$/
/** A temporary file of a conversation or its lock, and its writer. */
const UNFINISHED = /^[0-9a-f]{32}\.jsonl(?:\.lock)?\.(\d{1,10})-[0-9a-f]+\.tmp$/

interface Known {
  readonly owner: string
  at: number
}

/** The least recently used one of the owner who has most. */
const nextToGo = (all: ReadonlyMap<string, Known>): string | undefined => {
  const counts = new Map<string, number>()
  for (const { owner } of all.values()) counts.set(owner, (counts.get(owner) ?? 0) + 1)
  const most = Math.max(...counts.values())
  let found: { readonly name: string; readonly at: number } | undefined
  for (const [name, { at, owner }] of all) {
    if (counts.get(owner) === most && (found === undefined || at < found.at)) found = { name, at }
  }
  return found?.name
}

const listed = async (folder: string): Promise<ReadonlyArray<string>> => {
  try {
    return await readdir(folder)
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return []
    throw error
  }
}

/** `ownerOf` returns the owner of the conversation in a file. */
export const makeRoom = (folder: string, ownerOf: (name: string) => Promise<string>) => {
  let line: Promise<unknown> = Promise.resolve()
  let swept: Promise<void> | undefined
  /** What is known about each since it was last checked. */
  const known = new Map<string, Known>()

  const inLine = <A>(work: () => Promise<A>): Promise<A> => {
    const done = line.then(work, work)
    line = done.catch(() => {})
    return done
  }

  const path = (name: string) => join(folder, name)
  const changedAt = async (name: string) => (await stat(path(name)).catch(() => undefined))?.mtimeMs
  const names = async () => (await listed(folder)).filter((name) => NAME.test(name))

  /** Adds new files and forgets removed ones. */
  const learn = async (all: ReadonlyArray<string>) => {
    const there = new Set(all)
    for (const name of known.keys()) if (!there.has(name)) known.delete(name)
    const fresh = all.filter((name) => !known.has(name))
    for (let from = 0; from < fresh.length; from += CONVERSATION_HEADERS_AT_ONCE) {
      const some = fresh.slice(from, from + CONVERSATION_HEADERS_AT_ONCE)
      await Promise.all(
        some.map(async (name) => known.set(name, { owner: await ownerOf(name), at: (await changedAt(name)) ?? 0 }))
      )
    }
  }

  /** Removes the least recently used ones of the owner who has most, so that nobody pushes out those of others. Open ones stay. */
  const trim = async (spared: string) => {
    const all = await names()
    let over = all.length - CONVERSATIONS_KEPT_MAX
    if (over <= 0) return
    await learn(all)
    const left = new Map(known)
    const looked = new Set<string>()
    for (let name = nextToGo(left); over > 0 && name !== undefined; name = nextToGo(left)) {
      const now = await changedAt(name)
      const one = left.get(name)!
      if (now !== undefined && now !== one.at && !looked.has(name)) {
        // Used since then.
        one.at = now
        looked.add(name)
        continue
      }
      left.delete(name)
      if (name === spared || isHeld(path(`${name}${LOCK_SUFFIX}`), CONVERSATION_LOCK_AGE_MAX_MS)) continue
      await rm(path(name), { force: true })
      known.delete(name)
      over--
    }
  }

  const sweep = async () => {
    for (const name of await listed(folder)) {
      if (name.endsWith(LOCK_SUFFIX)) isHeld(path(name), CONVERSATION_LOCK_AGE_MAX_MS)
      const pid = Number(UNFINISHED.exec(name)?.[1] ?? 0)
      if (pid === 0) continue
      const age = Date.now() - ((await changedAt(name)) ?? 0)
      if (!exists(pid) || age > CONVERSATION_UNFINISHED_AGE_MAX_MS) await rm(path(name), { force: true })
    }
  }

  return {
    names,
    /** Runs once, before anything else. */
    swept: (): Promise<void> => (swept ??= sweep().catch(() => {})),
    /** Runs `put`, which creates a file, and then enforces the limit. */
    making: (name: string, put: () => Promise<void>): Promise<void> =>
      inLine(async () => {
        await put()
        await trim(name)
      }),
    /** Removes temporary files of this file. */
    removeUnfinished: async (name: string): Promise<void> => {
      for (const each of await listed(folder)) {
        if (each.startsWith(`${name}.`) && UNFINISHED.test(each)) await rm(path(each), { force: true })
      }
    }
  }
}
