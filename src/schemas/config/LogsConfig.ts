/** `logs`: whether the log about servers is kept in files. */
import type * as Schema from "effect/Schema"
import { flag, key } from "./Keys.ts"
import { hasSome, section } from "./Sections.ts"

const KEYS = {
  files: key(
    flag,
    true,
    "whether what servers write to stderr, their log messages, and their starts and ends are kept in files, for `mcp-live logs`"
  )
}

/** Whether the log about servers is kept in files. */
export interface LogsConfig extends Schema.Struct.Type<typeof KEYS> {}

export const LOGS = section("logs", KEYS, (value) => hasSome(value, ["files"]))

export const DEFAULT_LOGS: LogsConfig = LOGS.defaults
