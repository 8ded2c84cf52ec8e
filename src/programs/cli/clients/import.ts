/**
 * `mcp-live import`: takes the servers that MCP clients have on this machine into one openclaw.json. It shows everything first, and asks
 * before it writes. Starts no server.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { existsSync } from "node:fs"
import { homedir } from "node:os"
import { join, resolve } from "node:path"
import { type ClientName, CLIENTS, TITLES } from "../../../schemas/config/clients/ClientNames.ts"
import type { Entry, ImportPlan, TakenServer } from "../../../schemas/config/clients/ImportPlan.ts"
import { dataDirectory } from "../../../schemas/config/DataDirectory.ts"
import { ClientFiles, type Found } from "../../../services/config/ClientFiles.ts"
import { ConfigSource } from "../../../services/config/ConfigSource.ts"
import type { Keeper } from "../../../services/secret/SecretKeeper.ts"
import { readConfigFile } from "../../../system/configFile.ts"
import { isOpenclaws } from "../../../system/openclawFile.ts"
import { editSettings } from "../../../system/settingsFile.ts"
import { EXIT_FAILED, ExitWith, existingDirectory, root, UsageError } from "../command.ts"
import { keepFlag, onlyShowFlag, yesFlag } from "../commonFlags.ts"
import { complain, print, printJson } from "../output.ts"
import { agreed, mayAsk } from "../questions/agreeing.ts"
import { untilStopped } from "../signals.ts"
import { tellingWait } from "../servers/waiting.ts"
import { renderFound, renderNothing, summary } from "./importReport.ts"
import { moved } from "./moving.ts"
import { shownFile } from "./shown.ts"

/** Loaded here, because only this command needs them. */
const parts = Effect.promise(() =>
  Promise.all([
    import("../../../layers/config/ClientFiles.ts"),
    import("../../../layers/config/ConfigSource.ts"),
    import("../../../layers/secret/SecretKeeper.ts"),
    import("../../../schemas/config/clients/AddServers.ts"),
    import("../../../schemas/config/clients/ImportPlan.ts"),
    import("../../../schemas/config/clients/MoveCredentials.ts"),
    import("../../../schemas/config/clients/Recognise.ts")
  ]).then(([clientFiles, configSource, keeper, add, plan, move, { recognise }]) => ({
    clientFiles,
    configSource,
    keeper,
    ...add,
    ...plan,
    ...move,
    recognise
  }))
)
type Parts = Effect.Success<typeof parts>

/** The file that mcp-live uses here, unless that is OpenClaw's. */
const usualTarget = Effect.fnUntraced(function* ({ configSource }: Parts) {
  const { file } = yield* ConfigSource.use(({ load }) => load).pipe(Effect.provide(configSource.layerOptional()))
  return isOpenclaws(file) ? join(dataDirectory(), "openclaw.json") : file
})

/** OpenClaw's own file is its own. */
const targetOf = Effect.fnUntraced(function* (own: Parts, named: string | undefined) {
  const target = named === undefined ? yield* usualTarget(own) : resolve(named)
  if (!isOpenclaws(target)) return target
  const message = `${target} is OpenClaw's own file, which does not know all keys of mcp-live: name another with --to, then run 'mcp-live export openclaw --write'`
  return yield* new UsageError({ message })
})

/** What the file has now. A file that is not valid is not added to. */
const existingIn = Effect.fnUntraced(function* ({ configSource, recognise, serversIn }: Parts, target: string) {
  if (!existsSync(target)) return new Map<string, Entry>()
  const { value } = yield* readConfigFile(target, target)
  const owner = recognise(target, value)
  if (owner !== undefined && owner !== "openclaw") {
    const message = `${target} is a file of ${TITLES[owner]}: name a file of mcp-live with --to, such as openclaw.json`
    return yield* new UsageError({ message })
  }
  yield* ConfigSource.use(({ load }) => load).pipe(Effect.provide(configSource.layer({ path: target })))
  return serversIn(value)
})

/** Secrets first: a failure leaves no reference without a value. */
const write = Effect.fnUntraced(function* (
  own: Parts,
  target: string,
  take: ReadonlyArray<TakenServer>,
  keeps: Keeper | "keep"
) {
  const entries = yield* Effect.forEach(take, ({ as, entry }) =>
    keeps === "keep"
      ? Effect.succeed([as, entry] as const)
      : Effect.map(moved(as, entry, keeps), (made) => [as, made] as const)
  )
  const place = { env: process.env, home: homedir() }
  return yield* editSettings(target, (before, path) => own.withServers(before, path, entries, place), {
    isPrivate: true
  }).pipe(Effect.catch((message) => Effect.andThen(complain(message), new ExitWith({ code: EXIT_FAILED }))))
})

