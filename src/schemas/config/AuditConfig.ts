/** `audit`: whether and how the audit log is written to files. */
import type * as Schema from "effect/Schema"
import { AUDIT_FILE_MAX_BYTES, AUDIT_FILE_MIN_BYTES, AUDIT_FILES_MAX } from "../defaults/Audit.ts"
import { flag, key, whole } from "./Keys.ts"
import { hasSome, section } from "./Sections.ts"
import { noted } from "./Notes.ts"

const KEYS = {
  /** Without files there are still log lines and metrics. */
  enabled: key(flag, true, "whether records are written to files"),
  maxBytes: key(
    noted(whole(`a number of bytes, at least ${AUDIT_FILE_MIN_BYTES}`, AUDIT_FILE_MIN_BYTES), { written: "bytes" }),
    AUDIT_FILE_MAX_BYTES,
    "the size of one file, after which the next one begins"
  ),
  maxFiles: key(
    whole("a number of files, at least 1", 1),
    AUDIT_FILES_MAX,
    "the number of files to keep, including the current one"
  )
}

/** Whether and how the audit log is written to files. */
export interface AuditConfig extends Schema.Struct.Type<typeof KEYS> {}

/** Other programs have an `audit.enabled`, too. */
export const AUDIT = section("audit", KEYS, (value) => hasSome(value, ["maxBytes", "maxFiles"]))

export const DEFAULT_AUDIT: AuditConfig = AUDIT.defaults
