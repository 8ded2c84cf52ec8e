/** Lists, gets and completes the prompts of one agent. Names are resolved with a map, like those of tools. */
import * as Effect from "effect/Effect"
import { ARGUMENTS_MAX_CHARS } from "../../../schemas/defaults/CallLimits.ts"
import { TOOL_NAME_MAX_CHARS } from "../../../schemas/defaults/Definitions.ts"
import { SHOWN_URI_MAX_CHARS } from "../../../schemas/defaults/Texts.ts"
import { exceeds } from "../../../schemas/data/Json.ts"
import { InvalidArguments, PolicyDenied, PromptNotFound, ResourceNotFound } from "../../../schemas/call/CallError.ts"
import { ProtocolError } from "../../../schemas/connection/RequestError.ts"
import { namePrefix, nearest, nearestInTurns } from "../../../schemas/call/Names.ts"
import type { AgentPrompt, Completion, CompletionArgument, CompletionRef } from "../../../schemas/content/Prompt.ts"
import { makeUriFilter } from "../../../schemas/content/ResourceUri.ts"
import { inLine } from "../../../schemas/content/ServerText.ts"
import { TOO_LONG } from "../../../schemas/call/ToolArguments.ts"
import type { AskOptions, McpRuntimeShape } from "../../../services/call/McpRuntime.ts"
import type { Admit } from "./admit.ts"
import { inTurns } from "../../../system/inTurns.ts"
import { bringUp, isUnknown } from "./late.ts"
import { makePromptView, type PromptViewOptions, type Route } from "./promptView.ts"
import { ofSameParts } from "./sameParts.ts"
import type { Guard } from "./secretArguments.ts"
import type { Standings } from "./standing.ts"
import type { AgentServer } from "./AgentServer.ts"

export interface PromptsOptions extends PromptViewOptions {
  /** Checks what is about to be sent. */
  readonly guard: Guard
  readonly admit: Admit
  readonly standings: Pick<Standings, "refusedAt" | "unstarted">
}

export type Prompts = Pick<McpRuntimeShape, "prompts" | "getPrompt" | "complete">

const METHOD_NOT_FOUND = -32601
const INVALID_PARAMS = -32602

const NO_SUGGESTIONS: Completion = { values: [], total: undefined, hasMore: false }

