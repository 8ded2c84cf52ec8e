/**
 * Conversations in the data directory: one file each, named by a hash of its key, readable by this user only and replaced by
 * a rename. The first line describes the conversation; each further line is a turn. Known secrets are masked. A new turn is
 * appended at once, with its question only. An open conversation belongs to one process. Errors are logged and do not affect
 * answers.
 */
import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"
import { constants } from "node:fs"
import { open, rename, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { ConversationInfo } from "../../../schemas/agent/Conversation.ts"
import { CONVERSATION_LOCK_AGE_MAX_MS, CONVERSATION_MAX_BYTES } from "../../../schemas/defaults/Conversations.ts"
import { GatewayError } from "../../../schemas/agent/GatewayError.ts"
import { isObject } from "../../../schemas/data/Json.ts"
import { ownerOf } from "../../../schemas/agent/OrderSession.ts"
import { take, type Lock } from "../../../system/fileLock.ts"
import { eachInTurns, wholeTurn } from "../../../system/inTurns.ts"
import { makeOwnDirectory } from "../../../system/ownFiles.ts"
import { lookAt } from "./conversationCount.ts"
import {
  attempt,
  codeOf,
  DIRECTORY,
  headerIn,
  linesIn,
  nameOf,
  parse,
  readBytes,
  readHeader,
  readStart,
  VERSION
} from "./file.ts"
import { LOCK_SUFFIX, makeRoom } from "./room.ts"
import { mayFit, readTurn, TURN_MAX_BYTES, withoutMedia, type KeptTurn } from "./keptTurns.ts"

export interface Kept {
  readonly info: ConversationInfo
  readonly turns: ReadonlyArray<KeptTurn>
}

/** `gone`: somebody else has removed the file. */
export type Outcome = "kept" | "gone" | "failed"

export interface Files {
  readonly read: (sessionKey: string) => Effect.Effect<Kept | undefined>
  /** The same without the turns, only their number; a damaged one counts. */
  readonly glance: (sessionKey: string) => Effect.Effect<(Pick<Kept, "info"> & { readonly turns: number }) | undefined>
  /** Replaces the file, or creates it if there is none yet. */
  readonly write: (kept: Kept, isThere: boolean) => Effect.Effect<Outcome>
  /** Appends a new turn to the existing file. */
  readonly append: (sessionKey: string, turn: KeptTurn) => Effect.Effect<Outcome>
  /** Whether there was one. */
  readonly remove: (sessionKey: string) => Effect.Effect<boolean>
  /** `undefined` when it cannot be determined. */
  readonly list: Effect.Effect<ReadonlyArray<ConversationInfo> | undefined>
  /** Locks the conversation for this process. `undefined` when nothing can be written; then nothing can be overwritten either. */
  readonly lock: (sessionKey: string) => Effect.Effect<Lock | undefined, GatewayError>
}

/** Does not create the file, and does not block on a pipe in its place. */
const APPENDING = constants.O_WRONLY | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** Twice the size, because a question is appended before its answer is there. */
const READ_MAX_BYTES = 2 * CONVERSATION_MAX_BYTES

// ---- one file ------------------------------------------------------------------------------------------------------

/** Masks every text in a value; keys are ours, or those of arguments. */
const masked = (value: unknown, redact: (text: string) => string): unknown => {
  if (typeof value === "string") return redact(value)
  if (Array.isArray(value)) return value.map((item) => masked(item, redact))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [redact(key), masked(item, redact)]))
}

const sizeOf = (line: string) => Buffer.byteLength(line) + 1

/** Only the text of a turn that is too large. */
export const lineOf = (turn: KeptTurn, redact: (text: string) => string): string => {
  const whole = mayFit(turn) ? JSON.stringify(masked(turn, redact)) : undefined
  return whole !== undefined && sizeOf(whole) < TURN_MAX_BYTES
    ? whole
    : JSON.stringify(masked(withoutMedia(turn), redact))
}

/** The newest turns, as many as fit. */
export const linesOf = Effect.fnUntraced(function* ({ info, turns }: Kept, redact: (text: string) => string) {
  const { backend, sessionKey, ...about } = info
  const firstOf = (left: number) => {
    const dropped = (info.dropped ?? 0) + left
    // What identifies the conversation is not masked: an id, and a name without secrets.
    return JSON.stringify({ version: VERSION, sessionKey, backend, ...Object(masked({ ...about, dropped }, redact)) })
  }
  const lines: Array<string> = []
  let room = CONVERSATION_MAX_BYTES - sizeOf(firstOf(turns.length))
  for (const turn of turns.toReversed()) {
    const line = lineOf(turn, redact)
    room -= sizeOf(line)
    if (room < 0) break
    lines.push(line)
    // Yields, because a long conversation takes a while.
    yield* Effect.yieldNow
  }
  return [firstOf(turns.length - lines.length), ...lines.toReversed()]
})

// ---- all of them ---------------------------------------------------------------------------------------------------

type Kind = "read" | "listed" | "written" | "removed"

