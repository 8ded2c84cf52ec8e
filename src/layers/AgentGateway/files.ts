/**
 * Conversations in the data directory: a file for each, named by a hash of its key, readable by this user alone and put
 * there by a rename. The first line says what it is, each further line is a turn. Known secrets are masked in all of it.
 * What cannot be written or read is said in the log, and costs no answer.
 */
import * as Effect from "effect/Effect"
import { createHash, randomBytes } from "node:crypto"
import { constants } from "node:fs"
import { mkdir, open, readdir, rename, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { ConversationInfo } from "../../schemas/Conversation.ts"
import {
  CONVERSATION_HEADER_MAX_BYTES,
  CONVERSATION_MAX_BYTES,
  CONVERSATIONS_KEPT_MAX
} from "../../schemas/Defaults.ts"
import { isObject, withinBounds } from "../../schemas/Json.ts"
import type { KeptTurn } from "./conversations.ts"
import { readTurn, withoutMedia } from "./turns.ts"

export interface Kept {
  readonly info: ConversationInfo
  readonly turns: ReadonlyArray<KeptTurn>
}

export interface Files {
  readonly read: (sessionKey: string) => Effect.Effect<Kept | undefined>
  readonly write: (kept: Kept) => Effect.Effect<void>
  /** Whether there was one. */
  readonly remove: (sessionKey: string) => Effect.Effect<boolean>
  readonly list: Effect.Effect<ReadonlyArray<ConversationInfo>>
}

const DIRECTORY = "conversations"
const VERSION = 1
const HASH_CHARS = 32
const NAME = /^[0-9a-f]{32}\.jsonl$/

const nameOf = (sessionKey: string) =>
  `${createHash("sha256").update(sessionKey).digest("hex").slice(0, HASH_CHARS)}.jsonl`

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "unknown reason"

const attempt = <A>(work: () => Promise<A>) => Effect.tryPromise({ try: work, catch: codeOf })

// ---- one file ------------------------------------------------------------------------------------------------------

const text = (given: unknown): string | undefined => (typeof given === "string" ? given : undefined)
const time = (given: unknown): given is number => typeof given === "number" && Number.isFinite(given)

const parse = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

const readHeader = (line: string): ConversationInfo | undefined => {
  const given = parse(line)
  if (!isObject(given) || given["version"] !== VERSION) return undefined
  const { createdAt, cwd, sessionKey, title, updatedAt } = given
  return typeof sessionKey === "string" && time(createdAt) && time(updatedAt)
    ? { sessionKey, cwd: text(cwd), title: text(title), createdAt, updatedAt }
    : undefined
}

/** What others can write says nothing of what was said here. */
const isOurs = ({ mode, uid }: { readonly mode: number; readonly uid: number }): boolean =>
  process.platform === "win32" || ((mode & 0o022) === 0 && uid === process.getuid?.())

/** At most `maxBytes` from its beginning; a link, a pipe, or a file of somebody else is none. */
const readBytes = async (path: string, maxBytes: number): Promise<string | undefined> => {
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  try {
    const stats = await file.stat()
    if (!stats.isFile() || !isOurs(stats)) return undefined
    const size = Math.min(stats.size, maxBytes)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, 0)
    return buffer.toString("utf8", 0, bytesRead)
  } finally {
    await file.close()
  }
}

/** Every text in a value as it may be kept; names of members are ours, or those of arguments. */
const masked = (value: unknown, redact: (text: string) => string): unknown => {
  if (typeof value === "string") return redact(value)
  if (Array.isArray(value)) return value.map((item) => masked(item, redact))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [redact(key), masked(item, redact)]))
}

/** From the newest turn back, as much as fits; of one that is too large by itself, its words. */
const linesOf = Effect.fnUntraced(function* ({ info, turns }: Kept, redact: (text: string) => string) {
  const { sessionKey, ...about } = info
  // The key is what the file is found by again: it is an id, and stays what it is.
  const first = JSON.stringify({ version: VERSION, sessionKey, ...Object(masked(about, redact)) })
  const lineOf = (turn: KeptTurn) => JSON.stringify(masked(turn, redact))
  const lines: Array<string> = []
  let room = CONVERSATION_MAX_BYTES - Buffer.byteLength(first) - 1
  for (const turn of turns.toReversed()) {
    // Nested so deep by a model that walking it would be an adventure.
    if (!withinBounds(turn)) continue
    const whole = lineOf(turn)
    const line = Buffer.byteLength(whole) < CONVERSATION_MAX_BYTES / 2 ? whole : lineOf(withoutMedia(turn))
    room -= Buffer.byteLength(line) + 1
    if (room < 0) break
    lines.push(line)
    // A long conversation is not written in one breath.
    yield* Effect.yieldNow
  }
  return [first, ...lines.toReversed()]
})

