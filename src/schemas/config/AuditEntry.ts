/**
 * `audit`: whether the audit log is written to files, and how much of it is kept. It stands where `secrets` does: under `mcp`
 * in openclaw.json, beside `servers` or `mcpServers` in files of those forms. An `audit` at the top of any other file is
 * another program's.
 */
import { DEFAULT_AUDIT, type AuditConfig } from "./AuditConfig.ts"
import { AUDIT_FILE_MIN_BYTES } from "../defaults/Audit.ts"
import { isObject } from "../data/Json.ts"
import { AUDIT_KEYS } from "./AuditKeys.ts"
import * as Field from "./Fields.ts"
import type { KeyPath } from "./KeyPath.ts"
import type { Report } from "./Report.ts"

const KEYS = Object.keys(AUDIT_KEYS)

interface Place {
  readonly path: KeyPath
  readonly value: unknown
}

const atTop = (report: Report, root: Record<string, unknown>): Place | undefined => {
  const value = Field.member(root, "audit")
  const path = ["audit"]
  if (value === undefined) return undefined
  if (["servers", "mcpServers"].some((key) => Field.member(root, key) !== undefined)) return { path, value }
  const isOurs = isObject(value) && ["maxBytes", "maxFiles"].some((key) => Field.member(value, key) !== undefined)
  if (isOurs) report.warn(path, 'has no effect here: it stands under "mcp.audit"')
  return undefined
}

/** The section of a configuration, wherever it stands; `inMcp` is the one under `mcp`. */
export const findAudit = (report: Report, root: Record<string, unknown>, inMcp: unknown): Place | undefined => {
  const top = atTop(report, root)
  if (inMcp === undefined) return top
  if (top !== undefined) report.error(top.path, 'means the same as "mcp.audit", which is also given: keep one')
  return { path: ["mcp", "audit"], value: inMcp }
}

const bytes = Field.whole(`a number of bytes, at least ${AUDIT_FILE_MIN_BYTES}`, AUDIT_FILE_MIN_BYTES)
const files = Field.whole("a number of files, at least 1", 1)

export const readAudit = (report: Report, place: Place | undefined): AuditConfig => {
  if (place === undefined) return DEFAULT_AUDIT
  const { path } = place
  const raw = Field.closed(report, path, place.value, KEYS)
  const read = <A>(key: keyof AuditConfig, reader: Field.Read<A>): A | undefined => {
    const value = Field.member(raw, key)
    return value === undefined ? undefined : reader(report, [...path, key], value)
  }
  return {
    enabled: read("enabled", Field.flag) ?? DEFAULT_AUDIT.enabled,
    maxBytes: read("maxBytes", bytes) ?? DEFAULT_AUDIT.maxBytes,
    maxFiles: read("maxFiles", files) ?? DEFAULT_AUDIT.maxFiles
  }
}
