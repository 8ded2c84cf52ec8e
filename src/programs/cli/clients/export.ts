/**
 * `mcp-live export CLIENT`: writes the servers of an agent in the words of an MCP client, or one entry that runs `mcp-live serve`. To
 * stdout, or into the client's file, in which nothing else changes. Starts no server.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { existsSync } from "node:fs"
import { homedir } from "node:os"
import { dirname } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { type ClientName, CLIENTS, TITLES } from "../../../schemas/config/clients/ClientNames.ts"
import { userPlaces } from "../../../schemas/config/clients/ClientPlaces.ts"
import { UnknownAgent } from "../../../schemas/call/UnknownAgent.ts"
import type { Section } from "../../../schemas/config/JsoncEdit.ts"
import { ConfigSource } from "../../../services/config/ConfigSource.ts"
import { readConfigFile } from "../../../system/configFile.ts"
import { ownLaunch } from "../../../system/ownLaunch.ts"
import { editSettings, previewSettings } from "../../../system/settingsFile.ts"
import { readVariablesFile } from "../../../system/variablesFile.ts"
import { EXIT_FAILED, ExitWith, root, UsageError } from "../command.ts"
import { yesOrNo } from "../commonFlags.ts"
import { complain, print, printJson } from "../output.ts"
import { untilStopped } from "../signals.ts"
import { difference } from "../getting/difference.ts"
import { clientText, type ClientText } from "./clientText.ts"
import { shown, shownFile } from "./shown.ts"

type Entry = Readonly<Record<string, unknown>>

/** What is written, and what is not. */
interface Given {
  readonly entries: Readonly<Record<string, Entry>>
  readonly left: ReadonlyArray<{ readonly name: string; readonly reason: string }>
  readonly lost: ReadonlyArray<{ readonly name: string; readonly keys: ReadonlyArray<string> }>
}

const SERVE_NAME = "mcp-live"

/** Loaded here, because only this command needs it. */
const writeClient = Effect.promise(() => import("../../../schemas/config/clients/WriteClient.ts"))

/** One entry that starts `mcp-live serve` with this configuration. */
const serveEntry = Effect.fnUntraced(function* (file: string, agent: string | undefined) {
  const { literal } = yield* writeClient
  const flags = ["serve", "--config", file, ...(agent === undefined ? [] : ["--agent", agent])]
  return literal(yield* Effect.fromResult(ownLaunch(flags)))
})

const loaded = Effect.fnUntraced(function* (path: string | undefined) {
  const { layer } = yield* Effect.promise(() => import("../../../layers/config/ConfigSource.ts"))
  return yield* ConfigSource.use(({ load }) => load).pipe(Effect.provide(layer({ path })))
})

const ours = Effect.fnUntraced(function* (path: string | undefined, agent: string | undefined, serve: boolean) {
  const { agents, defaultAgent, file } = yield* loaded(path)
  const known = agents.map(({ id }) => id)
  if (agent !== undefined && !known.includes(agent)) return yield* new UnknownAgent({ agent, known })
  if (serve) {
    return { file, servers: new Map<string, Entry>([[SERVE_NAME, yield* serveEntry(file, agent)]]) }
  }
  const [{ ourServers }, { value }] = yield* Effect.all([
    Effect.promise(() => import("../../../schemas/config/clients/OurServers.ts")),
    readConfigFile(file, file)
  ])
  const context = {
    home: homedir(),
    folder: dirname(file),
    workspace: process.cwd(),
    readText: readVariablesFile
  }
  return { file, servers: ourServers(value, agent ?? defaultAgent, file, context) }
})

const give = Effect.fnUntraced(function* (
  client: ClientName,
  { file, servers }: { readonly file: string; readonly servers: ReadonlyMap<string, Entry> }
) {
  const { giveServer } = yield* writeClient
  const exec = Result.mapError(ownLaunch(["exec"]), ({ message }) => message)
  const context = { home: homedir(), directory: dirname(file), file, exec }
  const given = [...servers].map(([name, entry]) => [name, giveServer(client, name, entry, context)] as const)
  return {
    entries: Object.fromEntries(given.flatMap(([name, one]) => ("left" in one ? [] : [[name, one.entry]]))),
    left: given.flatMap(([name, one]) => ("left" in one ? [{ name, reason: one.left }] : [])),
    lost: given.flatMap(([name, one]) => ("left" in one || one.lost.length === 0 ? [] : [{ name, keys: one.lost }]))
  } satisfies Given
})

/** Puts the entries into a text, one by one. Another entry of that name stays, unless it may be replaced. */
const insert = (
  text: ClientText,
  section: Section,
  entries: Given["entries"],
  mayReplace: (name: string, known: unknown) => boolean
) => {
  const kept: Array<string> = []
  const edit = (before: string, path: string): Result.Result<string, string> => {
    kept.length = 0
    return Object.entries(entries).reduce<Result.Result<string, string>>(
      (far, [name, entry]) =>
        Result.flatMap(far, (so) => {
          const known = text.entryIn(so, section, name)
          if (known !== undefined && !mayReplace(name, known)) {
            if (!isDeepStrictEqual(known, JSON.parse(JSON.stringify(entry)))) kept.push(name)
            return Result.succeed(so)
          }
          return Result.mapError(
            text.withEntry(so, section, name, entry),
            (why) => `${path} cannot be changed safely: ${why}. Nothing was changed; without --write it goes to stdout`
          )
        }),
      Result.succeed(before)
    )
  }
  return { edit, kept }
}

