/** Tab completion at the prompt: commands, tools and their arguments, prompts, servers. Pure. */
import { DIRECT_COMMANDS } from "../../../schemas/agent/DirectCommands.ts"
import type { AgentTool } from "../../../schemas/call/Tool.ts"
import { argumentsOf, toolNamed } from "../../../schemas/call/ToolSignature.ts"

export interface Completable {
  readonly tools: ReadonlyArray<AgentTool>
  readonly prompts: ReadonlyArray<{
    readonly name: string
    readonly arguments: ReadonlyArray<{ readonly name: string }>
  }>
  readonly servers: ReadonlyArray<string>
}

/** The matches, and the part of the line that they replace: what `readline` expects. */
export type Completed = readonly [hits: Array<string>, of: string]

const COMMANDS = [...DIRECT_COMMANDS.map(({ name }) => name), "quit"].map((name) => `/${name}`)

/** Exposed names, or `server/tool` if only that form matches. */
const toolNames = (tools: ReadonlyArray<AgentTool>, word: string): ReadonlyArray<string> => {
  const exposed = tools.map(({ name }) => name)
  return exposed.some((name) => name.startsWith(word)) ? exposed : tools.map(({ server, tool }) => `${server}/${tool}`)
}

/** Arguments that are not given yet, or values if the tool lists all of them. */
const toolArguments = (tool: AgentTool | undefined, given: string, word: string): ReadonlyArray<string> => {
  if (tool === undefined) return []
  const all = argumentsOf(tool)
  const [, name] = /^([^=]+)=/.exec(word) ?? []
  const chosen = all.find((one) => one.name === name)
  if (chosen !== undefined) {
    const values =
      chosen.type === "boolean" ? ["true", "false"] : [...chosen.type.matchAll(/"([^"]*)"/g)].map(([, value]) => value!)
    return values.map((value) => `${chosen.name}=${value}`)
  }
  return all.filter((one) => !given.includes(` ${one.name}=`)).map((one) => `${one.name}=`)
}

export const completeLine = (line: string, { prompts, servers, tools }: Completable): Completed => {
  const fitting = (words: ReadonlyArray<string>, word: string): Completed => [
    words.filter((one) => one.startsWith(word)),
    word
  ]
  const [, command, rest] = /^\/(\w+)\s+(.*)$/s.exec(line) ?? []
  if (command === undefined || rest === undefined) return fitting(line.startsWith("/") ? COMMANDS : [], line)
  const [, name, given = "", word] = /^(\S+)(\s+(?:.*\s)?)(\S*)$/s.exec(rest) ?? []
  const isFirst = name === undefined || word === undefined
  switch (command.toLowerCase()) {
    case "tools":
      return isFirst ? fitting(toolNames(tools, rest), rest) : [[], rest]
    case "call":
      return isFirst
        ? fitting(toolNames(tools, rest), rest)
        : fitting(toolArguments(toolNamed(tools, name), given, word), word)
    case "prompt": {
      if (isFirst)
        return fitting(
          prompts.map((one) => one.name),
          rest
        )
      const chosen = prompts.find((one) => one.name === name)
      return fitting(
        (chosen?.arguments ?? []).map((one) => `${one.name}=`),
        word
      )
    }
    case "reset":
      return isFirst ? fitting(servers, rest) : [[], rest]
    default:
      return [[], line]
  }
}
