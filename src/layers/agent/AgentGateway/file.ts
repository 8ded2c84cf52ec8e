/** One conversation file: its name, its first line, and whether it is safe to read. */
import { createHash } from "node:crypto"
import { constants } from "node:fs"
import { open, type FileHandle } from "node:fs/promises"
import * as Effect from "effect/Effect"
import type { ConversationInfo } from "../../../schemas/agent/Conversation.ts"
import { isObject } from "../../../schemas/data/Json.ts"

export const DIRECTORY = "conversations"
export const VERSION = 1
const HASH_CHARS = 32
/** The latest time that a Date can represent. */
const TIME_MAX = 8.64e15

export const nameOf = (sessionKey: string) =>
  `${createHash("sha256").update(sessionKey).digest("hex").slice(0, HASH_CHARS)}.jsonl`

export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "unknown reason"

export const attempt = <A>(work: () => Promise<A>) => Effect.tryPromise({ try: work, catch: codeOf })

const text = (given: unknown): string | undefined => (typeof given === "string" ? given : undefined)
const time = (given: unknown): given is number => typeof given === "number" && Math.abs(given) <= TIME_MAX

export const parse = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

export const readHeader = (line: string): ConversationInfo | undefined => {
  const given = parse(line)
  if (!isObject(given) || given["version"] !== VERSION) return undefined
  const { agent, backend, client, createdAt, cwd, dropped, sessionKey, title, updatedAt } = given
  return typeof sessionKey === "string" && time(createdAt) && time(updatedAt)
    ? {
        sessionKey,
        backend: text(backend),
        cwd: text(cwd),
        agent: text(agent),
        ...(typeof client === "string" ? { client } : {}),
        title: text(title),
        ...(Number.isSafeInteger(dropped) && Number(dropped) > 0 ? { dropped: Number(dropped) } : {}),
        createdAt,
        updatedAt
      }
    : undefined
}

/** A file that others can write to is not trusted. */
const isOurs = ({ mode, uid }: { readonly mode: number; readonly uid: number }): boolean =>
  process.platform === "win32" || ((mode & 0o022) === 0 && uid === process.getuid?.())

/** It exists, but we would not have written it like that. */
const FOREIGN = "it is not a regular file, belongs to another user, or is writable by others"

/** Rejects links, pipes and files of others. Closes the file after `use`. */
export const withFile = async <A>(path: string, use: (file: FileHandle, bytes: number) => Promise<A>): Promise<A> => {
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  try {
    const stats = await file.stat()
    if (!stats.isFile() || !isOurs(stats)) throw Object.assign(new Error(FOREIGN), { code: FOREIGN })
    return await use(file, stats.size)
  } finally {
    await file.close()
  }
}

/** At most `maxBytes` from its beginning. */
export const readBytes = (path: string, maxBytes: number): Promise<string> =>
  withFile(path, async (file, bytes) => {
    const size = Math.min(bytes, maxBytes)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, 0)
    return buffer.toString("utf8", 0, bytesRead)
  })

/** Parses the first line of a file, given its beginning. */
export const headerIn = (start: string): ConversationInfo | undefined => readHeader(start.slice(0, start.indexOf("\n")))
