/**
 * Approvals for good: one file for each, named after its subject, readable by this user only and created by a rename. So
 * processes that add and delete at the same time do not undo each other, and damage affects only one approval.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import {
  ApprovalsFailed,
  subjectKey,
  toolKey,
  type ApprovalSubject,
  type RememberedApproval
} from "../../../schemas/call/Approval.ts"
import { APPROVAL_FILE_MAX_BYTES, APPROVALS_LISTED_MAX } from "../../../schemas/defaults/Approvals.ts"
import type { ApprovalStore } from "../../../services/call/ApprovalStore.ts"
import { jsonFile } from "../../../system/jsonFile.ts"
import { codeOf, fileSystemSays, isMissing, NotOurs, removeFile } from "../../../system/ownFiles.ts"

const DIRECTORY = "approvals"
const VERSION = 1
const HASH_CHARS = 32
const ENDING = ".json"

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, HASH_CHARS)

/** The first half depends on the tool's name only, not on its definition or launch. */
const prefixOf = (subject: ApprovalSubject) => `${hashOf(toolKey(subject))}-`
const nameOf = (subject: ApprovalSubject) => `${prefixOf(subject)}${hashOf(subjectKey(subject))}${ENDING}`

const ApprovalFile = Schema.Struct({
  version: Schema.Literal(VERSION),
  agent: Schema.String,
  server: Schema.String,
  tool: Schema.String,
  approvedAt: Schema.Finite,
  launch: Schema.String,
  definition: Schema.String,
  personId: Schema.optionalKey(Schema.String),
  personName: Schema.optionalKey(Schema.String)
})
const files = jsonFile(ApprovalFile, APPROVAL_FILE_MAX_BYTES, { space: 2, tooLarge: "its names are too long" })

/** `undefined` for anything but a valid approval, for an unreadable file, and for one that others could have written. */
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

/** The file name is not enough: the content must be for this very subject. */
const has = async (directory: string, subject: ApprovalSubject): Promise<boolean> => {
  const found = await read(join(directory, DIRECTORY, nameOf(subject)))
  return found !== undefined && subjectKey(found) === subjectKey(subject)
}

/** Whether there is an approval for an earlier definition or launch of the same tool. */
const hasOther = async (directory: string, subject: ApprovalSubject): Promise<boolean> => {
  const [own, prefix] = [nameOf(subject), prefixOf(subject)]
  return (await namesIn(directory)).some((name) => name !== own && name.startsWith(prefix))
}

export const save = async (
  directory: string,
  { approvedAt, personName, ...subject }: RememberedApproval
): Promise<void> => {
  const { agent, definition, launch, personId, server, tool } = subject
  const file = {
    ...({ version: VERSION, agent, server, tool, approvedAt, launch, definition } as const),
    ...(personId !== undefined && { personId }),
    ...(personName !== undefined && { personName })
  }
  await files.replace(join(directory, DIRECTORY, nameOf(subject)), file)
}

const list = async (directory: string): Promise<ReadonlyArray<RememberedApproval>> => {
  const found: Array<RememberedApproval> = []
  for (const name of (await namesIn(directory)).slice(0, APPROVALS_LISTED_MAX)) {
    const approval = await read(join(directory, DIRECTORY, name))
    // A file under a wrong name would not be found, so it has no effect.
    if (approval !== undefined && nameOf(approval) === name) found.push(approval)
  }
  return found
}

const remove = (directory: string, subject: ApprovalSubject): Promise<void> =>
  removeFile(join(directory, DIRECTORY, nameOf(subject)))

/** Removes unreadable files, too. Returns how many there were. */
const removeAll = async (directory: string): Promise<number> => {
  const names = await namesIn(directory)
  for (const name of names) await removeFile(join(directory, DIRECTORY, name))
  return names.length
}

const detailOf = (error: unknown): string =>
  error instanceof NotOurs || codeOf(error) !== undefined ? fileSystemSays(error) : "unknown error"

const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, ApprovalsFailed> =>
  Effect.tryPromise({ try: work, catch: (error) => new ApprovalsFailed({ detail: detailOf(error) }) })

/** Approvals in files of this data directory. */
export const fileStore = (directory: string): ApprovalStore["Service"] => ({
  has: (subject) => Effect.promise(() => has(directory, subject)),
  hasOther: (subject) => Effect.promise(() => hasOther(directory, subject).catch(() => false)),
  save: (approval) => attempt(() => save(directory, approval)),
  list: attempt(() => list(directory)),
  remove: (subject) => attempt(() => remove(directory, subject)),
  removeAll: attempt(() => removeAll(directory))
})
