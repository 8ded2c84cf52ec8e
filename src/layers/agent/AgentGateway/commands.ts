/**
 * The direct commands that a person types. They work in every entry point, with or without a model. The built-in model never
 * sees them; only the prompt that `/prompt` fills in is sent to it, as a message of the person who chose it. If another model
 * typed the command, texts of servers stand between boundaries.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { AgentEvent } from "../../../schemas/agent/AgentEvent.ts"
import { DIRECT_COMMANDS } from "../../../schemas/agent/DirectCommands.ts"
import type { Look, Reader } from "../../../schemas/call/Look.ts"
import { nearest } from "../../../schemas/call/Names.ts"
import type { PromptResult } from "../../../schemas/content/Prompt.ts"
import {
  renderContent,
  renderFailures,
  renderMessages,
  renderPrompts,
  renderResources,
  renderStatus,
  renderTemplates,
  renderTools,
  type StatusMap
} from "../../../schemas/content/Rendering.ts"
import type { ToolResult } from "../../../schemas/call/Tool.ts"
import { parseLine, parseTextLine } from "../../../schemas/call/ToolArguments.ts"
import {
  lackingWords,
  renderMeant,
  toolNamed,
  typingOf,
  unknownWords,
  unreadWords
} from "../../../schemas/call/ToolSignature.ts"
import type { McpRuntimeShape } from "../../../services/call/McpRuntime.ts"
import { toolCall, type Calls } from "./toolCall.ts"

export interface Command {
  readonly name: string
  /** The rest of the line. */
  readonly rest: string
}

/** `/word …`; a path such as `/etc/hosts` is not a command. */
export const parseCommand = (message: string): Command | undefined => {
  const match = /^\/([A-Za-z]+)(?:\s+([\s\S]*))?$/.exec(message.trim())
  return match === null ? undefined : { name: match[1]!.toLowerCase(), rest: (match[2] ?? "").trim() }
}

export interface CommandContext {
  readonly runtime: McpRuntimeShape
  readonly calls: Calls
  readonly emit: (event: AgentEvent) => Effect.Effect<unknown>
  /** Returns a new id for a direct tool call. */
  readonly nextId: () => string
  readonly forget: () => void
  /** Makes one clean line of an error of a server. */
  readonly clean: (text: string) => string
  /** Who reads what the command prints. */
  readonly reader: Reader
  /** How results of calls are shown. Default: as an agent gets them. */
  readonly look: Look | undefined
  /** Wraps text that contains words of servers, if the reader needs boundaries. */
  readonly shown: (text: string) => string
  /** Whether there is a model for prompts. */
  readonly hasModel: boolean
  /** The longest line of a listing, in characters. */
  readonly columns: number
}

const USAGE_CHARS = 36

/** The description of each command, next to its usage, or below it on a narrow terminal. */
const help = (columns: number): string =>
  [...DIRECT_COMMANDS, { name: "quit", usage: "", about: "leave, on a terminal" }]
    .flatMap(({ about, name, usage }) => {
      const begin = `/${name} ${usage}`.trimEnd()
      const beside = `${begin.padEnd(USAGE_CHARS)} ${about}`
      return beside.length <= columns ? [beside] : [begin, `    ${about}`]
    })
    .join("\n")

/** What remains to be done: a prompt for the model, or nothing. */
type Left = PromptResult | undefined
type Run = (rest: string, context: CommandContext) => Effect.Effect<Left>

const text = (context: CommandContext, lines: string) =>
  Effect.as(context.emit({ _tag: "Text", delta: `${lines}\n` }), undefined)
const notice = (context: CommandContext, sentence: string) =>
  Effect.as(context.emit({ _tag: "Notice", text: sentence }), undefined)
/** Reports that the command failed. */
const refuse = (context: CommandContext, sentence: string) =>
  Effect.as(context.emit({ _tag: "Notice", text: sentence, failed: true }), undefined)

/** Names and descriptions are cleaned, but they are still the server's text. */
const listing = (context: CommandContext, lines: string) => text(context, context.shown(lines))
const failure = (context: CommandContext, { message }: Pick<Error, "message">) =>
  refuse(context, context.shown(context.clean(message)))