// ---- all of them ---------------------------------------------------------------------------------------------------

export const makeFiles = (home: string, redact: (text: string) => string): Files => {
  const folder = join(home, DIRECTORY)
  const pathOf = (sessionKey: string) => join(folder, nameOf(sessionKey))
  let warned = false

  const complain = (what: string) => (code: string) => {
    if (warned) return Effect.void
    warned = true
    return Effect.logWarning(`conversations cannot be ${what} in ${folder} (${code})`)
  }

  const names = async (): Promise<ReadonlyArray<string>> => {
    try {
      return (await readdir(folder)).filter((name) => NAME.test(name))
    } catch (error) {
      if (codeOf(error) === "ENOENT") return []
      throw error
    }
  }

  /** Lets those go that were used least recently. */
  const makeRoom = async () => {
    const all = await names()
    if (all.length < CONVERSATIONS_KEPT_MAX) return
    const aged = await Promise.all(
      all.map(async (name) => ({ name, at: (await stat(join(folder, name)).catch(() => undefined))?.mtimeMs ?? 0 }))
    )
    const over = aged.toSorted((a, b) => a.at - b.at).slice(0, all.length - CONVERSATIONS_KEPT_MAX + 1)
    for (const { name } of over) await rm(join(folder, name), { force: true })
  }

  const put = async (sessionKey: string, lines: ReadonlyArray<string>) => {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const path = pathOf(sessionKey)
    if ((await stat(path).catch(() => undefined)) === undefined) await makeRoom()
    const fresh = `${path}.${process.pid}-${randomBytes(6).toString("hex")}.tmp`
    try {
      await writeFile(fresh, `${lines.join("\n")}\n`, { flag: "wx", mode: 0o600 })
      await rename(fresh, path)
    } catch (error) {
      await rm(fresh, { force: true }).catch(() => {})
      throw error
    }
  }

  const headerOf = async (name: string): Promise<ConversationInfo | undefined> => {
    const start = await readBytes(join(folder, name), CONVERSATION_HEADER_MAX_BYTES).catch(() => undefined)
    const info = start === undefined ? undefined : readHeader(start.slice(0, start.indexOf("\n")))
    // Under another name it would not be found. One without a second line has nothing in it.
    return info !== undefined && nameOf(info.sessionKey) === name && /\n./.test(start!) ? info : undefined
  }

  return {
    read: (sessionKey) =>
      attempt(() => readBytes(pathOf(sessionKey), CONVERSATION_MAX_BYTES)).pipe(
        Effect.map((content): Kept | undefined => {
          const [first = "", ...rest] = (content ?? "").split("\n")
          const info = readHeader(first)
          if (info === undefined || info.sessionKey !== sessionKey) return undefined
          return { info, turns: rest.flatMap((line) => readTurn(parse(line)) ?? []) }
        }),
        Effect.catch((code) => (code === "ENOENT" ? Effect.void : Effect.as(complain("read")(code), undefined))),
        Effect.map((kept) => kept ?? undefined)
      ),
    write: (kept) =>
      linesOf(kept, redact).pipe(
        Effect.flatMap((lines) => attempt(() => put(kept.info.sessionKey, lines))),
        Effect.catch(complain("written"))
      ),
    remove: (sessionKey) =>
      attempt(() => rm(pathOf(sessionKey))).pipe(
        Effect.as(true),
        Effect.catch((code) =>
          code === "ENOENT" ? Effect.succeed(false) : Effect.as(complain("removed")(code), false)
        )
      ),
    list: attempt(async () => {
      const found: Array<ConversationInfo> = []
      for (const name of await names()) {
        const info = await headerOf(name)
        if (info !== undefined) found.push(info)
      }
      return found
    }).pipe(Effect.catch((code) => Effect.as(complain("listed")(code), [])))
  }
}
