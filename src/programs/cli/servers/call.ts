/** `mcp-live call`: one tool, once. Exit code 0, or 1 when the tool says that it failed. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { renderContent, renderFailures } from "../../../schemas/content/Rendering.ts"
import type { Progress, ToolResult } from "../../../schemas/call/Tool.ts"
import { parseObject, parseWords } from "../../../schemas/call/ToolArguments.ts"
import { lackingWords, typingOf, unknownWords } from "../../../schemas/call/ToolSignature.ts"
import type { Approve } from "../../../services/call/Approvals.ts"
import type { McpRuntimeShape } from "../../../services/call/McpRuntime.ts"
import { askApproval } from "../questions/approve.ts"
import { toolSoon } from "./arrival.ts"
import { argsFlag, pairsArgument, readArguments } from "./arguments.ts"
import { EXIT_FAILED, ExitWith, root, withRuntime } from "../command.ts"
import { narrowedTo } from "./callNarrowed.ts"
import { complain, print, printBytes, printContent, printJson } from "../output.ts"
import { pinNotes } from "../pins/text.ts"
import { makeFloor } from "../questions/terminal.ts"
import { tellingWait } from "./waiting.ts"

const readCall = readArguments(parseObject, parseWords)

const printResult = ({ content }: ToolResult) => printContent(content)

/** Who typed the call may have approved it with that; else they are asked, where there is a terminal to ask at. */
const approver = (yes: boolean): Approve | undefined => {
  if (yes) return () => Effect.succeed("once")
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined
  const floor = makeFloor({ input: process.stdin, output: process.stderr })
  return (question) => floor((exchange) => askApproval(exchange, question))
}

/** Of `server/tool` where the server has no tools because it is down: why. The result of a whole name says so itself. */
const tellOwner = Effect.fnUntraced(function* (runtime: McpRuntimeShape, name: string) {
  const owners = Object.entries(yield* runtime.status).filter(([server]) => name.startsWith(`${server}/`))
  for (const failure of renderFailures(Object.fromEntries(owners))) yield* complain(failure)
})

/** What the result says of a name that there is none of is for a model. */
const isUnknown = ({ details }: ToolResult) => "error" in details && details.error.tag === "ToolNotFound"

/** What a server says of a call that is under way, and else that it is. */
const underWay = (name: string) => {
  let said = ""
  return {
    onProgress: ({ message, progress, total }: Progress) => {
      const share = total === undefined ? String(progress) : `${progress} of ${total}`
      said = message === undefined || message === "" ? `: ${share}` : `: ${message}`
    },
    words: Effect.sync(() => `${name} is working${said}`)
  }
}

/** One image goes to a file or a pipe as the bytes that it is. */
const printRaw = ({ content }: ToolResult) => {
  const [only] = content
  return content.length === 1 && only?.type === "image" && !process.stdout.isTTY
    ? printBytes(Buffer.from(only.data, "base64"))
    : print(renderContent(content))
}

export const call = Command.make(
  "call",
  {
    name: Argument.String("name").pipe(
      Argument.withDescription("The tool, as 'mcp-live tools' shows it, or as server/tool")
    ),
    pairs: pairsArgument("Arguments as key=value words, each read as the tool's schema takes it; or one JSON object"),
    args: argsFlag,
    raw: Flag.Boolean("raw").pipe(
      Flag.withDescription(
        "Print what the server said and nothing around it; one image, to a file or a pipe, as its bytes"
      ),
      Flag.withDefault(false)
    ),
    yes: Flag.Boolean("yes").pipe(
      Flag.withAlias("y"),
      Flag.withDescription("Approve this call, where a rule wants it asked; what is denied stays denied"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* ({ args: source, name, pairs, raw, yes }) {
    const { json } = yield* root
    const forPerson = !json && process.stdout.isTTY
    const show = json ? printJson : raw ? printRaw : printResult
    // What cannot be read at all is said before any server is started.
    const read = yield* readCall(source, pairs)
    yield* withRuntime(
      Effect.fnUntraced(function* (runtime) {
        const tool = yield* toolSoon(runtime, name)
        for (const note of pinNotes(yield* runtime.status)) yield* complain(note)
        if (tool === undefined) yield* tellOwner(runtime, name)
        const args = Option.isSome(source) ? read : Result.getOrElse(parseWords(pairs, typingOf(tool)), () => read)
        const { onProgress, words } = underWay(name)
        const result = yield* tellingWait(runtime.call(tool?.name ?? name, args, { onProgress }), words)
        if (isUnknown(result) && !json) yield* complain(unknownWords(yield* runtime.allTools, name))
        else yield* show(result)
        const lacking = result.isError && tool !== undefined ? lackingWords(tool, args, "mcp-live tools") : undefined
        if (lacking !== undefined && !json) yield* complain(lacking)
        // A tool of a server that is down is not known: that is why.
        if (tool === undefined) for (const failure of renderFailures(yield* runtime.status)) yield* complain(failure)
        if (result.isError) return yield* new ExitWith({ code: EXIT_FAILED })
      }),
      { approve: approver(yes), narrow: narrowedTo(name, { forPerson, raw: raw && !json }) }
    )
  })
).pipe(
  Command.withDescription("Call one tool"),
  Command.withExamples([
    { command: "mcp-live call files/read_text_file path=README.md", description: "Arguments as words" },
    { command: `mcp-live call mcp_files_read_text_file '{"path":"README.md"}' --json`, description: "As JSON" },
    { command: "mcp-live call browser/screenshot --raw > page.png", description: "An image into a file" }
  ])
)