/** People also type `list` for everything. */
const wantsAll = (rest: string) => rest === "" || /^list$/i.test(rest)

/** Filters a listing. */
const holding = (rest: string) => {
  const wanted = wantsAll(rest) ? "" : rest.toLowerCase()
  return (...texts: ReadonlyArray<string>) => texts.some((each) => each.toLowerCase().includes(wanted))
}

/** Listing the tools starts lazy servers, and waits briefly for those that are starting. */
const heard = ({ runtime }: CommandContext) => runtime.tools

const listTools: Run = Effect.fnUntraced(function* (rest, context) {
  yield* heard(context)
  const all = yield* context.runtime.allTools
  if (wantsAll(rest)) return yield* listing(context, renderTools(all, context.columns))
  return yield* listing(context, renderMeant(all, rest, context.columns))
})

const listResources: Run = Effect.fnUntraced(function* (rest, context) {
  const matches = holding(rest)
  const about = ({ description, name }: { readonly description: string; readonly name: string }) => [name, description]
  const resources = (yield* context.runtime.resources).filter((one) => matches(one.uri, ...about(one)))
  const templates = (yield* context.runtime.resourceTemplates).filter((one) => matches(one.uriTemplate, ...about(one)))
  const tables = [
    ...(resources.length > 0 || templates.length === 0 ? [renderResources(resources, context.columns)] : []),
    ...(templates.length > 0 ? [renderTemplates(templates, context.columns)] : [])
  ]
  return yield* listing(context, tables.join("\n\n"))
})

const readResource: Run = Effect.fnUntraced(function* (rest, context) {
  const [uri = "", server] = rest.split(/\s+/)
  if (uri === "") return yield* refuse(context, "Usage: /read <uri> [server]; /resources lists what there is")
  return yield* context.runtime.readResource(uri, server).pipe(
    Effect.flatMap(({ content }) => text(context, renderContent(content))),
    Effect.catch((error) => failure(context, error))
  )
})

const showContext: Run = Effect.fnUntraced(function* (_, context) {
  yield* heard(context)
  const block = yield* context.runtime.resourceContext
  return yield* block === "" ? notice(context, "No server has a resource for the context.") : text(context, block)
})

const listPrompts: Run = Effect.fnUntraced(function* (rest, context) {
  const matches = holding(rest)
  const prompts = (yield* context.runtime.prompts).filter(({ description, name }) => matches(name, description))
  return yield* listing(context, renderPrompts(prompts, context.columns))
})

const usePrompt: Run = Effect.fnUntraced(function* (rest, context) {
  const [, name = "", line = ""] = /^(\S*)\s*([\s\S]*)$/.exec(rest) ?? []
  if (name === "") return yield* refuse(context, "Usage: /prompt <name> key=value …; /prompts lists what there is")
  const args = parseTextLine(line)
  if (Result.isFailure(args)) return yield* refuse(context, `/prompt ${name}: ${args.failure}`)
  return yield* context.runtime.getPrompt(name, args.success).pipe(
    Effect.flatMap((filled): Effect.Effect<Left> => {
      if (!context.hasModel) return text(context, renderMessages(filled.messages))
      const asking = notice(context, `Asking with the prompt '${filled.prompt}' of '${filled.server}'.`)
      return Effect.as(asking, filled)
    }),
    Effect.catch((error) => {
      const isUnlike = error._tag === "PromptNotFound" && error.suggestion === null
      return failure(context, isUnlike ? { message: `${error.message} /prompts lists them.` } : error)
    })
  )
})

/** `server/tool` of these servers. */
const ownersOf = (servers: StatusMap, name: string): StatusMap =>
  Object.fromEntries(Object.entries(servers).filter(([server]) => name.startsWith(`${server}/`)))

