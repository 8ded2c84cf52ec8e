/** One conversation file: its name, its first line, and whether it is safe to read. */
import { createHash } from "node:crypto"
import { constants } from "node:fs"
import { open, type FileHandle } from "node:fs/promises"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ConversationInfo } from "../../../schemas/agent/Conversation.ts"
import { ifValid, reader } from "../../../schemas/data/Lenient.ts"
import { CONVERSATION_HEADER_MAX_BYTES } from "../../../schemas/defaults/Conversations.ts"

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

const Time = Schema.Finite.check(Schema.isBetween({ minimum: -TIME_MAX, maximum: TIME_MAX }))

const readKept = reader(
  Schema.Struct({
    version: Schema.Literal(VERSION),
    sessionKey: Schema.String,
    backend: ifValid(Schema.String),
    cwd: ifValid(Schema.String),
    agent: ifValid(Schema.String),
    client: ifValid(Schema.String),
    personId: ifValid(Schema.String),
    title: ifValid(Schema.String),
    dropped: ifValid(Schema.Int.check(Schema.isGreaterThan(0))),
    createdAt: Time,
    updatedAt: Time
  })
)

export const parse = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

export const readHeader = (line: string): ConversationInfo | undefined => {
  const header = readKept(parse(line))
  if (header === undefined) return undefined
  const { agent, backend, cwd, title, version: _, ...rest } = header
  return { agent, backend, cwd, title, ...rest }
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
export const readBytes = (path: string, maxBytes: number): Promise<Buffer> =>
  withFile(path, async (file, bytes) => {
    const size = Math.min(bytes, maxBytes)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, 0)
    return buffer.subarray(0, bytesRead)
  })

/** Its beginning, with the whole first line. */
export const readStart = async (path: string): Promise<string> =>
  (await readBytes(path, CONVERSATION_HEADER_MAX_BYTES)).toString("utf8")

const LINE_BREAK = 0x0a

/** The lines of a file. Each is decoded when it is asked for: all of them at once take long. */
export function* linesIn(content: Buffer): Generator<string> {
  for (let from = 0; from < content.length;) {
    const end = content.indexOf(LINE_BREAK, from)
    const to = end === -1 ? content.length : end
    yield content.toString("utf8", from, to)
    from = to + 1
  }
}

/** Parses the first line of a file, given its beginning. */
export const headerIn = (start: string): ConversationInfo | undefined => readHeader(start.slice(0, start.indexOf("\n")))
