/**
 * `mcp-live init`: makes the first configuration, in up to three steps: the servers of other programs, more servers, a model. It never changes a
 * configuration that is there.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Command from "effect/cli/Command"
import { existsSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { CLIENTS } from "../../../schemas/config/clients/ClientNames.ts"
import { dataDirectory } from "../../../schemas/config/DataDirectory.ts"
import type { Keeper } from "../../../services/secret/SecretKeeper.ts"
import { readText } from "../../../system/configFile.ts"
import { isOpenclaws } from "../../../system/openclawFile.ts"
import { editSettings } from "../../../system/settingsFile.ts"
import { EXIT_FAILED, ExitWith, root, UsageError } from "../command.ts"
import { optionalText, yesFlag } from "../commonFlags.ts"
import { importInto } from "../clients/import.ts"
import { lineWidth, shownFile, wrapped } from "../clients/shown.ts"
import { complain, print, printJson } from "../output.ts"
import { mayAsk, ownFloor } from "../questions/agreeing.ts"
import { untilStopped } from "../signals.ts"
import { dryRunFlag, gettingLayers, registryFlag, registryUrl, secretsFlag } from "./add.ts"
import { isNone, serverTyped } from "./serverTyped.ts"
import { fileUsed } from "./target.ts"
import { refuse } from "./writing.ts"

const FIRST = `{
  // Add servers with 'mcp-live add' and 'mcp-live import'; 'mcp-live schema' has all keys.
  "mcp": { "servers": {} }
}
`

/** The text with a model, if it can be one. */
const withModel = Effect.map(
  Effect.promise(() =>
    Promise.all([
      import("../../../schemas/config/JsoncEdit.ts"),
      import("../../../schemas/config/clients/AddServers.ts")
    ])
  ),
  ([{ withValue }, { meant }]) =>
    (before: string, path: string, model: string): Result.Result<string, string> =>
      !/^[a-z][\w-]*\/./i.test(model)
        ? Result.fail("a model is written as PROVIDER/MODEL, such as openai/gpt-5")
        : Result.flatMap(withValue(before === "" ? FIRST : before, ["agents", "defaults", "model"], model), (after) =>
            Result.map(meant(after, path, { env: process.env, home: homedir() }), () => after)
          )
)

const firstText = Effect.fnUntraced(function* (path: string, model: string | undefined) {
  if (model === undefined) return FIRST
  const text = (yield* withModel)("", path, model)
  return Result.isSuccess(text) ? text.success : yield* new UsageError({ message: `--model: ${text.failure}` })
})

/** Only where there is nothing yet. */
const writeFirst = Effect.fnUntraced(function* (path: string, text: string) {
  const { outcome } = yield* editSettings(path, (before) =>
    before === "" ? Result.succeed(text) : Result.fail(`${path} is there already`)
  ).pipe(Effect.catch((message) => refuse(message)))
  return outcome
})

const ask = (question: string) => ownFloor()((dialogue) => dialogue.ask(question))

const SERVERS_ASKED =
  "A server to add? A name of the registry (io.github.user/server), a .mcpb file, an address, or a command such as 'npx -y some-server@1.2.3'. Enter: none."

/** Until nothing more is typed. What cannot be added is said, and asked again. */
const addSome = Effect.fnUntraced(function* (file: string, secrets: Keeper | "keep") {
  const { addServer } = yield* Effect.promise(() => import("./adding.ts"))
  for (;;) {
    yield* print(`\n${wrapped(SERVERS_ASKED, "", "")}`)
    const line = yield* ask("Server: ")
    if (isNone(line)) return
    const typed = serverTyped(line)
    if (Result.isFailure(typed)) {
      yield* complain(typed.failure)
      continue
    }
    yield* addServer({
      ...typed.success,
      name: undefined,
      headers: [],
      env: [],
      cwd: undefined,
      allowPrivate: false,
      set: [],
      secrets,
      wanted: undefined,
      allowUnusual: false,
      yes: false,
      force: false,
      dryRun: false,
      file
    }).pipe(
      Effect.catchTags({
        ExitWith: () => Effect.void,
        UsageError: ({ message }) => complain(message)
      })
    )
  }
})

const MODEL_ASKED =
  "A model for the built-in agent? Such as openai/gpt-5 or ollama/qwen3; servers work without one. Enter: none."

