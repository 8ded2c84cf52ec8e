/** `mcp-live call`: one tool, once. Exit code 0, or 1 when the tool says that it failed. */
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { renderContent } from "../../schemas/Rendering.ts"
import { parseObject, parsePairs } from "../../schemas/ToolArguments.ts"
import { argsFlag, pairsArgument, readArguments } from "./arguments.ts"
import { EXIT_FAILED, ExitWith, root, withRuntime } from "./command.ts"
import { print, printJson } from "./output.ts"

const readCall = readArguments(parseObject, parsePairs)

export const call = Command.make(
  "call",
  {
    name: Argument.String("name").pipe(Argument.withDescription("The tool, as 'mcp-live tools' shows it")),
    pairs: pairsArgument("Arguments; a value is JSON where it parses as JSON, otherwise text"),
    args: argsFlag
  },
  Effect.fnUntraced(function* ({ args: source, name, pairs }) {
    const { json } = yield* root
    const args = yield* readCall(source, pairs)
    yield* withRuntime(
      Effect.fnUntraced(function* (runtime) {
        // A server that is slow to start does not hold up a tool of another one.
        yield* runtime.tools
        const known = (yield* runtime.allTools).some((tool) => tool.name === name)
        if (!known) yield* runtime.ready
        const result = yield* runtime.call(name, args)
        yield* json ? printJson(result) : print(renderContent(result.content))
        if (result.isError) return yield* new ExitWith({ code: EXIT_FAILED })
      })
    )
  })
).pipe(
  Command.withDescription("Call one tool"),
  Command.withExamples([
    { command: "mcp-live call mcp_files_read_text_file path=README.md", description: "Arguments as words" },
    { command: `mcp-live call mcp_files_read_text_file --args '{"path":"README.md"}' --json`, description: "As JSON" }
  ])
)