export const makeFiles = (home: string, redact: (text: string) => string): Files => {
  const folder = join(home, DIRECTORY)
  /** An unreadable file belongs to no client. */
  const ownerIn = async (name: string): Promise<string> => {
    const start = await readStart(join(folder, name)).catch(() => "")
    return ownerOf(headerIn(start)?.sessionKey ?? "")
  }
  const room = makeRoom(folder, ownerIn)
  const pathOf = (sessionKey: string) => join(folder, nameOf(sessionKey))
  const warned = new Set<Kind>()
  const strange = new Set<string>()

  /** Logged once, until it works again. */
  const complain = (what: Kind) => (code: string) =>
    Effect.suspend(() => {
      if (warned.has(what)) return Effect.void
      warned.add(what)
      return Effect.logWarning(`conversations cannot be ${what} in ${folder} (${code})`)
    })

  const works = (what: Kind) => Effect.sync(() => void warned.delete(what))

  /** Logged once per file. */
  const complainOfOne = (path: string, code: string) =>
    Effect.suspend(() => {
      if (strange.has(path)) return Effect.void
      strange.add(path)
      return Effect.logWarning(`the conversation in ${path} is not read (${code})`)
    })

  const put = async (path: string, lines: ReadonlyArray<string>) => {
    const fresh = `${path}.${process.pid}-${randomBytes(6).toString("hex")}.tmp`
    try {
      await writeFile(fresh, `${lines.join("\n")}\n`, { flag: "wx", mode: 0o600 })
      await rename(fresh, path)
    } catch (error) {
      await rm(fresh, { force: true }).catch(() => {})
      throw error
    }
  }

  const write = async (sessionKey: string, lines: ReadonlyArray<string>, isThere: boolean): Promise<Outcome> => {
    await room.swept()
    const path = pathOf(sessionKey)
    if (!isThere) {
      makeOwnDirectory(folder)
      await room.making(nameOf(sessionKey), () => put(path, lines))
      return "kept"
    }
    if ((await stat(path).catch((error: unknown) => codeOf(error))) === "ENOENT") return "gone"
    await put(path, lines)
    return "kept"
  }

  const append = async (sessionKey: string, line: string): Promise<Outcome> => {
    try {
      // Without creating it: a deleted conversation stays deleted.
      const file = await open(pathOf(sessionKey), APPENDING)
      try {
        // The last line of a process that was killed may be incomplete.
        await file.writeFile(`\n${line}\n`)
      } finally {
        await file.close()
      }
      return "kept"
    } catch (error) {
      if (codeOf(error) === "ENOENT") return "gone"
      throw error
    }
  }

  const writing = (work: Effect.Effect<Outcome, string>) =>
    work.pipe(
      Effect.tap(works("written")),
      Effect.catch((code) => Effect.as(complain("written")(code), "failed" as const))
    )

  const headerOf = Effect.fnUntraced(function* (name: string) {
    const path = join(folder, name)
    const start = yield* attempt(() => readStart(path)).pipe(
      Effect.catch((code) => (code === "ENOENT" ? Effect.succeed("") : Effect.as(complainOfOne(path, code), "")))
    )
    const info = headerIn(start)
    // Under another name it would not be found. A file without a second line is empty.
    return info !== undefined && nameOf(info.sessionKey) === name && /\n./.test(start) ? info : undefined
  })

  return {
    read: (sessionKey) =>
      attempt(() => room.swept().then(() => readBytes(pathOf(sessionKey), READ_MAX_BYTES))).pipe(
        Effect.tap(wholeTurn),
        Effect.flatMap((content): Effect.Effect<Kept | undefined> => {
          const lines = linesIn(content)
          const info = readHeader(lines.next().value ?? "")
          if (info === undefined || info.sessionKey !== sessionKey) return Effect.undefined
          const turns: Array<KeptTurn> = []
          const readLine = (line: string) => {
            const turn = readTurn(parse(line))
            if (turn !== undefined) turns.push(turn)
          }
          // One line may have megabytes.
          return Effect.as(eachInTurns(lines, readLine, "whole"), { info, turns })
        }),
        Effect.catch((code) =>
          code === "ENOENT" ? Effect.undefined : Effect.as(complainOfOne(pathOf(sessionKey), code), undefined)
        )
      ),
    glance: (sessionKey) =>
      Effect.flatMap(lookAt(folder, nameOf(sessionKey)), (found) => {
        if (found === undefined) return Effect.undefined
        if ("reason" in found) return Effect.as(complainOfOne(found.file, found.reason), undefined)
        const { info, messages } = found
        return Effect.succeed({ info, turns: messages - (info.dropped ?? 0) })
      }),
    write: (kept, isThere) =>
      writing(
        Effect.flatMap(linesOf(kept, redact), (lines) => attempt(() => write(kept.info.sessionKey, lines, isThere)))
      ),
    append: (sessionKey, turn) => writing(attempt(() => append(sessionKey, lineOf(turn, redact)))),
    remove: (sessionKey) =>
      attempt(async () => {
        await room.removeUnfinished(nameOf(sessionKey))
        await rm(pathOf(sessionKey))
        return true
      }).pipe(
        Effect.tap(works("removed")),
        Effect.catch((code) =>
          code === "ENOENT" ? Effect.succeed(false) : Effect.as(complain("removed")(code), false)
        )
      ),
    list: attempt(() => room.swept().then(room.names)).pipe(
      Effect.tap(works("listed")),
      Effect.flatMap((names) => Effect.forEach(names, headerOf)),
      Effect.map((found) => found.filter((info) => info !== undefined)),
      Effect.catch((code) => Effect.as(complain("listed")(code), undefined))
    ),
    lock: (sessionKey) =>
      Effect.andThen(
        Effect.promise(() => room.swept()),
        Effect.suspend(() => {
          try {
            makeOwnDirectory(folder)
            const taken = take(`${pathOf(sessionKey)}${LOCK_SUFFIX}`, CONVERSATION_LOCK_AGE_MAX_MS)
            if (taken._tag === "Ours") return Effect.succeed(taken.lock)
            const where = taken.pid === undefined ? "another process" : `another process (${taken.pid})`
            return new GatewayError({ detail: `This conversation is open in ${where}: close it there first.` })
          } catch (error) {
            return Effect.as(complain("written")(codeOf(error)), undefined)
          }
        })
      )
  }
}
