/**
 * `mcp-live start`: starts every server, shows the outcome, and stays. On a terminal it is a conversation. Lines on stdin are
 * answered one by one, with `--json` by one document each, and the exit code is 1 when an answer failed. Without input it
 * runs until a signal, stops every server and exits with 0.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { renderArrival } from "../../../schemas/content/Rendering.ts"
import type { ServerStatus } from "../../../schemas/connection/ServerState.ts"
import type { McpRuntimeShape } from "../../../services/call/McpRuntime.ts"
import { McpRuntime } from "../../../services/call/McpRuntime.ts"
import { ControlPage } from "../../../services/control/ControlPage.ts"
import { ControlSocket } from "../../../services/control/ControlSocket.ts"
import { followLate, soonEnough } from "./arrival.ts"
import { jsonAnswers, makeAnswers, plainAnswers, type Answers } from "../prompt/answers.ts"
import { EXIT_FAILED, ExitWith, gatewayLayer, rememberTools, root } from "../command.ts"
import { linesOf } from "../prompt/inputLines.ts"
import { print, printJsonLine, printStatus, visible, writeBetween } from "../output.ts"
import { tellPage, uiFlag, type UiChoice } from "../page/flag.ts"
import { promptLoop } from "../prompt/prompt.ts"
import { completeLine } from "../prompt/completion.ts"
import { makeQuestions, type Questions } from "../questions/questions.ts"
import { staying } from "../staying.ts"
import { connectingIn, progress, tellingWait } from "./waiting.ts"

/** On a terminal that also shows the log, the log reports what becomes of servers and why, so that nothing is said twice. */
const logTells = Effect.map(
  References.MinimumLogLevel,
  (level) => process.stdout.isTTY && process.stderr.isTTY && !LogLevel.isGreaterThan(level, "Info")
)

/** The outcome of a server that was late: a line for people, or the changed part of the first document. */
const tellLate = Effect.fnUntraced(function* (runtime: McpRuntimeShape, name: string, status: ServerStatus) {
  const { json } = yield* root
  const servers = { [name]: status }
  if (json) yield* printJsonLine({ agent: runtime.agent, servers })
  else if (!(yield* logTells)) (yield* writeBetween)(`${visible(renderArrival(name, status))}\n`)
  if (status.state === "Ready") yield* rememberTools(runtime.agent, yield* runtime.allTools, false)
})

/** The built-in agent; loaded only when somebody talks to it. */
const agentLayer = Layer.unwrap(
  Effect.promise(async () => {
    const [agent, sessionTools] = await Promise.all([
      import("../../../layers/agent/AgentGateway.ts"),
      import("../../../layers/agent/SessionTools.ts")
    ])
    return Layer.provide(agent.layerEmbedded, sessionTools.layer)
  })
)

const converse = Effect.fnUntraced(function* (questions: Questions, runtime: McpRuntimeShape, verbose: boolean) {
  const { answer, show } = yield* makeAnswers(questions.betweenQuestions, verbose)
  yield* print("Type a message, or /help. Ctrl-C stops an answer, Ctrl-D leaves.")
  yield* promptLoop({
    input: process.stdin,
    output: process.stdout,
    answer: (line) => Effect.asVoid(answer(line)),
    complete: (line) =>
      Effect.map(
        Effect.all({ tools: runtime.allTools, prompts: runtime.prompts, status: runtime.status }),
        ({ prompts, status, tools }) => completeLine(line, { prompts, tools, servers: Object.keys(status) })
      ),
    onStopped: () => show({ _tag: "Notice", text: "(stopped)" }),
    questions
  })
})

/** With lines on stdin, the program ends after the last one; without any, it runs as a service. */
const serveLines = (answers: Answers) =>
  Effect.gen(function* () {
    const lines = yield* linesOf(process.stdin)
    const first = yield* lines.next
    if (first === undefined) return yield* Effect.never
    const answerAll = Effect.gen(function* () {
      const answer = yield* answers
      let isGood = true
      for (let line = first as string | undefined; line !== undefined; line = yield* lines.next) {
        isGood = (yield* answer(line)) && isGood
      }
      if (!isGood) return yield* new ExitWith({ code: EXIT_FAILED })
    })
    return yield* Effect.provide(answerAll, agentLayer)
  }).pipe(Effect.scoped)

const run = Effect.fnUntraced(function* (questions: Questions | undefined, verbose: boolean, page: UiChoice) {
  const { json } = yield* root
  const runtime = yield* McpRuntime
  yield* tellingWait(soonEnough(runtime, runtime.ready), progress(runtime))
  // Whoever has seen the table can use the other commands.
  yield* (yield* ControlSocket).opened
  const servers = yield* runtime.status
  const late = connectingIn(servers)
  if (json) {
    yield* printJsonLine({ agent: runtime.agent, servers, connecting: late })
  } else {
    yield* printStatus(servers, !(yield* logTells))
  }
  yield* tellPage(page, yield* ControlPage)
  yield* rememberTools(runtime.agent, yield* runtime.allTools, late.length === 0)
  yield* Effect.forkScoped(followLate(runtime, servers, (name, status) => tellLate(runtime, name, status)))
  if (questions !== undefined) return yield* Effect.provide(converse(questions, runtime, verbose), agentLayer)
  // A process in the background would be stopped when it reads from its terminal.
  if (process.stdin.isTTY) return yield* Effect.never
  return yield* serveLines(json ? jsonAnswers(verbose) : plainAnswers(verbose))
}, Effect.scoped)

export const start = Command.make(
  "start",
  {
    verbose: Flag.Boolean("verbose").pipe(
      Flag.withDescription("Report the phases of each message on stderr: times, names and sizes, never its content"),
      Flag.withDefault(false)
    ),
    ui: uiFlag
  },
  Effect.fnUntraced(function* ({ ui, verbose }) {
    const { json } = yield* root
    // Without a terminal nobody can be asked, and servers are told so.
    const questions = !json && process.stdin.isTTY && process.stdout.isTTY ? makeQuestions() : undefined
    yield* run(questions, verbose, ui).pipe(
      Effect.provide(
        gatewayLayer(
          { kind: "start", page: Option.getOrUndefined(ui) },
          { elicit: questions?.elicit, approve: questions?.approve }
        )
      ),
      staying("Info")
    )
  })
).pipe(
  Command.withDescription(
    "Start every server and stay: on a terminal as a conversation; with lines on stdin, answer each (exit code 1 when one failed); else run as a service"
  ),
  Command.withShortDescription("Start every server and talk to the agent, or run as a service")
)
