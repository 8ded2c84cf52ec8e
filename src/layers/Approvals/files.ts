/**
 * The approvals that are kept: a file for each, named by what it is for, readable by this user alone and put there by a
 * rename. Processes that add and forget at the same time cannot undo each other, and what is damaged is one approval.
 */
import { createHash, randomBytes } from "node:crypto"
import { constants } from "node:fs"
import { mkdir, open, readdir, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { subjectKey, toolKey, type ApprovalSubject, type RememberedApproval } from "../../schemas/Approval.ts"
import { APPROVAL_FILE_MAX_BYTES, APPROVALS_LISTED_MAX } from "../../schemas/Defaults.ts"
import { isObject } from "../../schemas/Json.ts"

const DIRECTORY = "approvals"
const VERSION = 1
const HASH_CHARS = 32
const ENDING = ".json"

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, HASH_CHARS)

/** The first half is the same for a tool whatever has become of it. */
const prefixOf = (subject: ApprovalSubject) => `${hashOf(toolKey(subject))}-`
const nameOf = (subject: ApprovalSubject) => `${prefixOf(subject)}${hashOf(subjectKey(subject))}${ENDING}`

const isMissing = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ENOENT"

const parse = (text: string): RememberedApproval | undefined => {
  const given: unknown = JSON.parse(text)
  if (!isObject(given) || given["version"] !== VERSION) return undefined
  const { agent, approvedAt, definition, launch, server, tool } = given
  return typeof agent === "string" &&
    typeof server === "string" &&
    typeof launch === "string" &&
    typeof tool === "string" &&
    typeof definition === "string" &&
    typeof approvedAt === "number" &&
    Number.isFinite(approvedAt)
    ? { agent, server, launch, tool, definition, approvedAt }
    : undefined
}

/** What others can write says nothing of what this user approved. */
const isOurs = ({ mode, uid }: { readonly mode: number; readonly uid: number }): boolean =>
  process.platform === "win32" || ((mode & 0o022) === 0 && uid === process.getuid?.())

/** `undefined` for whatever is not an approval, and for what cannot be read. */
const read = async (path: string): Promise<RememberedApproval | undefined> => {
  try {
    // A link, or a pipe that never ends, is none.
    const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
    try {
      const stats = await file.stat()
      if (!stats.isFile() || stats.size > APPROVAL_FILE_MAX_BYTES || !isOurs(stats)) return undefined
      return parse(await file.readFile("utf8"))
    } finally {
      await file.close()
    }
  } catch {
    return undefined
  }
}

const namesIn = async (directory: string): Promise<ReadonlyArray<string>> => {
  try {
    return (await readdir(join(directory, DIRECTORY))).filter((name) => name.endsWith(ENDING)).toSorted()
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/** Its name is not enough: what stands in it must be for this very subject. */
export const has = async (directory: string, subject: ApprovalSubject): Promise<boolean> => {
  const found = await read(join(directory, DIRECTORY, nameOf(subject)))
  return found !== undefined && subjectKey(found) === subjectKey(subject)
}

/** Whether there is one for the same tool as it, or its server, once was. */
export const hasOther = async (directory: string, subject: ApprovalSubject): Promise<boolean> => {
  const [own, prefix] = [nameOf(subject), prefixOf(subject)]
  return (await namesIn(directory)).some((name) => name !== own && name.startsWith(prefix))
}

export const save = async (directory: string, { approvedAt, ...subject }: RememberedApproval): Promise<void> => {
  const folder = join(directory, DIRECTORY)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const { agent, definition, launch, server, tool } = subject
  const text = JSON.stringify({ version: VERSION, agent, server, tool, approvedAt, launch, definition }, null, 2)
  if (Buffer.byteLength(text) >= APPROVAL_FILE_MAX_BYTES) throw new Error("its names are too long")
  const path = join(folder, nameOf(subject))
  const fresh = `${path}.${process.pid}-${randomBytes(6).toString("hex")}.tmp`
  try {
    await writeFile(fresh, `${text}\n`, { flag: "wx", mode: 0o600, flush: true })
    await rename(fresh, path)
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => {})
    throw error
  }
}

export const list = async (directory: string): Promise<ReadonlyArray<RememberedApproval>> => {
  const found: Array<RememberedApproval> = []
  for (const name of (await namesIn(directory)).slice(0, APPROVALS_LISTED_MAX)) {
    const approval = await read(join(directory, DIRECTORY, name))
    // Under another name it would not be found, and holds for nothing.
    if (approval !== undefined && nameOf(approval) === name) found.push(approval)
  }
  return found
}

export const remove = (directory: string, subject: ApprovalSubject): Promise<void> =>
  rm(join(directory, DIRECTORY, nameOf(subject)), { force: true })

/** Also what cannot be read. Gives how many there were. */
export const removeAll = async (directory: string): Promise<number> => {
  const names = await namesIn(directory)
  for (const name of names) await rm(join(directory, DIRECTORY, name), { force: true })
  return names.length
}