const asJson = (found: Found, plan: ImportPlan, file: string, written: boolean, credentials: number) => ({
  file,
  written,
  credentials,
  take: plan.take.map(({ alsoIn, as, client, entry, file: from, line, name, remarks }) => ({
    name: as,
    ...(as !== name && { was: name }),
    client,
    file: from,
    line,
    transport: entry["command"] === undefined ? "http" : "stdio",
    keys: Object.keys(entry),
    alsoIn: alsoIn.map((other) => ({ client: other.client, file: other.file, line: other.line, name: other.name })),
    remarks
  })),
  there: plan.there.map(({ as, client, file: from, line, name }) => ({
    name: as,
    was: name,
    client,
    file: from,
    line
  })),
  left: found.files.flatMap(({ left }) => left),
  broken: found.files.flatMap(({ client, problem }) => (problem === undefined ? [] : [{ client, ...problem }])),
  missing: found.missing
})

export interface ImportOptions {
  readonly target: string
  readonly clients: ReadonlyArray<ClientName>
  readonly project?: string | undefined
  readonly secrets: Keeper | "keep"
  readonly yes: boolean
  readonly dryRun: boolean
  /** What is said if there is nothing; without it, all places that were looked at. */
  readonly ifNothing?: string | undefined
}

/** Returns whether the file was written. */
export const importInto = Effect.fnUntraced(function* (options: ImportOptions) {
  const { clients, dryRun, ifNothing, project, secrets, target, yes } = options
  const { json } = yield* root
  if (json && !yes && !dryRun) {
    return yield* new UsageError({ message: "with --json nobody is asked: add --yes to write, or --dry-run" })
  }
  const home = homedir()
  const own = yield* parts
  const existing = yield* existingIn(own, target)
  const layers = Layer.merge(own.clientFiles.layer(), own.keeper.layer())
  return yield* Effect.gen(function* () {
    const looking = ClientFiles.use(({ find }) => find({ clients, project }))
    const found = yield* tellingWait(looking, Effect.succeed("Reading the files of other programs"))
    const plan = own.planImport(
      found.files.flatMap(({ servers }) => servers),
      existing
    )
    const credentials = plan.take.reduce((sum, { entry }) => sum + own.movableIn(entry).length, 0)
    const tell = (written: boolean) => printJson(asJson(found, plan, target, written, credentials))
    if (!json) {
      if (found.files.length === 0) return yield* Effect.as(print(ifNothing ?? renderNothing(found, home)), false)
      const total = summary(plan, found, shownFile(target, home), credentials, secrets)
      yield* print(`${renderFound(found, plan, home)}\n\n${total}`)
    }
    if (plan.take.length === 0 || dryRun) return yield* Effect.as(json ? tell(false) : Effect.void, false)
    if (!yes && !mayAsk()) {
      yield* complain("nothing was written: there is no terminal to ask at; add --yes to write, or --dry-run")
      return yield* new ExitWith({ code: EXIT_FAILED })
    }
    if (!yes && !(yield* agreed(`Write ${shownFile(target, home)}? [y]es / [n]o: `))) {
      return yield* Effect.as(print("Nothing was written."), false)
    }
    const words = Effect.succeed(`Writing ${shownFile(target, home)}`)
    const { backup, path } = yield* tellingWait(write(own, target, plan.take, secrets), words)
    if (json) return yield* Effect.as(tell(true), true)
    yield* print(
      `${shownFile(path, home)} is written${backup === undefined ? "" : `; backup: ${shownFile(backup, home)}`}`
    )
    return true
  }).pipe(Effect.provide(layers), untilStopped)
})

export const importServers = Command.make(
  "import",
  {
    from: Flag.ChoiceWithValue(
      "from",
      CLIENTS.map((one) => [one, one] as const)
    ).pipe(Flag.withDescription("Only from this client; may be repeated"), Flag.between(0, CLIENTS.length)),
    to: Flag.String("to").pipe(
      Flag.withMetavar("FILE"),
      Flag.withDescription("The openclaw.json to write; without it, the configuration that mcp-live uses here"),
      Flag.optional
    ),
    project: Flag.Path("project").pipe(
      Flag.mapEffect(existingDirectory("project")),
      Flag.withMetavar("DIR"),
      Flag.withDescription(
        "Also take the servers that files in this folder describe, such as .mcp.json or .vscode/mcp.json"
      ),
      Flag.optional
    ),
    secrets: keepFlag("plain credentials", "keep"),
    yes: yesFlag("Write without asking"),
    dryRun: onlyShowFlag
  },
  Effect.fnUntraced(function* ({ from, project, to, ...flags }) {
    const { config, json } = yield* root
    const own = yield* parts
    const target = yield* targetOf(own, Option.getOrUndefined(Option.orElse(to, () => config)))
    const folder = Option.getOrUndefined(Option.map(project, (path) => resolve(path)))
    const clients = from.length === 0 ? CLIENTS : from
    const isWritten = yield* importInto({ ...flags, target, clients, project: folder })
    if (isWritten && !json) yield* print("Next: 'mcp-live validate' checks it, 'mcp-live tools' starts the servers.")
  })
).pipe(
  Command.withDescription(
    "Copy the MCP servers of other programs on this machine into one openclaw.json. Their own files are not changed"
  ),
  Command.withShortDescription("Copy the MCP servers of other programs on this machine"),
  Command.withExamples([
    { command: "mcp-live import --dry-run", description: "Show what would be taken" },
    { command: "mcp-live import --from cursor --secrets file", description: "From Cursor; credentials go into files" }
  ])
)
