/**
 * The folder of the conversations: how many there may be, and what processes that were killed left behind in it. Work on
 * it is done one piece after the other in this process; another process that does the same at the same time does no harm.
 */
import { readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { CONVERSATION_UNFINISHED_AGE_MAX_MS, CONVERSATIONS_KEPT_MAX } from "../../schemas/defaults/Conversations.ts"
import { exists } from "../../system/processOwner.ts"
import { isHeld, LOCK_SUFFIX } from "./lock.ts"

const NAME = /^[0-9a-f]{32}\.jsonl$/
/** A file of a conversation, or its lock, that was about to take its place; and who wrote it. */
const UNFINISHED = /^[0-9a-f]{32}\.jsonl(?:\.lock)?\.(\d{1,10})-[0-9a-f]+\.tmp$/

interface Aged {
  readonly name: string
  readonly at: number
}

const listed = async (folder: string): Promise<ReadonlyArray<string>> => {
  try {
    return await readdir(folder)
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return []
    throw error
  }
}

export const makeRoom = (folder: string) => {
  let line: Promise<unknown> = Promise.resolve()
  let swept: Promise<void> | undefined
  /** The oldest first, as they were when somebody last looked at all of them. */
  let oldest: Array<Aged> = []

  const inLine = <A>(work: () => Promise<A>): Promise<A> => {
    const done = line.then(work, work)
    line = done.catch(() => {})
    return done
  }

  const path = (name: string) => join(folder, name)
  const changedAt = async (name: string) => (await stat(path(name)).catch(() => undefined))?.mtimeMs
  const names = async () => (await listed(folder)).filter((name) => NAME.test(name))

  const lookAtAll = async (all: ReadonlyArray<string>) => {
    const aged: Array<Aged> = []
    for (const name of all) aged.push({ name, at: (await changedAt(name)) ?? 0 })
    return aged.toSorted((a, b) => a.at - b.at)
  }

  /** Lets those go that were used least recently; one that is open somewhere stays. */
  const trim = async (spared: string) => {
    const all = await names()
    let over = all.length - CONVERSATIONS_KEPT_MAX
    for (let looks = 0; over > 0;) {
      const next = oldest.shift()
      if (next === undefined) {
        if (looks++ > 0) return
        oldest = await lookAtAll(all)
        continue
      }
      if (next.name === spared || isHeld(path(`${next.name}${LOCK_SUFFIX}`))) continue
      // Used since then: its turn comes when all are looked at again.
      if ((await changedAt(next.name)) !== next.at) continue
      await rm(path(next.name), { force: true })
      over--
    }
  }

  const sweep = async () => {
    for (const name of await listed(folder)) {
      if (name.endsWith(LOCK_SUFFIX)) isHeld(path(name))
      const pid = Number(UNFINISHED.exec(name)?.[1] ?? 0)
      if (pid === 0) continue
      const age = Date.now() - ((await changedAt(name)) ?? 0)
      if (!exists(pid) || age > CONVERSATION_UNFINISHED_AGE_MAX_MS) await rm(path(name), { force: true })
    }
  }

  return {
    names,
    /** Once, before anything else is done there. */
    swept: (): Promise<void> => (swept ??= sweep().catch(() => {})),
    /** Runs `put`, which makes a new file, and keeps the number of them in bounds. */
    making: (name: string, put: () => Promise<void>): Promise<void> =>
      inLine(async () => {
        await put()
        await trim(name)
      }),
    /** What was about to become this file. */
    removeUnfinished: async (name: string): Promise<void> => {
      for (const each of await listed(folder)) {
        if (each.startsWith(`${name}.`) && UNFINISHED.test(each)) await rm(path(each), { force: true })
      }
    }
  }
}
