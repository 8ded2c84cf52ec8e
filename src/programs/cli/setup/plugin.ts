/**
 * `mcp-live plugin FOLDER`: writes the plugin for OpenClaw with the names of its servers' tools in it. OpenClaw offers an
 * agent only those tools of a plugin that are declared in advance.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { ConfigError } from "../../../schemas/config/ConfigError.ts"
import { at } from "../../../schemas/agent/openclaw/doctor/read.ts"
import { OpenClawConfig } from "../../../services/config/OpenClawConfig.ts"
import { inPackage } from "../../../system/ownPackage.ts"
import { fileSystemSays } from "../../../system/ownFiles.ts"
import type { HostLogger } from "../../openclawPlugin/openclawApi.ts"
import { PLUGIN_ID } from "../../openclawPlugin/plugin.ts"
import type { Running } from "../../openclawPlugin/running.ts"
import { hasServers, readSettings, type Settings } from "../../openclawPlugin/settings.ts"
import { EXIT_FAILED, ExitWith, root, UsageError } from "../command.ts"
import { complain, print, printJson, visible } from "../output.ts"
import { untilStopped } from "../signals.ts"

/** Log messages of servers would hide the result; missing servers are reported at the end. */
const QUIET: HostLogger = {
  info: () => undefined,
  warn: () => undefined,
  error: (text) => void process.stderr.write(`${visible(text)}\n`)
}

const settingsIn = Effect.fnUntraced(function* (path: string | undefined) {
  const { layer } = yield* Effect.promise(() => import("../../../layers/config/OpenClawConfig.ts"))
  const { file, value } = yield* OpenClawConfig.use(({ load }) => load(path)).pipe(Effect.provide(layer()))
  const settings = readSettings(at(value, ["plugins", "entries", PLUGIN_ID, "config"]))
  if (hasServers(settings)) return settings
  const message = `the plugin has no servers in ${file}: configure them under plugins.entries.${PLUGIN_ID}.config`
  return yield* new UsageError({ message })
})

const toolsOf = (settings: Settings) =>
  Effect.acquireUseRelease(
    Effect.promise(async (): Promise<Running> =>
      (await import("../../openclawPlugin/running.ts")).open(settings, QUIET)
    ),
    (running) =>
      Effect.tryPromise({
        try: () => running.everything(),
        catch: (error) => (error instanceof ConfigError ? error : new UsageError({ message: String(error) }))
      }),
    (running) => Effect.promise(() => running.close())
  )

/** The source and target folder. The folder of the package itself is never written to. */
const placesOf = Effect.fnUntraced(function* (folder: string) {
  const { declaredBefore } = yield* Effect.promise(() => import("../../openclawPlugin/folder.ts"))
  const [from, to] = [inPackage("dist/openclaw-plugin"), resolve(folder)]
  if (!existsSync(from)) return yield* new UsageError({ message: `the plugin is not built: there is no ${from}` })
  const before = yield* Effect.promise(() => declaredBefore(to))
  if (to === resolve(from) || before === undefined) {
    return yield* new UsageError({
      message: `${to} was not written by this command: name a new folder, or one that it wrote`
    })
  }
  return { from, to, before }
})

const countsOf = (agents: Readonly<Record<string, ReadonlyArray<string>>>, { maxTools }: Settings) =>
  Object.entries(agents).map(([agent, { length }]) =>
    length > maxTools
      ? `${agent} has ${length}, more than maxTools (${maxTools}): it gets the single tool instead`
      : `${agent} has ${length}`
  )

export const plugin = Command.make(
  "plugin",
  {
    folder: Argument.String("folder").pipe(Argument.withDescription("The folder to write the plugin to")),
    openclaw: Flag.String("openclaw").pipe(
      Flag.withMetavar("PATH"),
      Flag.withDescription("OpenClaw's configuration file; without it, the one that OpenClaw would use"),
      Flag.optional
    )
  },
  Effect.fnUntraced(function* ({ folder, openclaw }) {
    const { json } = yield* root
    const settings = yield* settingsIn(Option.getOrUndefined(openclaw))
    const { before, from, to } = yield* placesOf(folder)
    const { agents, missing } = yield* untilStopped(toolsOf(settings))
    const { writeFolder } = yield* Effect.promise(() => import("../../openclawPlugin/folder.ts"))
    // Tools of a server that is down now stay declared.
    const names = [...Object.values(agents).flat(), ...(missing.length > 0 ? before : [])]
    const declared = yield* Effect.tryPromise({
      try: () => writeFolder(from, to, names),
      catch: (error) => new UsageError({ message: `${to} cannot be written: ${fileSystemSays(error)}` })
    })
    const ok = missing.length === 0
    if (json) {
      yield* printJson({ ok, folder: to, declared, agents, missing })
    } else {
      yield* print(
        [
          `${to}: ${declared.length} tools are declared; agent ${countsOf(agents, settings).join(", agent ")}.`,
          `To load it, set plugins.load.paths: [${JSON.stringify(to)}]; in a running gateway: openclaw plugins reload ${PLUGIN_ID}`
        ].join("\n")
      )
      for (const server of missing) yield* complain(`${visible(server)} is not available, so its tools are unknown`)
    }
    if (!ok) return yield* new ExitWith({ code: EXIT_FAILED })
  })
).pipe(
  Command.withDescription("Write the plugin for OpenClaw, with the tools of its servers declared by name"),
  Command.withShortDescription("Write the plugin for OpenClaw, with its tools declared by name")
)