const placeOf = (client: ClientName): string => {
  const places = userPlaces(client, { platform: process.platform, env: process.env, home: homedir() })
  return places.find((file) => existsSync(file)) ?? places[0]!
}

const tell = Effect.fnUntraced(function* (client: ClientName, { left, lost }: Given, kept: ReadonlyArray<string>) {
  for (const { name, reason } of left) yield* complain(`'${shown(name)}' is left out: ${shown(reason)}`)
  for (const { keys, name } of lost) {
    yield* complain(`'${shown(name)}': ${TITLES[client]} has nothing for ${shown(keys.join(", "))}`)
  }
  for (const name of kept) {
    yield* complain(
      `'${shown(name)}' is left out: ${TITLES[client]} has another server of that name; --replace overwrites it`
    )
  }
})

export const exportServers = Command.make(
  "export",
  {
    client: Argument.ChoiceWithValue(
      "client",
      CLIENTS.map((one) => [one, one] as const)
    ).pipe(Argument.withDescription("The program whose words are used")),
    serve: yesOrNo("serve", "One entry that runs 'mcp-live serve', in place of one for each server"),
    write: yesOrNo(
      "write",
      "Edit the client's own file, with a backup beside it; without it, the entries go to stdout"
    ),
    dryRun: yesOrNo("dry-run", "With --write: only show what would change in the client's file"),
    replace: yesOrNo("replace", "With --write: overwrite other entries of the same names")
  },
  Effect.fnUntraced(function* ({ client, dryRun, replace, serve, write }) {
    const { agent, config, json } = yield* root
    for (const [name, isGiven] of [
      ["replace", replace],
      ["dry-run", dryRun]
    ] as const)
      if (isGiven && !write) return yield* new UsageError({ message: `--${name} is for --write` })
    const from = yield* ours(Option.getOrUndefined(config), Option.getOrUndefined(agent), serve)
    const [text, { FORMATS }, given] = yield* Effect.all([
      Effect.promise(() => clientText(client)),
      Effect.promise(() => import("../../../schemas/config/clients/ReadClient.ts")),
      give(client, from)
    ])
    const { section } = FORMATS[client]
    const isNothing = Object.keys(given.entries).length === 0
    const file = placeOf(client)
    const mayReplace = (name: string) => replace || (serve && name === SERVE_NAME)
    const { edit, kept } = insert(text, section, given.entries, mayReplace)
    const failed = (message: string) => Effect.andThen(complain(message), new ExitWith({ code: EXIT_FAILED }))
    const planned =
      dryRun && !isNothing ? yield* previewSettings(file, edit).pipe(Effect.catch(failed), untilStopped) : undefined
    const edited =
      write && !dryRun && !isNothing
        ? yield* editSettings(file, edit).pipe(Effect.catch(failed), untilStopped)
        : undefined
    const changes = planned && (planned.before === planned.after ? "" : difference(planned.before, planned.after))
    const whole = text.whole(section, given.entries)
    if (json) {
      const names = Object.keys(given.entries).filter((name) => !kept.includes(name))
      const left = [...given.left, ...kept.map((name) => ({ name, reason: "another server has that name" }))]
      yield* printJson({
        client,
        file: edited?.path ?? planned?.path ?? file,
        written: edited?.outcome === "written",
        servers: names,
        left,
        lost: given.lost,
        ...(!write && { text: whole }),
        ...(changes !== undefined && { difference: changes })
      })
    } else {
      yield* tell(client, given, kept)
      if (planned !== undefined) {
        const name = shownFile(planned.path, homedir())
        yield* print(changes === "" ? `${name} has them already` : `${name} would change:\n${changes}`)
      } else if (edited === undefined) {
        if (!isNothing) yield* print(whole)
        if (!write && !isNothing) yield* complain(`--write writes this into ${shownFile(file, homedir())}`)
      } else if (edited.outcome === "already there")
        yield* print(`${shownFile(edited.path, homedir())} has them already`)
      else {
        const backup = edited.backup === undefined ? "" : `; backup: ${shownFile(edited.backup, homedir())}`
        yield* print(`${shownFile(edited.path, homedir())} is written${backup}`)
        yield* print(`Restart ${TITLES[client]} to use it.`)
      }
    }
    if (isNothing) {
      if (!json) yield* complain("there is nothing to write")
      return yield* new ExitWith({ code: EXIT_FAILED })
    }
  })
).pipe(
  Command.withDescription("Write the servers of mcp-live in the format of another program"),
  Command.withShortDescription("Write the servers in the format of another program"),
  Command.withExamples([
    { command: "mcp-live export codex", description: "Print them as Codex has them" },
    { command: "mcp-live export cursor --serve --write", description: "Put all of them behind one entry of Cursor" }
  ])
)
