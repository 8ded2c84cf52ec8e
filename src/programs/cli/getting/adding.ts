/** The steps of `mcp-live add`, in their order: what it is, its values, what would be written, one start, and the file. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { prefixKey } from "../../../schemas/call/Names.ts"
import type { Entry } from "../../../schemas/config/clients/ImportPlan.ts"
import { addServer as withServer, isTaken } from "../../../schemas/config/EditServers.ts"
import type { GatewayConfig } from "../../../schemas/config/GatewayConfig.ts"
import type { OfferKind } from "../../../schemas/config/registry/OfferKinds.ts"
import { NAMED } from "../../../schemas/config/registry/ServerJson.ts"
import { serverNameProblem } from "../../../schemas/config/ServerBuild.ts"
import { type Keeper, SecretKeeper } from "../../../services/secret/SecretKeeper.ts"
import { moved } from "../clients/moving.ts"
import { shownLaunch } from "../../../schemas/config/ShownLaunch.ts"
import { shown, wrapped } from "../clients/shown.ts"
import { root, UsageError } from "../command.ts"
import { complain, print, printJson } from "../output.ts"
import { agreed, mayAsk } from "../questions/agreeing.ts"
import { answered, asAnswers, type Values } from "./answers.ts"
import { isBundle } from "./bundleName.ts"
import { bundleAt } from "./bundle.ts"
import { difference } from "./difference.ts"
import { type Given, preparedOf } from "./given.ts"
import { fromRegistry } from "./listed.ts"
import type { Prepared } from "./prepared.ts"
import { editable, type Editable } from "./target.ts"
import { showStarted, started } from "./started.ts"
import { refuse, writeEdit } from "./writing.ts"

export interface AddOptions extends Omit<Given, "name"> {
  readonly what: string
  readonly name: string | undefined
  readonly set: ReadonlyArray<string>
  readonly secrets: Keeper | "keep"
  readonly wanted: OfferKind | undefined
  readonly allowUnusual: boolean
  readonly yes: boolean
  readonly force: boolean
  readonly dryRun: boolean
  /** The configuration, if it is not the one that is used here. */
  readonly file?: string | undefined
}

const FORMS =
  "'mcp-live add NAME -- COMMAND…', 'mcp-live add NAME --url URL', a server of the registry such as io.github.user/server, or a .mcpb file"

const prepare = Effect.fnUntraced(function* (options: AddOptions) {
  const { allowPrivate, cwd, env, headers, url, wanted, what, words } = options
  if (words.length > 0 || url !== undefined) {
    const made = preparedOf({ name: what, words, url, headers, env, cwd, allowPrivate })
    return Result.isSuccess(made) ? made.success : yield* new UsageError({ message: made.failure })
  }
  if (headers.length > 0 || env.length > 0 || cwd !== undefined || allowPrivate) {
    return yield* new UsageError({
      message:
        "--env, --cwd, --header and --allow-private are for a command or --url; use --set for values that a server asks for"
    })
  }
  if (isBundle(what)) return yield* bundleAt(resolve(what))
  const isFile = existsSync(what)
  if (NAMED.test(what) && !isFile) return yield* fromRegistry(what, wanted)
  const hint = isFile ? "is a file, but not a bundle" : "is not the name of a server in the registry"
  return yield* new UsageError({ message: `'${what}' ${hint}: give ${FORMS}` })
})

/** Variables or headers; secrets are references here. */
const namedIn = (entry: Entry, key: "env" | "headers"): ReadonlyArray<string> =>
  Object.entries((entry[key] ?? {}) as Readonly<Record<string, string>>).map(([name, value]) => `${name}=${value}`)

