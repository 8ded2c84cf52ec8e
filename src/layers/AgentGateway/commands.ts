/**
 * Commands that a person types instead of a question. They work in every front, with or without a model, and none of
 * them is ever shown to a model.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { AgentEvent } from "../../schemas/AgentEvent.ts"
import { nearest } from "../../schemas/Names.ts"
import { renderContent, renderFailures, renderStatus, renderTools } from "../../schemas/Rendering.ts"
import { parseLine } from "../../schemas/ToolArguments.ts"
import type { McpRuntimeShape } from "../../services/McpRuntime.ts"

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

interface CommandContext {
  readonly runtime: McpRuntimeShape
  readonly emit: (event: AgentEvent) => Effect.Effect<unknown>
  /** A fresh id for a direct tool call. */
  readonly nextId: () => string
  readonly forget: () => void
}

/** Width that fits most places where a listing is read. */
const COLUMNS = 120

const HELP = `/tools [filter]                      list the tools, or those whose name or description holds the filter
/call <tool> {"key": "value"}        call a tool; key=value words work too
/status                              show every MCP server
/reset <server>                      start a server over
/new                                 forget this conversation
/help                                show this`

type Run = (rest: string, context: CommandContext) => Effect.Effect<unknown>

const text = (context: CommandContext, lines: string) => context.emit({ _tag: "Text", delta: `${lines}\n` })
const notice = (context: CommandContext, sentence: string) => context.emit({ _tag: "Notice", text: sentence })

const listTools: Run = Effect.fnUntraced(function* (filter, context) {
  const wanted = filter.toLowerCase()
  const tools = (yield* context.runtime.tools).filter(
    ({ description, name }) => name.toLowerCase().includes(wanted) || description.toLowerCase().includes(wanted)
  )
  yield* text(context, renderTools(tools, COLUMNS))
})

const callTool: Run = Effect.fnUntraced(function* (rest, context) {
  const [, name = "", line = ""] = /^(\S*)\s*([\s\S]*)$/.exec(rest) ?? []
  if (name === "") return yield* notice(context, 'Usage: /call <tool> {"key": "value"}, or /call <tool> key=value …')
  const args = parseLine(line)
  if (Result.isFailure(args)) return yield* notice(context, `/call ${name}: ${args.failure}`)
  const id = context.nextId()
  yield* context.emit({ _tag: "ToolCall", id, name, args: args.success })
  const result = yield* context.runtime.call(name, args.success)
  yield* context.emit({ _tag: "ToolResult", id, name, result })
  return yield* text(context, renderContent(result.content))
})

const showStatus: Run = Effect.fnUntraced(function* (_, context) {
  const servers = yield* context.runtime.status
  yield* text(context, [renderStatus(servers), ...renderFailures(servers)].join("\n"))
})

const resetServer: Run = Effect.fnUntraced(function* (server, context) {
  const servers = Object.keys(yield* context.runtime.status)
  if (server === "") return yield* notice(context, `Usage: /reset <server>; there are: ${servers.join(", ")}`)
  if (yield* context.runtime.reset(server)) return yield* notice(context, `Starting '${server}' over; see /status.`)
  const near = nearest(server, servers)
  const hint = near === null ? `there are: ${servers.join(", ")}` : `did you mean '${near}'?`
  return yield* notice(context, `There is no server '${server}'; ${hint}`)
})

const startOver: Run = (_, context) => {
  context.forget()
  return notice(context, "Starting a new conversation.")
}

const COMMANDS: Readonly<Record<string, Run>> = {
  call: callTool,
  help: (_, context) => text(context, HELP),
  new: startOver,
  reset: resetServer,
  status: showStatus,
  tools: listTools
}

export const runCommand = (command: Command, context: CommandContext): Effect.Effect<unknown> => {
  const run = Object.hasOwn(COMMANDS, command.name) ? COMMANDS[command.name] : undefined
  if (run !== undefined) return run(command.rest, context)
  const near = nearest(command.name, Object.keys(COMMANDS))
  const hint = near === null ? "/help lists the commands" : `did you mean /${near}?`
  return notice(context, `There is no command /${command.name}; ${hint}`)
}
