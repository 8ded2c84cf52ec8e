/** `mcp-live prompts` and `prompt`: lists the prompts that servers offer, and fills one in. */
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import type { AgentPrompt } from "../../../schemas/content/Prompt.ts"
import { renderFailures, renderMessages, renderPrompts } from "../../../schemas/content/Rendering.ts"
import { parseTextObject, parseTextPairs } from "../../../schemas/call/ToolArguments.ts"
import type { McpRuntimeShape } from "../../../services/call/McpRuntime.ts"
import { argsFlag, pairsArgument, readArguments } from "./arguments.ts"
import { listedSoon, tellMissing, untilKnown, waitFlag } from "./arrival.ts"
import { explained, root, withRuntime } from "../command.ts"
import { columns, complain, print, printJson } from "../output.ts"
import { statusOf } from "./once.ts"
import { connecting, connectingIn, tellingWait } from "./waiting.ts"

const readPrompt = readArguments(parseTextObject, parseTextPairs)

/** Finds a prompt by any kind of name: exposed, `server/prompt`, or the server's own if it is unique. */
export const promptNamed = (prompts: ReadonlyArray<AgentPrompt>, name: string): AgentPrompt | undefined => {
  const own = prompts.filter(({ prompt }) => prompt === name)
  return (
    prompts.find((each) => each.name === name) ??
    prompts.find(({ prompt, server }) => `${server}/${prompt}` === name) ??
    (own.length === 1 ? own[0] : undefined)
  )
}

/** Waits only for the server that the name mentions; a bare name may belong to any server. */
export const waitForPrompt = Effect.fnUntraced(function* (runtime: McpRuntimeShape, name: string) {
  yield* runtime.tools
  const isKnown = Effect.map(runtime.prompts, (prompts) =>
    prompts.some((prompt) => prompt.name === name || `${prompt.server}/${prompt.prompt}` === name)
  )
  yield* tellingWait(untilKnown(runtime, isKnown, runtime.ready), connecting(runtime))
})

export const prompts = Command.make(
  "prompts",
  { wait: waitFlag },
  Effect.fnUntraced(function* ({ wait }) {
    const { json } = yield* root
    yield* withRuntime(
      Effect.fnUntraced(function* (runtime) {
        yield* listedSoon(runtime, wait)
        const all = yield* runtime.prompts
        const servers = yield* runtime.status
        if (json) {
          const document = { agent: runtime.agent, prompts: all, connecting: connectingIn(servers) }
          return yield* Effect.andThen(printJson(document), tellMissing(servers))
        }
        yield* print(renderPrompts(all, columns()))
        for (const failure of renderFailures(statusOf(runtime, servers))) yield* complain(failure)
        yield* tellMissing(servers)
      })
    )
  })
).pipe(Command.withDescription("List the prompts that servers offer"))

export const prompt = Command.make(
  "prompt",
  {
    name: Argument.String("name").pipe(
      Argument.withDescription("The prompt, as 'mcp-live prompts' shows it, or server/prompt")
    ),
    pairs: pairsArgument("Arguments; every value is text"),
    args: argsFlag
  },
  Effect.fnUntraced(function* ({ args: source, name, pairs }) {
    const { json } = yield* root
    const args = yield* readPrompt(source, pairs)
    yield* withRuntime(
      Effect.fnUntraced(function* (runtime) {
        yield* waitForPrompt(runtime, name)
        const filled = yield* explained(runtime.getPrompt(name, args))
        yield* json ? printJson(filled) : print(renderMessages(filled.messages))
      })
    )
  })
).pipe(
  Command.withDescription("Fill in one prompt and print it"),
  Command.withExamples([
    { command: "mcp-live prompt everything/args-prompt city=Lisbon", description: "Arguments as words" },
    { command: `mcp-live prompt mcp_everything_args-prompt --args '{"city":"Lisbon"}' --json`, description: "As JSON" }
  ])
)
