/**
 * The approvals that are kept: a file for each, named by what it is for, readable by this user alone and put there by a
 * rename. Processes that add and forget at the same time cannot undo each other, and what is damaged is one approval.
 */
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { subjectKey, toolKey, type ApprovalSubject, type RememberedApproval } from "../../../schemas/call/Approval.ts"
import { APPROVAL_FILE_MAX_BYTES, APPROVALS_LISTED_MAX } from "../../../schemas/defaults/Approvals.ts"
import { jsonFile } from "../../../system/jsonFile.ts"
import { isMissing, removeFile } from "../../../system/ownFiles.ts"

const DIRECTORY = "approvals"
const VERSION = 1
const HASH_CHARS = 32
const ENDING = ".json"

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, HASH_CHARS)

/** The first half is the same for a tool whatever has become of it. */
const prefixOf = (subject: ApprovalSubject) => `${hashOf(toolKey(subject))}-`
const nameOf = (subject: ApprovalSubject) => `${prefixOf(subject)}${hashOf(subjectKey(subject))}${ENDING}`

const ApprovalFile = Schema.Struct({
  version: Schema.Literal(VERSION),
  agent: Schema.String,
  server: Schema.String,
  tool: Schema.String,
  approvedAt: Schema.Finite,
  launch: Schema.String,
  definition: Schema.String
})
const files = jsonFile(ApprovalFile, APPROVAL_FILE_MAX_BYTES, { space: 2, tooLarge: "its names are too long" })

/** `undefined` for whatever is not an approval, and for what cannot be read, or could have been put there by others. */
const read = async (path: string): Promise<RememberedApproval | undefined> => {
  try {
    const file = await files.read(path)
    if (file === undefined) return undefined
    const { version: _, ...approval } = file
    return approval
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
  const { agent, definition, launch, server, tool } = subject
  const file = { version: VERSION, agent, server, tool, approvedAt, launch, definition } as const
  await files.replace(join(directory, DIRECTORY, nameOf(subject)), file)
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
  removeFile(join(directory, DIRECTORY, nameOf(subject)))

/** Also what cannot be read. Gives how many there were. */
export const removeAll = async (directory: string): Promise<number> => {
  const names = await namesIn(directory)
  for (const name of names) await removeFile(join(directory, DIRECTORY, name))
  return names.length
}