/** Returns why it cannot be the model. */
const setModel = Effect.fnUntraced(function* (path: string, model: string) {
  const edit = yield* withModel
  const edited = editSettings(path, (before) => edit(before, path, model))
  return yield* Effect.match(edited, { onFailure: (message) => message, onSuccess: () => undefined })
})

const askModel = Effect.fnUntraced(function* (path: string) {
  for (;;) {
    yield* print(`\n${wrapped(MODEL_ASKED, "", "")}`)
    const model = yield* ask("Model: ")
    const problem = isNone(model) ? undefined : yield* setModel(path, model)
    if (problem === undefined) return
    yield* complain(problem)
  }
})

const NOTHING = "  none: no other program has MCP servers here"

const interactive = Effect.fnUntraced(function* (path: string, secrets: Keeper | "keep", model: string | undefined) {
  const file = shownFile(path, homedir())
  yield* print(wrapped(`This makes ${file}. Ctrl-C ends at any time; what was written until then stays.`, "", ""))
  yield* print("\nServers of other programs:")
  yield* importInto({ target: path, clients: CLIENTS, secrets, yes: false, dryRun: false, ifNothing: NOTHING })
  yield* addSome(path, secrets)
  if (model === undefined) yield* askModel(path)
  else yield* setModel(path, model)
  if (!existsSync(path)) yield* writeFirst(path, FIRST)
})

const NEXT =
  "Next: 'mcp-live tools' lists the tools, 'mcp-live call SERVER/TOOL' calls one, 'mcp-live start' talks to an agent."

const NEXT_EMPTY = "Next: 'mcp-live add' adds a server, 'mcp-live import' takes those of other programs."

const nextFor = Effect.fnUntraced(function* (path: string) {
  const { parsed, serversIn } = yield* Effect.promise(() => import("../../../schemas/config/clients/AddServers.ts"))
  const text = yield* Effect.orElseSucceed(readText(path, path), () => "")
  return wrapped(serversIn(parsed(text)).size === 0 ? NEXT_EMPTY : NEXT, "", "", lineWidth())
})

export const init = Command.make(
  "init",
  {
    model: optionalText("model", "MODEL", "The model of the built-in agent, such as openai/gpt-5"),
    secrets: secretsFlag,
    registry: registryFlag,
    yes: yesFlag("Write a minimal configuration without asking"),
    dryRun: dryRunFlag
  },
  Effect.fnUntraced(function* ({ dryRun, registry, secrets, yes, ...flags }) {
    const { json } = yield* root
    const home = homedir()
    const used = yield* fileUsed()
    const path = isOpenclaws(used) ? join(dataDirectory(), "openclaw.json") : used
    const file = shownFile(path, home)
    const model = Option.getOrUndefined(flags.model)
    if (existsSync(path)) {
      return yield* refuse(
        `there is a configuration already: ${file}. 'mcp-live add' and 'mcp-live import' add servers to it`
      )
    }
    const text = yield* firstText(path, model)
    if (dryRun)
      return yield* json ? printJson({ file: path, written: false, text }) : print(`${file} would be:\n${text}`)
    if (yes) {
      yield* writeFirst(path, text)
      if (json) return yield* printJson({ file: path, written: true })
      return yield* print(`${file} is written\n${wrapped(NEXT_EMPTY, "", "", lineWidth())}`)
    }
    if (json || !mayAsk()) {
      yield* complain(
        "nothing was written: there is no terminal to ask at. 'mcp-live init --yes' writes a minimal configuration (--model sets the model), 'mcp-live import --yes' takes the servers of other programs, 'mcp-live add io.github.user/server --yes' adds one of the registry"
      )
      return yield* new ExitWith({ code: EXIT_FAILED })
    }
    yield* interactive(path, secrets, model).pipe(
      Effect.catchTag("Dismissed", () => refuse("ended")),
      Effect.provide(gettingLayers(yield* registryUrl(registry))),
      untilStopped
    )
    yield* print(`\n${file} is there.\n${yield* nextFor(path)}`)
  })
).pipe(
  Command.withDescription(
    "Make the first configuration: take the servers of other programs, add servers, choose a model. Never changes one that is there"
  ),
  Command.withShortDescription("Make the first configuration")
)
