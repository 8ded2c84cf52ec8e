/**
 * Adds this server to the settings file of a client, with a backup next to it. Nothing else in the file changes. If that is
 * impossible, or another entry has the name, nothing is written.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { isUtf8 } from "node:buffer"
import { chmod, copyFile, lstat, readFile, realpath, stat } from "node:fs/promises"
import { homedir } from "node:os"
import { dirname, resolve } from "node:path"
import { CONFIG_MAX_BYTES } from "../../schemas/defaults/Configuration.ts"
import { entryIn, withEntry } from "./jsoncEdit.ts"
import { entryOf, isOurs, placeOf, renewed, type Launch, type McpClientName } from "../../schemas/config/McpClients.ts"
import { fileSystemSays, isMissing, makeDirectory, NotOurs, replaceFile } from "../../system/ownFiles.ts"
import { ownProgram } from "../../system/ownPackage.ts"

export const ENTRY_NAME = "openclaw"

export class InstallFailed extends Data.TaggedError("InstallFailed")<{ readonly message: string }> {}

/**
 * All paths are absolute, because a client may not have the user's PATH. A program in npx's cache may be deleted at any time,
 * so the launch does not depend on it.
 */
export const launchWith = (
  flags: ReadonlyArray<string>,
  { bin = ownProgram(), env = process.env, node = process.execPath, platform = process.platform }: Partial<Started> = {}
): Launch => {
  const args = ["mcp-server", ...flags]
  const home = env["MCP_LIVE_HOME"]
  const kept = home === undefined || home === "" ? {} : { MCP_LIVE_HOME: resolve(home) }
  if (!/[/\\]_npx[/\\]/.test(bin)) return { command: node, args: [bin, ...args], env: kept }
  const npx = ["-y", "mcp-live", ...args]
  return platform === "win32"
    ? { command: "cmd", args: ["/c", "npx", ...npx], env: kept }
    : { command: "npx", args: npx, env: kept }
}

export interface Started {
  readonly bin: string
  readonly node: string
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface Installed {
  readonly path: string
  readonly outcome: "written" | "already there"
  readonly backup: string | undefined
}

const failed = (message: string) => new InstallFailed({ message })

const attempt = <A>(path: string, work: () => Promise<A>) =>
  Effect.tryPromise({ try: work, catch: (error) => failed(`${path} cannot be used: ${fileSystemSays(error)}`) })

/** `undefined` when there is no file. */
const readSettings = async (path: string): Promise<{ readonly text: string; readonly mode: number } | undefined> => {
  try {
    const { mode, size } = await stat(path)
    if (size > CONFIG_MAX_BYTES) throw new NotOurs("it is too large")
    const bytes = await readFile(path)
    // Invalid UTF-8 would be changed when it is written back.
    if (!isUtf8(bytes)) throw new NotOurs("it is not UTF-8")
    return { text: bytes.toString("utf8"), mode: mode & 0o777 }
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Follows a symbolic link, so that it stays one. A broken link is an error and is not replaced. */
const realPlace = async (path: string): Promise<string> => {
  try {
    return await realpath(path)
  } catch (error) {
    const isLink = await lstat(path).then(
      (found) => found.isSymbolicLink(),
      () => false
    )
    if (isLink) throw new NotOurs("it is a link that leads nowhere")
    if (isMissing(error)) return path
    throw error
  }
}

const stamp = (now: Date) => now.toISOString().replace(/[:.]/g, "-")

/** What would be written, for people who prefer to do it themselves. */
export const shownFor = (client: McpClientName, launch: Launch): string => {
  const { path, section } = placeOf(client, process.platform, process.env, homedir())
  return `${JSON.stringify({ [section]: { [ENTRY_NAME]: entryOf(client, launch) } }, undefined, 2)}\n\nThis goes into ${path}`
}

export const install = Effect.fnUntraced(function* (
  client: McpClientName,
  launch: Launch
): Effect.fn.Return<Installed, InstallFailed> {
  const place = placeOf(client, process.platform, process.env, homedir())
  const path = yield* attempt(place.path, () => realPlace(place.path))
  const before = yield* attempt(path, () => readSettings(path))
  const known = before === undefined ? undefined : entryIn(before.text, place.section, ENTRY_NAME)
  if (known !== undefined && !isOurs(known)) {
    return yield* failed(
      `${path} has an "${ENTRY_NAME}" already that is something else: nothing was changed. Rename it, or see --print`
    )
  }
  const entry = renewed(known, entryOf(client, launch))
  const edited = withEntry(before?.text ?? "", place.section, ENTRY_NAME, entry)
  if (Result.isFailure(edited)) {
    return yield* failed(`${path} cannot be changed safely: ${edited.failure}. Nothing was changed; see --print`)
  }
  if (edited.success === before?.text) return { path, outcome: "already there", backup: undefined }
  const backup = before === undefined ? undefined : `${path}.${stamp(new Date())}.backup`
  yield* attempt(path, async () => {
    makeDirectory(dirname(path))
    if (backup !== undefined) await copyFile(path, backup)
    const now = await readSettings(path)
    if (now?.text !== before?.text) throw new NotOurs("it was changed meanwhile")
    await replaceFile(path, edited.success)
    if (before !== undefined) await chmod(path, before.mode)
  })
  return { path, outcome: "written", backup }
})