export const makePrompts = (options: PromptsOptions): Prompts => {
  const { admit, bridge, guard, naming, sanitizer, servers, standings } = options
  const view = makePromptView(options)
  // The requested name may be text of a server that a model repeats.
  const shown = (words: string, maxChars?: number) => inLine(words, sanitizer.label, maxChars)
  const notFound = (name: string, suggestion: string | null) => new PromptNotFound({ prompt: shown(name), suggestion })

  const promptsOf = ofSameParts((routes: ReadonlyArray<Route>) => routes.map(({ prompt }) => prompt))

  // ---- names -------------------------------------------------------------------------------------------------------

  const find = (name: string): Route | undefined => {
    const { byName, byOwnName } = view()
    const own = byOwnName.get(name)
    return byName.get(name) ?? (own?.length === 1 ? own[0] : undefined)
  }

  const isListed = ({ withheld }: Route) => withheld === undefined
  const refusedAt = ({ config }: AgentServer, asked: AskOptions | undefined) =>
    standings.refusedAt(asked?.caller, config.name)

  /** Starts servers whose lists are unknown, without those of the caller's own of which they may use nothing. */
  const bringUpFor = (asked: AskOptions | undefined, some: ReadonlyArray<AgentServer>) =>
    bringUp(some.filter((server) => standings.unstarted(asked?.caller, server) === undefined))

  const route = Effect.fnUntraced(function* (name: string, asked: AskOptions | undefined) {
    const found = yield* known(name, asked)
    const { prompt, server } = found
    const withheld = found.withheld ?? refusedAt(server, asked)
    return withheld === undefined ? found : yield* new PolicyDenied({ tool: prompt.name, rule: withheld.rule })
  })

  const known = Effect.fnUntraced(function* (name: string, asked: AskOptions | undefined) {
    // Untyped programs call this, too.
    if (typeof name !== "string") return yield* notFound("", null)
    const present = find(name)
    if (present !== undefined) return present
    const isOpen = ({ server }: Route) => refusedAt(server, asked) === undefined
    const homonyms = (view().byOwnName.get(name) ?? []).filter(isOpen)
    if (homonyms.length === 1) return homonyms[0]!
    if (homonyms.length > 0) return yield* notFound(name, homonyms.map(({ prompt }) => prompt.name).join("' or '"))
    const owners = servers().filter(({ config }) =>
      [namePrefix(naming, config.toolPrefix), `${config.name}/`].some((beginning) => name.startsWith(beginning))
    )
    const [failed, anyFailed] = yield* Effect.all([bringUpFor(asked, owners), bringUpFor(asked, servers())], {
      concurrency: 2
    })
    const late = find(name)
    if (late !== undefined) return late
    const denied = owners
      .filter(isUnknown)
      .map((server) => standings.unstarted(asked?.caller, server))
      .find((each) => each !== undefined)
    if (failed === undefined && denied !== undefined) {
      return yield* new PolicyDenied({ tool: shown(name), rule: denied.rule })
    }
    const offered = view().routes.filter((route) => isListed(route) && isOpen(route))
    const failure = failed ?? (offered.length === 0 ? anyFailed : undefined)
    if (failure !== undefined) return yield* failure
    const { byOwnName } = view()
    // People and models also use the server's own name, which is not cleaned.
    const names = new Map([
      ...offered
        .map((each) => [each.definition.name, each] as const)
        .filter(([own]) => byOwnName.get(own)?.length === 1),
      ...offered.map((each) => [each.prompt.name, each] as const)
    ])
    const near = yield* inTurns(nearestInTurns(name, names.keys()))
    return yield* notFound(name, near === null ? null : names.get(near)!.prompt.name)
  })

  // ---- arguments ---------------------------------------------------------------------------------------------------

  /** The arguments under the names that the server gave them. */
  const argumentsFor = (
    { definition, prompt }: Route,
    given: Readonly<Record<string, unknown>>
  ): Readonly<Record<string, string>> | InvalidArguments => {
    const invalid = (detail: string) => new InvalidArguments({ tool: prompt.name, detail })
    if (exceeds(given, ARGUMENTS_MAX_CHARS)) return invalid(TOO_LONG)
    const declared = new Map(definition.arguments.map(({ name }) => [name, name]))
    for (const [i, { name }] of prompt.arguments.entries()) {
      if (!declared.has(name)) declared.set(name, definition.arguments[i]!.name)
    }
    const values = new Map<string, string>()
    for (const [name, value] of Object.entries(given)) {
      const own = declared.get(name)
      if (own === undefined) return invalid(unknownArgument(name, shown(name), prompt))
      if (typeof value !== "string") return invalid(`'${shown(name)}' is not a text`)
      values.set(own, value)
    }
    const missing = prompt.arguments.filter(({ required }, i) => required && !values.has(definition.arguments[i]!.name))
    return missing.length === 0
      ? Object.fromEntries(values)
      : invalid(`missing: ${missing.map(({ name }) => `'${name}'`).join(", ")}`)
  }

  // ---- requests ----------------------------------------------------------------------------------------------------

  const request = (server: AgentServer, method: string, params: Record<string, unknown>, asked?: AskOptions) => {
    const { requestOptions, supervised } = server
    const requested = () => supervised.use((connection) => connection.request(method, params, requestOptions))
    return admit(server, asked, requested)
  }

  const completionTarget = Effect.fnUntraced(function* (
    ref: CompletionRef,
    argument: string,
    asked: AskOptions | undefined
  ) {
    if (ref.type === "prompt") {
      const target = yield* route(ref.name, asked)
      const i = target.prompt.arguments.findIndex(({ name }) => name === argument)
      return {
        server: target.server,
        ref: { type: "ref/prompt", name: target.definition.name },
        argument: target.definition.arguments[i]?.name ?? argument
      }
    }
    const uri = ref.uriTemplate
    const candidates = () =>
      servers().flatMap((server) => {
        const { name, resourceFilter, resources } = server.config
        if (refusedAt(server, asked) !== undefined) return []
        if (!resources || (ref.server !== undefined && ref.server !== name)) return []
        const templates = server.supervised.snapshot().catalogue?.resourceTemplates ?? []
        const isListed = templates.some((own) => own.uri === uri) && makeUriFilter(resourceFilter).admitsTemplate(uri)
        return isListed ? [server] : []
      })
    if (candidates().length === 0) yield* bringUpFor(asked, servers())
    const found = candidates()
    if (found.length === 1) return { server: found[0]!, ref: { type: "ref/resource", uri }, argument }
    const names = found.map(({ config }) => `'${config.name}'`).join(", ")
    return yield* new ResourceNotFound({
      uri: shown(uri, SHOWN_URI_MAX_CHARS),
      detail: found.length === 0 ? "no server has this template" : `${names} have this template: name one of them`
    })
  })

  return {
    prompts: Effect.sync(() =>
      promptsOf(
        view().routes.filter((route) => isListed(route) && route.server.supervised.snapshot().state._tag !== "Failed")
      )
    ),
    getPrompt: Effect.fn("McpRuntime.getPrompt")(function* (
      name: string,
      given?: Readonly<Record<string, string>>,
      asked?: AskOptions
    ) {
      const target = yield* route(name, asked)
      const args = argumentsFor(target, given ?? {})
      if (args instanceof InvalidArguments) return yield* args
      const { config } = target.server
      yield* guard(config, target.prompt.name, given)
      const params = { name: target.definition.name, arguments: args }
      const raw = yield* request(target.server, "prompts/get", params, asked)
      const origin = { server: config.name, prompt: target.prompt.prompt, content: config.content }
      const result = bridge.toResult(raw, origin, config.budget)
      if (result !== undefined) return result
      const detail = "it answered prompts/get with no messages"
      return yield* new ProtocolError({ server: config.name, code: null, detail, isOurs: true })
    }),
    complete: Effect.fn("McpRuntime.complete")(function* (
      ref: CompletionRef,
      argument: CompletionArgument,
      asked?: AskOptions
    ) {
      const target = yield* completionTarget(ref, argument.name, asked)
      if (target.server.supervised.snapshot().catalogue?.offers.completions !== true) return NO_SUGGESTIONS
      const { others = {} } = argument
      yield* guard(target.server.config, ref.type === "prompt" ? ref.name : ref.uriTemplate, {
        ...others,
        [argument.name]: argument.value
      })
      const params = {
        ref: target.ref,
        argument: { name: target.argument, value: argument.value },
        ...(Object.keys(others).length === 0 ? {} : { context: { arguments: others } })
      }
      return yield* request(target.server, "completion/complete", params, asked).pipe(
        Effect.map((raw) => bridge.toCompletion(raw, target.server.config.content)),
        // A server that does not support completion here has no suggestions.
        Effect.catchIf(
          (error) =>
            error._tag === "ProtocolError" && (error.code === METHOD_NOT_FOUND || error.code === INVALID_PARAMS),
          () => Effect.succeed(NO_SUGGESTIONS)
        )
      )
    })
  }
}

const unknownArgument = (given: string, name: string, { arguments: known }: AgentPrompt): string => {
  if (known.length === 0) return `'${name}' is unknown: there are no arguments`
  const near =
    given.length > TOOL_NAME_MAX_CHARS
      ? null
      : nearest(
          given,
          known.map((argument) => argument.name)
        )
  return near === null
    ? `'${name}' is unknown; there are: ${known.map((argument) => `'${argument.name}'`).join(", ")}`
    : `'${name}' is unknown, did you mean '${near}'?`
}
