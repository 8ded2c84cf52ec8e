/**
 * What is the gateway's own: a server that could write there would choose the sandbox of its next start, or approve itself.
 * Where that lies in a place that is to be written, no sandbox is made at all: a file that is covered there would be
 * uncovered again as soon as somebody saves it anew.
 */
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path"
import { dataDirectory } from "../../../../schemas/config/DataDirectory.ts"
import { makeDirectory } from "../../../../system/ownFiles.ts"
import { isSeen, type Shown, writableOf } from "./mounts.ts"
import { isDirectory, isWithin, reveal } from "../../../../system/process/paths.ts"

export interface Guarded {
  /** May be read where they are shown, and never written; they need not exist. */
  readonly files: ReadonlyArray<string>
  /** Never shown: tokens, approvals, the pins of definitions. */
  readonly directories: ReadonlyArray<string>
}

export interface GuardOptions {
  /** Files that say what the configuration is: no sandbox lets its server write one of them. */
  readonly configFiles?: ReadonlyArray<string> | undefined
  /** Where tokens and approvals are kept, which no sandbox shows; `$MCP_LIVE_HOME`, else `~/.mcp-live`, when left out. */
  readonly directory?: string | undefined
}

/** The usual data directory as well as the one that is used: another gateway's tokens are no server's business either. */
export const guardedOf = ({ configFiles = [], directory }: GuardOptions): Guarded => ({
  // A configuration that is a value has a name, and no file.
  files: configFiles.filter((file) => isAbsolute(file)),
  directories: [...new Set([directory ?? dataDirectory(), dataDirectory()].map((each) => resolve(each)))]
})

export const NOTHING_GUARDED: Guarded = { files: [], directories: [] }

/** Where a path leads, also one that is not there yet, and the links on the way. */
const placeOf = (path: string): { readonly real: string; readonly links: ReadonlyArray<string> } => {
  const revealed = reveal(path)
  if (revealed !== undefined) return { real: revealed.real, links: revealed.links.map(([link]) => link) }
  if (path === sep) return { real: sep, links: [] }
  const above = placeOf(dirname(path))
  return { ...above, real: join(above.real, basename(path)) }
}

/** Whether a server that writes there can change the file, put another in its place, or make it. */
const isOpen = (path: string, writable: ReadonlyArray<string>): boolean => {
  const { links, real } = placeOf(path)
  return [real, ...links].some((each) => writable.some((directory) => isWithin(each, directory)))
}

/** Why these must not be shown together with what is guarded; `undefined` when nothing speaks against it. */
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

/** What must be covered so that it is not seen in what is shown. It is made if need be: it may come while the server runs. */
export const toBeCovered = (shown: ReadonlyArray<Shown>, { directories }: Guarded): ReadonlyArray<string> =>
  directories.flatMap((directory) => {
    const { real } = placeOf(directory)
    if (!isSeen(shown, real)) return []
    try {
      makeDirectory(real)
    } catch {
      // Where it cannot be made, there is nothing in it.
    }
    return isDirectory(real) ? [real] : []
  })
