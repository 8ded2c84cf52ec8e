/**
 * Edits a file of settings that belongs to a person or another program: as a whole, by rename, with a backup beside it. A link stays one.
 * Processes of ours take turns by a lock beside the file. Another program knows nothing of the lock: if it changes the file meanwhile, the
 * edit is made again on what is there then. If the file keeps changing, or cannot be edited safely, nothing is written.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { isUtf8 } from "node:buffer"
import { chmod, copyFile, lstat, readFile, realpath, rm, stat } from "node:fs/promises"
import { dirname } from "node:path"
import { CONFIG_MAX_BYTES, EDIT_LOCK_WAIT_MS, EDIT_TRIES_MAX } from "../schemas/defaults/Configuration.ts"
import { withLock } from "./fileLock.ts"
import { fileSystemSays, isMissing, makeDirectory, NotOurs, replaceFile } from "./ownFiles.ts"

export interface Edited {
  readonly path: string
  readonly outcome: "written" | "already there"
  readonly backup: string | undefined
}

const attempt = <A>(path: string, work: () => Promise<A>) =>
  Effect.tryPromise({ try: work, catch: (error) => `${path} cannot be used: ${fileSystemSays(error)}` })

interface Settings {
  readonly text: string
  readonly mode: number
}

/** `undefined` when there is no file. */
const readSettings = async (path: string): Promise<Settings | undefined> => {
  try {
    const { mode, size } = await stat(path)
    if (size > CONFIG_MAX_BYTES) throw new NotOurs("it is too large")
    const bytes = await readFile(path)
    // Invalid UTF-8 would be changed when it is written back.
    if (!isUtf8(bytes)) throw new NotOurs("it is not UTF-8")
    return { text: bytes.toString("utf8"), mode: mode & 0o777 }
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Follows a symbolic link, so that it stays one. A broken link is an error and is not replaced. */
const realPlace = async (path: string): Promise<string> => {
  try {
    return await realpath(path)
  } catch (error) {
    const isLink = await lstat(path).then(
      (found) => found.isSymbolicLink(),
      () => false
    )
    if (isLink) throw new NotOurs("it is a link that leads nowhere")
    if (isMissing(error)) return path
    throw error
  }
}

const stamp = (now: Date) => now.toISOString().replace(/[:.]/g, "-")

/** Another program was faster; nothing is written. */
class Overtaken extends NotOurs {}

/** Replaces what was read, unless the file has changed since. Returns the backup. */
const replace = async (path: string, before: Settings | undefined, text: string, mode: number | undefined) => {
  const backup = before === undefined ? undefined : `${path}.${stamp(new Date())}.backup`
  try {
    await replaceFile(path, text, async (fresh) => {
      if (backup !== undefined) await copyFile(path, backup)
      if (mode !== undefined) await chmod(fresh, mode)
      // As late as possible: what another program writes after this is lost.
      if ((await readSettings(path))?.text !== before?.text) throw new Overtaken("another program keeps changing it")
    })
  } catch (error) {
    if (backup !== undefined) await rm(backup, { force: true })
    throw error
  }
  return backup
}

export type EditText = (before: string, path: string) => Result.Result<string, string>

const looking = (path: string, edit: EditText) =>
  Effect.gen(function* () {
    const before = yield* attempt(path, () => readSettings(path))
    const after = yield* Effect.fromResult(edit(before?.text ?? "", path))
    return { before, after, isThere: after === before?.text }
  })

/** What an edit would do. Writes nothing. */
export const previewSettings = Effect.fnUntraced(function* (place: string, edit: EditText) {
  const path = yield* attempt(place, () => realPlace(place))
  const { after, before } = yield* looking(path, edit)
  return { path, before: before?.text ?? "", after }
})

/**
 * `edit` gets the text, empty if there is no file, and the real path, and returns the new text or why there is none. It is called again if
 * the file changes meanwhile. With `isPrivate`, only this user can read the file afterwards.
 */
export const editSettings = Effect.fnUntraced(function* (
  place: string,
  edit: EditText,
  { isPrivate = false }: { readonly isPrivate?: boolean } = {}
): Effect.fn.Return<Edited, string, Scope.Scope> {
  const path = yield* attempt(place, () => realPlace(place))
  const look = looking(path, edit)
  const alreadyThere: Edited = { path, outcome: "already there", backup: undefined }
  // Without a lock: an edit that is refused, or that changes nothing, needs no right to write and leaves nothing.
  if ((yield* look).isThere) return alreadyThere
  yield* attempt(path, async () => makeDirectory(dirname(path)))
  yield* Effect.mapError(
    withLock(`${path}.mcp-live.lock`, EDIT_LOCK_WAIT_MS, "it"),
    (reason) => `${path} cannot be used: ${reason}`
  )
  for (let left = EDIT_TRIES_MAX; ; left--) {
    const { after, before, isThere } = yield* look
    if (isThere) return alreadyThere
    const written = yield* Effect.uninterruptible(
      attempt(path, async () => {
        try {
          return { backup: await replace(path, before, after, isPrivate ? undefined : before?.mode) }
        } catch (error) {
          if (error instanceof Overtaken && left > 1) return undefined
          throw error
        }
      })
    )
    if (written !== undefined) return { path, outcome: "written", ...written }
  }
}, Effect.scoped)
