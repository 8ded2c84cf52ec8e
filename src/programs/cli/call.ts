/** `mcp-live call`: one tool, once. Exit code 0, or 1 when the tool says that it failed. */
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { renderContent } from "../../schemas/Rendering.ts"
import { parseObject, parsePairs } from "../../schemas/ToolArguments.ts"
import type { Approve } from "../../services/Approvals.ts"
import { askApproval } from "./approve.ts"
import { argsFlag, pairsArgument, readArguments } from "./arguments.ts"
import { EXIT_FAILED, ExitWith, root, withRuntime } from "./command.ts"
import { complain, print, printJson } from "./output.ts"
import { pinNotes } from "./pinsText.ts"
import { makeFloor } from "./terminal.ts"

const readCall = readArguments(parseObject, parsePairs)

/** Who typed the call may have approved it with that; else they are asked, where there is a terminal to ask at. */
const approver = (yes: boolean): Approve | undefined => {
  if (yes) return () => Effect.succeed("once")
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined
  const floor = makeFloor({ input: process.stdin, output: process.stderr })
  return (question) => floor((exchange) => askApproval(exchange, question))
}

export const call = Command.make(
  "call",
  {
    name: Argument.String("name").pipe(Argument.withDescription("The tool, as 'mcp-live tools' shows it")),
    pairs: pairsArgument("Arguments; a value is JSON where it parses as JSON, otherwise text"),
    args: argsFlag,
    yes: Flag.Boolean("yes").pipe(
      Flag.withAlias("y"),
      Flag.withDescription("Approve this call, where a rule wants it asked; what is denied stays denied"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* ({ args: source, name, pairs, yes }) {
    const { json } = yield* root
    const args = yield* readCall(source, pairs)
    yield* withRuntime(
      Effect.fnUntraced(function* (runtime) {
        // A server that is slow to start does not hold up a tool of another one.
        yield* runtime.tools
        const known = (yield* runtime.allTools).some((tool) => tool.name === name)
        if (!known) yield* runtime.ready
        for (const note of pinNotes(yield* runtime.status)) yield* complain(note)
        const result = yield* runtime.call(name, args)
        yield* json ? printJson(result) : print(renderContent(result.content))
        if (result.isError) return yield* new ExitWith({ code: EXIT_FAILED })
      }),
      { approve: approver(yes) }
    )
  })
).pipe(
  Command.withDescription("Call one tool"),
  Command.withExamples([
    { command: "mcp-live call mcp_files_read_text_file path=README.md", description: "Arguments as words" },
    { command: `mcp-live call mcp_files_read_text_file --args '{"path":"README.md"}' --json`, description: "As JSON" }
  ])
)
