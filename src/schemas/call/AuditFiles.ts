/** The location and names of the audit log's files, for writers and readers. */
import { join } from "node:path"

export const auditDirectory = (dataDirectory: string): string => join(dataDirectory, "audit")

/** The file that is currently written. */
export const AUDIT_CURRENT = "audit.jsonl"

const ROTATED = /^audit-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z)-[0-9a-f]{8}\.jsonl$/
const COLONS = /T(\d\d)-(\d\d)-(\d\d)/

/** Full files, oldest first: their names begin with the time of the rotation, so they sort by it. */
export const rotatedAmong = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.filter((name) => ROTATED.test(name)).toSorted()

const rotatedAt = (name: string): number => {
  const stamp = ROTATED.exec(name)?.[1]
  return stamp === undefined ? 0 : Date.parse(stamp.replace(COLONS, "T$1:$2:$3"))
}

/** A name that sorts after all of `rotated`, even if the clock was set back. `unique` is eight hex digits. */
export const rotatedName = (rotated: ReadonlyArray<string>, now: number, unique: string): string => {
  const last = rotated.at(-1)
  const at = last === undefined ? now : Math.max(now, rotatedAt(last) + 1)
  return `audit-${new Date(at).toISOString().replaceAll(":", "-")}-${unique}.jsonl`
}
