/** How another program starts this one. */
import * as Data from "effect/Data"
import * as Result from "effect/Result"
import { resolve } from "node:path"
import { ownProgram } from "./ownPackage.ts"

export interface Started {
  readonly bin: string
  readonly node: string
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface OwnLaunch {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
}

/** There is no lasting path to this program. */
export class NotInstalled extends Data.TaggedError("NotInstalled")<{ readonly message: string }> {}

/**
 * All paths are absolute, because a client may not have the user's PATH. A program in npx's cache may be deleted at any time, and its name
 * alone would start whatever package has that name on the registry.
 */
export const ownLaunch = (
  args: ReadonlyArray<string>,
  { bin = ownProgram(), env = process.env, node = process.execPath }: Partial<Started> = {}
): Result.Result<OwnLaunch, NotInstalled> => {
  if (/[/\\]_npx[/\\]/.test(bin)) {
    const message =
      "another program cannot rely on the cache of npx, from which mcp-live runs here: install it first ('npm install --global' with the tarball or folder that you gave to npx), then run this again with the installed mcp-live"
    return Result.fail(new NotInstalled({ message }))
  }
  const home = env["MCP_LIVE_HOME"]
  const kept = home === undefined || home === "" ? {} : { MCP_LIVE_HOME: resolve(home) }
  return Result.succeed({ command: node, args: [bin, ...args], env: kept })
}