/** One word, also where it has spaces in it. */
const asWord = (text: string): string => (/[\s"']/.test(text) || text === "" ? JSON.stringify(text) : text)

/**
 * The whole command, because what is hidden could be what matters. On the command line of the person are credentials, but nothing that they
 * do not know.
 */
const launchWords = (entry: Entry, isForeign: boolean): ReadonlyArray<string> => {
  const verb = entry["command"] === undefined ? "reaches" : "runs"
  if (!isForeign) return [`${verb}: ${shownLaunch(entry, Number.POSITIVE_INFINITY)}`]
  const words = [entry["command"] ?? entry["url"], ...((entry["args"] ?? []) as ReadonlyArray<unknown>)]
  const [env, headers] = [namedIn(entry, "env"), namedIn(entry, "headers")]
  return [
    `${verb}: ${words.map(String).map(asWord).join(" ")}`,
    ...(env.length === 0 ? [] : [`with: ${env.join(", ")}`]),
    ...(headers.length === 0 ? [] : [`sends: ${headers.join(", ")}`])
  ]
}

/** Says what it is and what will be run, before anything is. */
const present = Effect.fnUntraced(function* (prepared: Prepared, entry: Entry, values: Values) {
  const unset = prepared.questions.filter(({ key }) => !values.has(key)).map(({ key }) => key)
  const lines = [
    ...prepared.about,
    ...launchWords(entry, prepared.isForeign),
    ...(unset.length === 0 ? [] : [`not set: ${unset.join(", ")} (--set KEY=VALUE sets one)`]),
    ...prepared.unusual.map((reason) => `unusual: it ${reason}`)
  ]
  for (const line of lines) yield* print(wrapped(shown(line), "", "  "))
})

/** The server is added in any case: the person may want it so, and can change it later. */
const warnOfPrefix = Effect.fnUntraced(function* ({ agents }: GatewayConfig, name: string) {
  const servers = agents.flatMap((agent) => agent.servers)
  const keys = new Set(servers.filter((one) => one.name === name).map(({ toolPrefix }) => prefixKey(toolPrefix)))
  const same = new Set(
    servers.filter((one) => one.name !== name && keys.has(prefixKey(one.toolPrefix))).map((one) => one.name)
  )
  for (const other of same) {
    yield* complain(
      `the names of its tools begin like those of '${shown(other)}', and rules for one match both: give it another --name`
    )
  }
})

const consent = Effect.fnUntraced(function* (options: AddOptions, prepared: Prepared) {
  const { allowUnusual, yes } = options
  const isUnusual = prepared.unusual.length > 0 && !allowUnusual
  if (!prepared.isForeign || (yes && !isUnusual)) return
  if (yes) {
    const why = prepared.unusual.map((reason) => `it ${shown(reason)}`).join("; ")
    return yield* refuse(`nothing was written: ${why}. If that is meant, add --allow-unusual`)
  }
  if (!mayAsk())
    return yield* refuse(
      "nothing was written: there is no terminal to ask at; add --yes to start and add it, or --dry-run"
    )
  if (!(yield* agreed("Start it once, and add it? [y]es / [n]o: "))) return yield* refuse("nothing was written")
})

/** The entry as it is written, with what was stored for it. */
const entryOf = Effect.fnUntraced(function* (
  options: AddOptions,
  prepared: Prepared,
  name: string,
  values: Values,
  store: boolean
) {
  // What is only shown has references in any case.
  const keeps = store ? options.secrets : options.secrets === "keep" ? "file" : options.secrets
  const answers = yield* asAnswers(name, prepared.questions, values, keeps, store)
  const built = prepared.build(answers)
  if (Result.isFailure(built)) return { problem: `it cannot be added: ${built.failure}` }
  // What a person has written on the command line may hold credentials, too.
  const isFinal = options.secrets === "keep" || !store
  return { entry: isFinal ? built.success : yield* moved(name, built.success, options.secrets) }
})

/** Adds to `undo` how each new secret is removed, also if the next one cannot be stored. */
const remembering = (keeper: SecretKeeper["Service"], undo: Array<Effect.Effect<void>>): SecretKeeper["Service"] => ({
  ...keeper,
  keep: (...given) =>
    Effect.tap(keeper.keep(...given), ({ isNew, reference }) =>
      Effect.sync(() => {
        if (isNew) undo.push(keeper.forget(reference))
      })
    )
})

const checkName = Effect.fnUntraced(function* (name: string, { shown: file, text }: Editable) {
  const problem = serverNameProblem(name)
  if (problem !== undefined) return yield* new UsageError({ message: `'${shown(name)}': ${problem}` })
  if (isTaken(text, name)) {
    return yield* new UsageError({
      message: `there is a server '${name}' in ${file} already: remove it first ('mcp-live remove ${name}'), or give this one another name`
    })
  }
})

/** With `--dry-run`: the change, with references where secrets would be stored. */
const preview = Effect.fnUntraced(function* (
  options: AddOptions,
  prepared: Prepared,
  file: Editable,
  name: string,
  values: Values
) {
  const { json } = yield* root
  const made = yield* entryOf(options, prepared, name, values, false)
  if ("problem" in made) return yield* refuse(shown(made.problem))
  const { movableIn } = yield* Effect.promise(() => import("../../../schemas/config/clients/MoveCredentials.ts"))
  const { referenceFor } = yield* SecretKeeper
  let entry: Entry = made.entry
  for (let next = movableIn(entry)[0]; next !== undefined; next = movableIn(entry)[0]) {
    entry = next.replacedBy(
      referenceFor(options.secrets === "keychain" ? "keychain" : "file", { server: name, name: next.name })
    )
  }
  const edit = withServer(file.text, file.target, name, entry)
  if (Result.isFailure(edit)) return yield* refuse(edit.failure)
  yield* warnOfPrefix(edit.success.config, name)
  if (json) {
    return yield* printJson({
      file: file.target.path,
      name,
      written: false,
      about: prepared.about,
      unusual: prepared.unusual,
      entry
    })
  }
  yield* present(prepared, entry, values)
  yield* print(`${file.shown} would change:\n${difference(file.text, edit.success.text)}`)
  if (options.secrets === "keep")
    yield* complain("credentials would be written as they are; here they are shown as references")
})

export const addServer = Effect.fnUntraced(
  function* (options: AddOptions) {
    const { json } = yield* root
    if (json && !options.yes && !options.dryRun) {
      return yield* new UsageError({ message: "with --json nobody is asked: add --yes to write, or --dry-run" })
    }
    const file = yield* editable(options.file)
    const prepared: Prepared = yield* prepare(options)
    const name = options.name ?? prepared.name
    yield* checkName(name, file)
    const values = yield* answered(prepared.questions, {
      name,
      set: options.set,
      mayAsk: !options.yes && !options.dryRun && mayAsk()
    })
    if (options.dryRun) return yield* preview(options, prepared, file, name, values)
    const undo: Array<Effect.Effect<void>> = []
    const keeper = yield* SecretKeeper
    let isWritten = false
    yield* Effect.gen(function* () {
      // Shown with references, so that no secret is on the screen.
      const planned = yield* entryOf(options, prepared, name, values, false)
      if ("problem" in planned) return yield* refuse(shown(planned.problem))
      const tried = withServer(file.text, file.target, name, planned.entry)
      if (Result.isFailure(tried)) return yield* refuse(shown(tried.failure))
      if (!json) yield* present(prepared, planned.entry, values)
      yield* warnOfPrefix(tried.success.config, name)
      yield* consent(options, prepared)
      if (prepared.install !== undefined) undo.push(yield* prepared.install)
      const made = yield* entryOf(options, prepared, name, values, true).pipe(
        Effect.provideService(SecretKeeper, remembering(keeper, undo))
      )
      if ("problem" in made) return yield* refuse(shown(made.problem))
      const edit = (text: string) => withServer(text, file.target, name, made.entry)
      const edited = edit(file.text)
      if (Result.isFailure(edited)) return yield* refuse(edited.failure)
      const outcome = yield* started(edited.success.config, file.target.agent, name, options)
      // What is in the file must not be removed again, also if the person ends the command now.
      const { path, words } = yield* Effect.uninterruptible(
        Effect.tap(writeEdit(file, edit), () => Effect.sync(() => void (isWritten = true)))
      )
      if (json)
        return yield* printJson({
          file: path,
          name,
          written: true,
          about: prepared.about,
          ...showStarted(outcome).document
        })
      yield* print(words)
      yield* showStarted(outcome).print
    }).pipe(
      Effect.ensuring(
        Effect.suspend(() =>
          isWritten ? Effect.void : Effect.forEach(undo.toReversed(), (one) => one, { discard: true })
        )
      )
    )
  },
  Effect.catchTags({
    RegistryFailed: ({ message }) => refuse(message),
    BundleFailed: ({ message }) => refuse(`the bundle cannot be unpacked: ${message}`),
    SecretNotKept: ({ message }) => refuse(message)
  })
)
