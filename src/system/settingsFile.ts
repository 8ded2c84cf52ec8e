/**
 * Edits a file of settings that belongs to a person or another program: as a whole, by rename, with a backup beside it. A link stays one.
 * If the file changes meanwhile, or cannot be edited safely, nothing is written.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { isUtf8 } from "node:buffer"
import { chmod, copyFile, lstat, readFile, realpath, stat } from "node:fs/promises"
import { dirname } from "node:path"
import { CONFIG_MAX_BYTES } from "../schemas/defaults/Configuration.ts"
import { fileSystemSays, isMissing, makeDirectory, NotOurs, replaceFile } from "./ownFiles.ts"

export interface Edited {
  readonly path: string
  readonly outcome: "written" | "already there"
  readonly backup: string | undefined
}

const attempt = <A>(path: string, work: () => Promise<A>) =>
  Effect.tryPromise({ try: work, catch: (error) => `${path} cannot be used: ${fileSystemSays(error)}` })

/** `undefined` when there is no file. */
const readSettings = async (path: string): Promise<{ readonly text: string; readonly mode: number } | undefined> => {
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

/**
 * `edit` gets the text, empty if there is no file, and the real path, and returns the new text or why there is none. With `isPrivate`,
 * only this user can read the file afterwards.
 */
export const editSettings = Effect.fnUntraced(function* (
  place: string,
  edit: (before: string, path: string) => Result.Result<string, string>,
  { isPrivate = false }: { readonly isPrivate?: boolean } = {}
): Effect.fn.Return<Edited, string> {
  const path = yield* attempt(place, () => realPlace(place))
  const before = yield* attempt(path, () => readSettings(path))
  const edited = yield* Effect.fromResult(edit(before?.text ?? "", path))
  if (edited === before?.text) return { path, outcome: "already there", backup: undefined }
  const backup = before === undefined ? undefined : `${path}.${stamp(new Date())}.backup`
  yield* attempt(path, async () => {
    makeDirectory(dirname(path))
    if (backup !== undefined) await copyFile(path, backup)
    const now = await readSettings(path)
    if (now?.text !== before?.text) throw new NotOurs("it was changed meanwhile")
    await replaceFile(path, edited)
    if (before !== undefined && !isPrivate) await chmod(path, before.mode)
  })
  return { path, outcome: "written", backup }
})
