/** Which files decide what the configuration is, now and at the next start. */
import { join, resolve } from "node:path"

export interface Asked {
  /** The file that was read; a configuration that is a value has a name instead. */
  readonly file: string
  /** Whether somebody named it, with --config or MCP_LIVE_CONFIG. */
  readonly isNamed: boolean
  readonly cwd: string
}

/** Of the places where a configuration is looked for, those in the working directory come first. */
export const PLACES_HERE = ["openclaw.json", "mcp-live.json"]

/** Whoever can write one of these says how servers are started. What is not there yet would be found before what is. */
export const decisiveFiles = ({ cwd, file, isNamed }: Asked): ReadonlyArray<string> =>
  isNamed ? [file] : [...new Set([file, ...PLACES_HERE.map((name) => resolve(join(cwd, name)))])]
