/** The files that decide what the configuration is, now and at the next start. */
import { join, resolve } from "node:path"

export interface Asked {
  /** The file that was read; for a configuration that is a value, a name. */
  readonly file: string
  /** Whether --config or MCP_LIVE_CONFIG names it. */
  readonly isNamed: boolean
  readonly cwd: string
}

/** The places in the working directory come first in the search. */
export const PLACES_HERE = ["openclaw.json", "mcp-live.json"]

/**
 * Whoever can write to one of these decides how servers are started. A file that does not exist yet could take precedence
 * over the present one.
 */
export const decisiveFiles = ({ cwd, file, isNamed }: Asked): ReadonlyArray<string> =>
  isNamed ? [file] : [...new Set([file, ...PLACES_HERE.map((name) => resolve(join(cwd, name)))])]
