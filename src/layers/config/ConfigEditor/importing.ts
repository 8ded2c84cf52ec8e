/** The servers that other programs have on this machine, and a text with them. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { homedir } from "node:os"
import { parsed, serversIn, withServers } from "../../../schemas/config/clients/AddServers.ts"
import { CLIENTS } from "../../../schemas/config/clients/ClientNames.ts"
import { planImport } from "../../../schemas/config/clients/ImportPlan.ts"
import { shownLaunch } from "../../../schemas/config/ShownLaunch.ts"
import { ConfigRefused, type ImportedServer, type ImportProposal } from "../../../schemas/control/ConfigFile.ts"
import { IMPORT_SHOWN_MAX } from "../../../schemas/defaults/Control.ts"
import type { ClientFiles } from "../../../services/config/ClientFiles.ts"

const LAUNCH_MAX_CHARS = 300

type Planned = ReturnType<typeof planImport>["there"][number]

const imported = (server: Planned, state: ImportedServer["state"]): ImportedServer => {
  const { as, client, entry, file, line, name, remarks } = server
  return {
    name: as,
    was: name,
    client,
    file,
    line,
    transport: entry["command"] === undefined ? "http" : "stdio",
    keys: Object.keys(entry),
    launch: shownLaunch(entry, LAUNCH_MAX_CHARS),
    remarks: remarks.map(({ message }) => message),
    state
  }
}

/** `text` is the text with its secrets, as is that of the result. */
export const proposeImport = Effect.fnUntraced(function* (
  text: string,
  path: string,
  take: ReadonlyArray<string> | undefined,
  files: ClientFiles["Service"]
) {
  const found = yield* files.find({ clients: CLIENTS })
  const plan = planImport(
    found.files.flatMap(({ servers }) => servers),
    serversIn(parsed(text))
  )
  const wanted = plan.take.filter(({ as }) => take === undefined || take.includes(as))
  const entries = wanted.map(({ as, entry }) => [as, entry] as const)
  const edited = withServers(text, path, entries, { env: process.env, home: homedir() })
  if (Result.isFailure(edited)) return yield* new ConfigRefused({ reason: "invalid", detail: edited.failure })
  const servers = [
    ...plan.take.map((server) => imported(server, "take")),
    ...plan.there.map((server) => imported(server, "there"))
  ]
  return {
    servers: servers.slice(0, IMPORT_SHOWN_MAX),
    left: found.files
      .flatMap(({ left }) => left.map(({ client, file, message, name }) => ({ client, name, file, message })))
      .slice(0, IMPORT_SHOWN_MAX),
    broken: found.files
      .flatMap(({ client, problem }) =>
        problem === undefined ? [] : [{ client, file: problem.file, message: problem.message }]
      )
      .slice(0, IMPORT_SHOWN_MAX),
    more: Math.max(0, servers.length - IMPORT_SHOWN_MAX),
    text: wanted.length === 0 ? text : edited.success
  } satisfies ImportProposal
})
