/** `mcp-live remove`, `enable` and `disable`: change what the configuration says of one server. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import type { Edit, Target } from "../../../schemas/config/EditServers.ts"
import { EXIT_USAGE, root, UsageError } from "../command.ts"
import { onlyShowFlag, yesFlag } from "../commonFlags.ts"
import { print, printJson } from "../output.ts"
import { untilStopped } from "../signals.ts"
import { dryRunFlag, forceFlag, startFlag } from "./add.ts"
import { difference } from "./difference.ts"
import { editable, type Editable } from "./target.ts"
import { showStarted, started } from "./started.ts"
import { refuse, writeEdit } from "./writing.ts"

const nameArgument = Argument.String("name").pipe(
  Argument.withDescription("The name of the server in the configuration")
)

/** Loaded here, because only these commands need them. */
const edits = Effect.promise(() => import("../../../schemas/config/EditServers.ts"))

type Change = (text: string, target: Target, name: string) => Result.Result<Edit, string>

const existing = Effect.fnUntraced(function* () {
  const file = yield* editable()
  return file.isThere
    ? file
    : yield* new UsageError({ message: `there is no configuration yet: ${file.shown} does not exist` })
})

/** The edit of the file as it is now; an unknown server is wrong usage. */
const planned = Effect.fnUntraced(function* (file: Editable, change: Change, name: string) {
  const edit = change(file.text, file.target, name)
  return Result.isSuccess(edit) ? edit.success : yield* refuse(edit.failure, EXIT_USAGE)
})

const preview = Effect.fnUntraced(function* (file: Editable, name: string, { text }: Edit) {
  const { json } = yield* root
  const lines = difference(file.text, text)
  if (json) return yield* printJson({ file: file.target.path, name, written: false, difference: lines })
  yield* print(text === file.text ? `nothing to change in ${file.shown}` : `${file.shown} would change:\n${lines}`)
})

/** For scripts that give it to each command. */
const noQuestion = yesFlag("Has no effect: this command never asks. Scripts may give it to all commands")

const changing = (chosen: Effect.Effect<Change>) =>
  Effect.fnUntraced(function* ({ dryRun, name }: { readonly dryRun: boolean; readonly name: string }) {
    const { json } = yield* root
    const change = yield* chosen
    const file = yield* existing()
    const edit = yield* planned(file, change, name)
    if (dryRun) return yield* preview(file, name, edit)
    const { outcome, path, words } = yield* writeEdit(file, (text) => change(text, file.target, name))
    yield* json ? printJson({ file: path, name, written: outcome === "written" }) : print(words)
  })

export const remove = Command.make(
  "remove",
  { name: nameArgument, yes: noQuestion, dryRun: onlyShowFlag },
  Effect.fnUntraced(function* (flags) {
    const { json } = yield* root
    yield* changing(Effect.map(edits, ({ removeServer }) => removeServer))(flags)
    if (flags.dryRun || json) return
    yield* print(`Its pins and stored secrets stay: 'mcp-live pins forget ${flags.name}' forgets the pins.`)
  })
).pipe(
  Command.withDescription("Remove a server from the configuration; with --agent, only what that agent says of it"),
  Command.withShortDescription("Remove a server from the configuration")
)

const switched = (on: boolean): Effect.Effect<Change> =>
  Effect.map(
    edits,
    ({ switchServer }) =>
      (text, target, name) =>
        switchServer(text, target, name, on)
  )

export const disable = Command.make(
  "disable",
  { name: nameArgument, yes: noQuestion, dryRun: onlyShowFlag },
  Effect.fnUntraced(function* (flags) {
    const { json } = yield* root
    yield* changing(switched(false))(flags)
    if (flags.dryRun || json) return
    yield* print(`'${flags.name}' is disabled; 'mcp-live enable ${flags.name}' enables it again.`)
  })
).pipe(
  Command.withDescription("Disable a server in the configuration, for all agents or for --agent; 'enable' undoes it"),
  Command.withShortDescription("Disable a server in the configuration")
)

export const enable = Command.make(
  "enable",
  { name: nameArgument, yes: startFlag, force: forceFlag, dryRun: dryRunFlag },
  Effect.fnUntraced(function* ({ dryRun, force, name, yes }) {
    const { json } = yield* root
    const file = yield* existing()
    const change = yield* switched(true)
    const edit = yield* planned(file, change, name)
    if (dryRun) return yield* preview(file, name, edit)
    const outcome = yield* started(edit.config, file.target.agent, name, { force, yes })
    const { outcome: edited, path, words } = yield* writeEdit(file, (text) => change(text, file.target, name))
    if (json)
      return yield* printJson({ file: path, name, written: edited === "written", ...showStarted(outcome).document })
    yield* print(words)
    yield* showStarted(outcome).print
  }, untilStopped)
).pipe(
  Command.withDescription("Enable a server of the configuration: start it once, show its tools, and pin them"),
  Command.withShortDescription("Enable a server of the configuration")
)
