/** The location and names of the audit log's files, for writers and readers. */
import { join } from "node:path"
import { lineFileNames } from "../data/LineFiles.ts"

export const auditDirectory = (dataDirectory: string): string => join(dataDirectory, "audit")

export const AUDIT_FILES = lineFileNames("audit")
export const { current: AUDIT_CURRENT, rotatedAmong, rotatedName } = AUDIT_FILES