/** The tool of this name. Its server may still be starting: then that is waited for. */
const toolMeant = Effect.fnUntraced(function* (name: string, context: CommandContext) {
  const { allTools, changes, status } = context.runtime
  const find = Effect.map(allTools, (all) => toolNamed(all, name))
  const found = yield* find
  if (found !== undefined) return found
  yield* heard(context)
  const starting = Effect.map(status, (servers) =>
    Object.entries(ownersOf(servers, name)).flatMap(([server, { state }]) => (state === "Connecting" ? [server] : []))
  )
  const [server] = yield* starting
  if (server !== undefined) {
    yield* notice(context, `Waiting for '${server}', which is starting.`)
    const isDone = Effect.map(starting, (left) => left.length === 0)
    yield* Stream.runHead(Stream.filterEffect(changes, () => isDone))
  }
  return yield* find
})

/** For a person; the text of the result is written for a model. */
const tellUnknown = Effect.fnUntraced(function* (name: string, context: CommandContext) {
  const failures = renderFailures(ownersOf(yield* context.runtime.status, name))
  const words = unknownWords(yield* context.runtime.allTools, name, "/tools").replace(/^n/, "N")
  return yield* refuse(context, context.shown(failures.length > 0 ? failures.join("\n") : words))
})

const callTool: Run = Effect.fnUntraced(function* (rest, context) {
  const [, name = "", line = ""] = /^(\S*)\s*([\s\S]*)$/.exec(rest) ?? []
  if (name === "") return yield* refuse(context, 'Usage: /call <tool> {"key": "value"}, or /call <tool> key=value …')
  const tool = yield* toolMeant(name, context)
  const args = parseLine(line, typingOf(tool))
  if (Result.isFailure(args))
    return yield* refuse(context, unreadWords(`/call ${name}: ${args.failure}`, name, "/tools"))
  const id = context.nextId()
  const exposed = tool?.name ?? name
  yield* context.emit(toolCall(id, exposed, args.success, tool))
  const { look, reader } = context
  const result = yield* context.calls({ id, name: exposed }, args.success, { look, reader })
  yield* context.emit({ _tag: "ToolResult", id, name: exposed, result })
  if (isUnknown(result)) return yield* tellUnknown(name, context)
  const lacking = result.isError && tool !== undefined ? lackingWords(tool, args.success, "/tools") : undefined
  yield* text(context, renderContent(result.content))
  return yield* lacking === undefined ? Effect.undefined : notice(context, context.shown(lacking))
})

const isUnknown = ({ details }: ToolResult) => "error" in details && details.error.tag === "ToolNotFound"

const showStatus: Run = Effect.fnUntraced(function* (_, context) {
  const servers = yield* context.runtime.status
  return yield* listing(
    context,
    [renderStatus(servers, { columns: context.columns }), ...renderFailures(servers)].join("\n")
  )
})

const resetServer: Run = Effect.fnUntraced(function* (server, context) {
  const servers = Object.keys(yield* context.runtime.status)
  if (server === "") return yield* refuse(context, `Usage: /reset <server>; there are: ${servers.join(", ")}`)
  if (yield* context.runtime.reset(server)) return yield* notice(context, `Starting '${server}' over; see /status.`)
  if (servers.includes(server))
    return yield* refuse(context, `'${server}' is not restarted: other clients use it, too.`)
  const near = nearest(server, servers)
  const hint = near === null ? `there are: ${servers.join(", ")}` : `did you mean '${near}'?`
  return yield* refuse(context, `There is no server '${server}'; ${hint}`)
})

const startOver: Run = (_, context) => {
  context.forget()
  return notice(context, "Starting a new conversation.")
}

const COMMANDS: Readonly<Record<string, Run>> = {
  call: callTool,
  context: showContext,
  help: (_, context) => text(context, help(context.columns)),
  new: startOver,
  prompt: usePrompt,
  prompts: listPrompts,
  read: readResource,
  reset: resetServer,
  resources: listResources,
  status: showStatus,
  tools: listTools
}

export const runCommand: (command: Command, context: CommandContext) => Effect.Effect<Left> = (command, context) => {
  const run = Object.hasOwn(COMMANDS, command.name) ? COMMANDS[command.name] : undefined
  if (run !== undefined) return run(command.rest, context)
  const near = nearest(command.name, Object.keys(COMMANDS))
  const hint = near === null ? "/help lists the commands" : `did you mean /${near}?`
  return refuse(context, `There is no command /${command.name}; ${hint}`)
}
