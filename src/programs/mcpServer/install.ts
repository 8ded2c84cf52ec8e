/**
 * Adds this server to the settings file of a client, with a backup next to it. Nothing else in the file changes. If that is
 * impossible, or another entry has the name, nothing is written.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { homedir } from "node:os"
import { entryIn, withEntry } from "../../schemas/config/JsoncEdit.ts"
import { entryOf, isOurs, placeOf, renewed, type Launch, type McpClientName } from "../../schemas/config/McpClients.ts"
import { type NotInstalled, ownLaunch, type Started } from "../../system/ownLaunch.ts"
import { type Edited, editSettings } from "../../system/settingsFile.ts"

export const ENTRY_NAME = "openclaw"

export class InstallFailed extends Data.TaggedError("InstallFailed")<{ readonly message: string }> {}

/** How a client starts the agent's server. */
export const launchWith = (
  flags: ReadonlyArray<string>,
  started: Partial<Started> = {}
): Result.Result<Launch, NotInstalled> => ownLaunch(["mcp-server", ...flags], started)

/** What would be written, for people who prefer to do it themselves. */
export const shownFor = (client: McpClientName, launch: Launch): string => {
  const { path, section } = placeOf(client, process.platform, process.env, homedir())
  return `${JSON.stringify({ [section]: { [ENTRY_NAME]: entryOf(client, launch) } }, undefined, 2)}\n\nThis goes into ${path}`
}

export const install = (client: McpClientName, launch: Launch): Effect.Effect<Edited, InstallFailed> =>
  editSettings(placeOf(client, process.platform, process.env, homedir()).path, (before, path) => {
    const { section } = placeOf(client, process.platform, process.env, homedir())
    const known = entryIn(before, [section], ENTRY_NAME)
    if (known !== undefined && !isOurs(known)) {
      return Result.fail(
        `${path} has an "${ENTRY_NAME}" already that is something else: nothing was changed. Rename it, or see --print`
      )
    }
    return Result.mapError(
      withEntry(before, [section], ENTRY_NAME, renewed(known, entryOf(client, launch))),
      (why) => `${path} cannot be changed safely: ${why}. Nothing was changed; see --print`
    )
  }).pipe(Effect.mapError((message) => new InstallFailed({ message })))
