/** `mcp-live call`: one tool, once. Exit code 0, or 1 when the tool says that it failed. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { renderContent } from "../../schemas/Rendering.ts"
import { parseObject, parsePairs } from "../../schemas/ToolArguments.ts"
import { EXIT_FAILED, ExitWith, root, UsageError, withRuntime } from "./command.ts"
import { print, printJson } from "./output.ts"

/** The text that `--args` stands for: itself, a file, or stdin. */
const readSource = Effect.fnUntraced(function* (source: string) {
  if (source === "-") {
    const { stdin } = yield* Stdio.Stdio
    return yield* Stream.mkString(Stream.decodeText(stdin))
  }
  if (!source.startsWith("@")) return source
  const files = yield* FileSystem.FileSystem
  return yield* files
    .readFileString(source.slice(1))
    .pipe(Effect.mapError(() => new UsageError({ message: `cannot read the arguments from '${source.slice(1)}'` })))
})

const readArguments = Effect.fnUntraced(function* (source: Option.Option<string>, pairs: ReadonlyArray<string>) {
  if (Option.isSome(source) && pairs.length > 0) {
    return yield* new UsageError({ message: "give the arguments either with --args or as key=value, not both" })
  }
  const parsed = Option.isSome(source) ? parseObject(yield* readSource(source.value)) : parsePairs(pairs)
  return yield* Effect.fromResult(parsed).pipe(Effect.mapError((message) => new UsageError({ message })))
})

export const call = Command.make(
  "call",
  {
    name: Argument.String("name").pipe(Argument.withDescription("The tool, as 'mcp-live tools' shows it")),
    pairs: Argument.String("key=value").pipe(
      Argument.withDescription("Arguments; a value is JSON where it parses as JSON, otherwise text"),
      Argument.variadic()
    ),
    args: Flag.String("args").pipe(
      Flag.withMetavar("JSON"),
      Flag.withDescription("Arguments as one JSON object; @file reads a file, - reads stdin"),
      Flag.optional
    )
  },
  Effect.fnUntraced(function* ({ args: source, name, pairs }) {
    const { json } = yield* root
    const args = yield* readArguments(source, pairs)
    yield* withRuntime(
      Effect.fnUntraced(function* (runtime) {
        // A server that is slow to start does not hold up a tool of another one.
        const known = (yield* runtime.tools).some((tool) => tool.name === name)
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
