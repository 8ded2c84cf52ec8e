/** Counts the stored conversations of a directory without keeping them in memory. A damaged file affects only itself. */
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { CONVERSATION_HEADER_MAX_BYTES } from "../../../schemas/defaults/Conversations.ts"
import type { BrokenSession, KeptSession, Survey } from "../../../schemas/agent/SessionListing.ts"
import { attempt, DIRECTORY, headerIn, nameOf, withFile } from "./file.ts"
import { makeRoom } from "./room.ts"

const CHUNK_BYTES = 256 * 1024
const LINE_BREAK = 0x0a
const NO_HEADER = "its first line is not that of a conversation"
const OTHER_NAME = "it has the name of another conversation"

/** The number of non-empty lines, and the beginning of the first. */
const readLines = (path: string) =>
  withFile(path, async (file, bytes) => {
    const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, bytes))
    let [start, lines, isNew, at] = ["", 0, true, 0]
    while (at < bytes) {
      const { bytesRead } = await file.read(chunk, 0, chunk.length, at)
      if (bytesRead === 0) break
      if (at === 0) start = chunk.toString("utf8", 0, Math.min(bytesRead, CONVERSATION_HEADER_MAX_BYTES))
      const piece = chunk.subarray(0, bytesRead)
      for (let from = 0; from < bytesRead;) {
        const end = piece.indexOf(LINE_BREAK, from)
        if (isNew && end !== from) lines++
        isNew = end !== -1
        from = isNew ? end + 1 : bytesRead
      }
      at += bytesRead
    }
    return { start, lines, bytes }
  })

/** One of them, read in pieces; `undefined` if it has no messages, or is gone. */
export const lookAt = (folder: string, name: string) => {
  const file = join(folder, name)
  return attempt(() => readLines(file)).pipe(
    Effect.map(({ bytes, lines, start }): KeptSession | BrokenSession | undefined => {
      const info = headerIn(start)
      if (info === undefined) return { file, reason: NO_HEADER }
      if (nameOf(info.sessionKey) !== name) return { file, reason: OTHER_NAME }
      const messages = lines - 1 + (info.dropped ?? 0)
      // Conversations without messages are not listed.
      return messages === 0 ? undefined : { info, messages, bytes }
    }),
    // The file may have been removed in the meantime.
    Effect.catch((reason) => Effect.succeed(reason === "ENOENT" ? undefined : { file, reason }))
  )
}

/** Reads the conversation folder of the data directory `home`. Never fails; unreadable files are in `broken`. */
export const survey = Effect.fnUntraced(function* (home: string): Effect.fn.Return<Survey> {
  const folder = join(home, DIRECTORY)
  const { names } = makeRoom(folder, () => Promise.resolve(""))
  const all = yield* attempt(names).pipe(Effect.result)
  if (all._tag === "Failure") return { kept: [], broken: [{ file: folder, reason: all.failure }] }
  const found = yield* Effect.forEach(all.success.toSorted(), (name) => lookAt(folder, name))
  return {
    kept: found.flatMap((one) => (one !== undefined && "info" in one ? [one] : [])),
    broken: found.flatMap((one) => (one !== undefined && "reason" in one ? [one] : []))
  }
})
