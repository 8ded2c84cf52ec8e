/** `mcp-live call`: calls one tool once. Exit code 0, or 1 when the tool reports an error. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { renderContent, renderFailures, type StatusMap } from "../../../schemas/content/Rendering.ts"
import type { Look } from "../../../schemas/call/Look.ts"
import type { Progress, ToolResult } from "../../../schemas/call/Tool.ts"
import { parseObject, parseWords } from "../../../schemas/call/ToolArguments.ts"
import { lackingWords, typingOf, unknownWords, unreadWords } from "../../../schemas/call/ToolSignature.ts"
import type { Approve } from "../../../services/call/Approvals.ts"
import { askApproval } from "../questions/approve.ts"
import { toolSoon } from "./arrival.ts"
import { argsFlag, pairsArgument, readArguments } from "./arguments.ts"
import { EXIT_FAILED, ExitWith, root } from "../command.ts"
import { ownersOf } from "./owners.ts"
import { complain, print, printBytes, printContent, printJson } from "../output.ts"
import { pinNotes } from "../pins/text.ts"
import { runningFlags } from "../running/choice.ts"
import { withGateway } from "../running/withGateway.ts"
import { makeFloor } from "../questions/terminal.ts"
import { statusOf } from "./once.ts"
import { tellingWait } from "./waiting.ts"

const readCall = readArguments(parseObject, parseWords)

const printResult = ({ content }: ToolResult) => printContent(content)

/** With `--yes`, the person has approved the call by typing it; otherwise they are asked if there is a terminal. */
const approver = (yes: boolean): Approve | undefined => {
  if (yes) return () => Effect.succeed("once")
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined
  const floor = makeFloor({ input: process.stdin, output: process.stderr })
  return (question) => floor((exchange) => askApproval(exchange, question))
}

/** Whether a name refers to a tool of a server that is down, and so has no tools. */
const isOfDownServer = (status: StatusMap, name: string) => {
  const owners = Object.entries(status).filter(([server]) => name.startsWith(`${server}/`))
  return renderFailures(Object.fromEntries(owners)).length > 0
}

/** For an unknown tool, the text of the result is written for a model. */
const isUnknown = ({ details }: ToolResult) => "error" in details && details.error.tag === "ToolNotFound"

/** The progress that a server reports for the call. Without any, it may also wait for an approval elsewhere, or for a server that restarts. */
const underWay = (name: string) => {
  let said: string | undefined
  return {
    onProgress: ({ message, progress, total }: Progress) => {
      const share = total === undefined ? String(progress) : `${progress} of ${total}`
      said = message === undefined || message === "" ? `: ${share}` : `: ${message}`
    },
    words: Effect.sync(() => (said === undefined ? `Waiting for ${name}` : `${name} is working${said}`))
  }
}

/** One image goes to a file or pipe as its bytes. */
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
    pairs: pairsArgument(
      "Arguments as key=value words, each read as the type that the tool's schema asks for; or one JSON object"
    ),
    args: argsFlag,
    raw: Flag.Boolean("raw").pipe(
      Flag.withDescription("Print only what the server sent; a single image, to a file or a pipe, as its bytes"),
      Flag.withDefault(false)
    ),
    yes: Flag.Boolean("yes").pipe(
      Flag.withAlias("y"),
      Flag.withDescription("Approve this call, if a rule requires approval; a denied tool stays denied"),
      Flag.withDefault(false)
    ),
    ...runningFlags
  },
  Effect.fnUntraced(function* ({ args: source, name, pairs, raw, yes, ...running }) {
    const { json } = yield* root
    const look: Look = json ? "agent" : raw ? "raw" : process.stdout.isTTY ? "person" : "agent"
    const show = json ? printJson : raw ? printRaw : printResult
    // Unreadable arguments are reported before any server is started.
    const read = yield* readCall(source, pairs, (fault) => unreadWords(fault, name, "mcp-live tools"))
    yield* withGateway(
      running,
      Effect.fnUntraced(function* (runtime) {
        const tool = yield* toolSoon(runtime, name)
        for (const note of pinNotes(yield* runtime.status)) yield* complain(note)
        const args = Option.isSome(source) ? read : Result.getOrElse(parseWords(pairs, typingOf(tool)), () => read)
        const { onProgress, words } = underWay(name)
        const result = yield* tellingWait(runtime.call(tool?.name ?? name, args, { look, onProgress }), words)
        const status = yield* runtime.status
        if (!isUnknown(result) || json) yield* show(result)
        else if (!isOfDownServer(status, name))
          yield* complain(unknownWords(yield* runtime.allTools, name, "mcp-live tools"))
        const lacking = result.isError && tool !== undefined ? lackingWords(tool, args, "mcp-live tools") : undefined
        if (lacking !== undefined && !json) yield* complain(lacking)
        // A server that is down lists no tools; its failure explains why this one is unknown.
        if (tool === undefined)
          for (const failure of renderFailures(statusOf(runtime, status))) yield* complain(failure)
        if (result.isError) return yield* new ExitWith({ code: EXIT_FAILED })
      }),
      { approve: approver(yes), narrow: ownersOf(name) }
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
