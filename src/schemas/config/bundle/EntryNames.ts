/**
 * Judges the names of the entries of a bundle before anything is written: each must be the name of a file below the folder, on every
 * system, and no two may mean the same file on a system that ignores case. Pure.
 */
import { BUNDLE_DEPTH_MAX, BUNDLE_NAME_MAX_BYTES, BUNDLE_NAME_MAX_CHARS } from "../../defaults/Bundles.ts"

const TYPE = 0o170000
const FILE = 0o100000
const FOLDER = 0o040000
const LINK = 0o120000

/** The mode of a Unix file, which the upper half of the attributes holds. */
export const modeOf = (externalFileAttributes: number): number => externalFileAttributes >>> 16

/** Why an entry is neither a file nor a folder. */
const kindProblem = (mode: number, isFolder: boolean): string | undefined => {
  const kind = mode & TYPE
  if (kind === 0 || kind === (isFolder ? FOLDER : FILE)) return undefined
  return kind === LINK ? "is a link" : "is neither a file nor a folder"
}

/** Names of devices on Windows, with any ending. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(?:\.|$)/i

const partProblem = (part: string): string | undefined => {
  if (part === "") return "has an empty part in its name"
  if (part === "." || part === "..") return "leads out of its folder"
  if (Buffer.byteLength(part) > BUNDLE_NAME_MAX_BYTES) return "has a name that is too long"
  if (/[. ]$/.test(part)) return "has a name that Windows reads as another one"
  return DEVICE.test(part) ? "has the name of a device" : undefined
}

const nameProblem = (name: string, parts: ReadonlyArray<string>): string | undefined => {
  if (name.length > BUNDLE_NAME_MAX_CHARS || parts.length > BUNDLE_DEPTH_MAX) return "has a name that is too long"
  if (/[\p{Cc}\p{Zl}\p{Zp}\ufffd]/u.test(name)) return "has control characters in its name"
  if (name.startsWith("/") || /^[A-Za-z]:/.test(name) || name.includes("\\"))
    return "has an absolute name, or one with backslashes"
  if (/[:*?"<>|]/.test(name)) return "has characters in its name that not every system allows"
  return parts.map(partProblem).find((problem) => problem !== undefined)
}

export interface EntryNames {
  /** Why the entry cannot be unpacked; `undefined` if it can. Completes "NAME …". */
  readonly problem: (name: string, mode: number) => string | undefined
}

/** Remembers the names that it has seen. */
export const makeEntryNames = (): EntryNames => {
  /** As a system that ignores case sees a path, its spelling and whether it is a folder. */
  const seen = new Map<string, { readonly spelled: string; readonly isFolder: boolean }>()
  return {
    problem: (name, mode) => {
      const isFolder = name.endsWith("/")
      const parts = (isFolder ? name.slice(0, -1) : name).split("/")
      const problem = nameProblem(name, parts) ?? kindProblem(mode, isFolder)
      if (problem !== undefined) return problem
      for (let length = 1; length <= parts.length; length++) {
        const spelled = parts.slice(0, length).join("/")
        const isOuter = length < parts.length
        const before = seen.get(spelled.normalize("NFC").toLowerCase())
        if (before === undefined) {
          seen.set(spelled.normalize("NFC").toLowerCase(), { spelled, isFolder: isOuter || isFolder })
        } else if (before.spelled !== spelled) return "differs from another one only in upper and lower case"
        else if (before.isFolder !== (isOuter || isFolder)) return "is a file and a folder"
        else if (!isOuter && !isFolder) return "is there twice"
      }
      return undefined
    }
  }
}

/** The permissions of an unpacked file: for this user only, and executable if it was. */
export const permissionsOf = (mode: number): number => ((mode & 0o111) === 0 ? 0o600 : 0o700)
