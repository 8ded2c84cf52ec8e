/**
 * The gateway's own files. A server that can write them could choose its next sandbox, or approve itself. If they are in a directory that the
 * server may write, no sandbox is made: a cover over such a file would be lost as soon as somebody saves the file again.
 */
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path"
import { dataDirectory } from "../../../../schemas/config/DataDirectory.ts"
import { makeDirectory } from "../../../../system/ownFiles.ts"
import { isSeen, type Shown, writableOf } from "./mounts.ts"
import { isDirectory, isWithin, reveal } from "../../../../system/process/paths.ts"

export interface Guarded {
  /** They may be read where they are shown, and never written. They need not exist. */
  readonly files: ReadonlyArray<string>
  /** They are never shown: tokens, approvals, pins. */
  readonly directories: ReadonlyArray<string>
}

export interface GuardOptions {
  /** Files of the configuration. No sandbox lets its server write them. */
  readonly configFiles?: ReadonlyArray<string> | undefined
  /** The data directory, which no sandbox shows. By default `$MCP_LIVE_HOME`, else `~/.mcp-live`. */
  readonly directory?: string | undefined
}

/** The default data directory as well as the one in use: it may contain another gateway's tokens. */
export const guardedOf = ({ configFiles = [], directory }: GuardOptions): Guarded => ({
  // A configuration that is a value has no file.
  files: configFiles.filter((file) => isAbsolute(file)),
  directories: [...new Set([directory ?? dataDirectory(), dataDirectory()].map((each) => resolve(each)))]
})

export const NOTHING_GUARDED: Guarded = { files: [], directories: [] }

/** Where a path leads, and the links on the way. The path need not exist. */
const placeOf = (path: string): { readonly real: string; readonly links: ReadonlyArray<string> } => {
  const revealed = reveal(path)
  if (revealed !== undefined) return { real: revealed.real, links: revealed.links.map(([link]) => link) }
  if (path === sep) return { real: sep, links: [] }
  const above = placeOf(dirname(path))
  return { ...above, real: join(above.real, basename(path)) }
}

/** Whether a server that writes there can change, replace or create the file. */
const isOpen = (path: string, writable: ReadonlyArray<string>): boolean => {
  const { links, real } = placeOf(path)
  return [real, ...links].some((each) => writable.some((directory) => isWithin(each, directory)))
}

/** Why these must not be shown, because of the guarded files; `undefined` if they may be. */
export const guardProblem = (listed: ReadonlyArray<Shown>, { directories, files }: Guarded): string | undefined => {
  const writable = writableOf(listed)
  const file = files.find((each) => isOpen(each, writable))
  if (file !== undefined) {
    return (
      `it could write ${file}, which says what its sandbox is: list what it needs to write, and not the directory ` +
      "around that file, or keep the configuration elsewhere and name it with --config"
    )
  }
  const directory = directories.find((each) => isOpen(each, writable))
  if (directory !== undefined) {
    return `it could write ${directory}, where the gateway keeps tokens and approvals: list what it needs to write, and not the directory around that`
  }
  for (const { path } of listed) {
    const place = directories.find((each) => isWithin(placeOf(path).real, placeOf(each).real))
    if (place !== undefined) return `${path} cannot be shown: the gateway keeps tokens and approvals in ${place}`
  }
  return undefined
}

/** Directories that must be covered. They are created if necessary, because they may appear while the server runs. */
export const toBeCovered = (shown: ReadonlyArray<Shown>, { directories }: Guarded): ReadonlyArray<string> =>
  directories.flatMap((directory) => {
    const { real } = placeOf(directory)
    if (!isSeen(shown, real)) return []
    try {
      makeDirectory(real)
    } catch {
      // If it cannot be created, it is empty.
    }
    return isDirectory(real) ? [real] : []
  })
