/**
 * `mcp-live start`: starts every server, shows how that went, and stays. On a terminal it is a conversation, and whoever
 * writes lines to stdin without one is answered line by line, with exit code 1 when one of the answers failed; otherwise it
 * runs until a signal, stops every server and exits with 0.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Command from "effect/cli/Command"
import { renderFailures, renderStatus } from "../../schemas/Rendering.ts"
import { AgentGateway } from "../../services/AgentGateway.ts"
import type { McpRuntimeShape } from "../../services/McpRuntime.ts"
import { McpRuntime } from "../../services/McpRuntime.ts"
import { EXIT_FAILED, ExitWith, liveLayer, root, withLogLevel } from "./command.ts"
import { makeEventPrinter } from "./events.ts"
import { linesOf } from "./lines.ts"
import { complain, print, printJson, usesColour, writeLogsThrough } from "./output.ts"
import { promptLoop } from "./prompt.ts"
import { makeQuestions, type Questions } from "./questions.ts"
import { untilStopped } from "./signals.ts"

const SESSION = "terminal"

const CLEAR_LINE = "\r\u001b[K"

/** How far the start is, on one line that is rewritten, below the lines of the log. Never ends by itself. */
const showProgress = Effect.fnUntraced(function* (runtime: McpRuntimeShape) {
  let shown = ""
  yield* Effect.addFinalizer(() => Effect.sync(() => process.stderr.write(CLEAR_LINE)))
  yield* writeLogsThrough((write) => {
    process.stderr.write(CLEAR_LINE)
    write()
    process.stderr.write(shown)
  })
  const show = Effect.map(runtime.status, (servers) => {
    const all = Object.values(servers)
    const settled = all.filter(({ state }) => state !== "Connecting").length
    shown = `Starting MCP servers: ${settled} of ${all.length}`
    process.stderr.write(`${CLEAR_LINE}${shown}`)
  })
  yield* show
  yield* Stream.runForEach(runtime.changes, () => show)
  return yield* Effect.never
}, Effect.scoped)

/** The built-in agent; loaded only where there is somebody to talk to it. */
const agentLayer = Layer.unwrap(
  Effect.promise(async () => {
    const [agent, sessionTools] = await Promise.all([
      import("../../layers/AgentGateway.ts"),
      import("../../layers/SessionTools.ts")
    ])
    return Layer.provide(agent.layerEmbedded, sessionTools.layer)
  })
)

type Around = (show: Effect.Effect<void>) => Effect.Effect<void>

/** A failed answer is said and does not end the conversation. Whether it did not fail is what it succeeds with. */
const makeAnswer = Effect.fnUntraced(function* (around: Around) {
  const agent = yield* AgentGateway
  const show = makeEventPrinter({
    write: (text) => process.stdout.write(text),
    colour: usesColour(process.stdout),
    now: () => performance.now()
  })
  const answer = (line: string) =>
    Effect.suspend(() => {
      const isCall = /^\/call\s/i.test(line)
      let isGood = true
      return agent.send(SESSION, line).pipe(
        Stream.runForEach((event) => {
          // What a model calls and how that goes is part of its answer.
          if (isCall && event._tag === "ToolResult" && event.result.isError) isGood = false
          return around(Effect.sync(() => show(event, isCall)))
        }),
        Effect.catchTag("GatewayError", ({ message }) => {
          isGood = false
          return complain(message)
        }),
        Effect.map(() => isGood)
      )
    })
  return { answer, show }
})

const converse = Effect.fnUntraced(function* (questions: Questions) {
  const { answer, show } = yield* makeAnswer(questions.betweenQuestions)
  yield* print("Type a message, or /help. Ctrl-C stops an answer, Ctrl-D leaves.")
  yield* promptLoop({
    input: process.stdin,
    output: process.stdout,
    answer: (line) => Effect.asVoid(answer(line)),
    onStopped: () => show({ _tag: "Notice", text: "(stopped)" }),
    questions
  })
})

/** Who writes lines has the program end with the last one; who writes none has started a service. */
const serveLines = Effect.gen(function* () {
  const lines = yield* linesOf(process.stdin)
  const first = yield* lines.next
  if (first === undefined) return yield* Effect.never
  const answerAll = Effect.gen(function* () {
    const { answer } = yield* makeAnswer((show) => show)
    let isGood = true
    for (let line = first as string | undefined; line !== undefined; line = yield* lines.next) {
      isGood = (yield* answer(line)) && isGood
    }
    if (!isGood) return yield* new ExitWith({ code: EXIT_FAILED })
  })
  return yield* Effect.provide(answerAll, agentLayer)
}).pipe(Effect.scoped)

const run = Effect.fnUntraced(function* (questions: Questions | undefined) {
  const { json } = yield* root
  const runtime = yield* McpRuntime
  yield* process.stderr.isTTY && !json ? Effect.raceFirst(runtime.ready, showProgress(runtime)) : runtime.ready
  const servers = yield* runtime.status
  if (json) {
    yield* printJson({ agent: runtime.agent, servers })
  } else {
    yield* print([renderStatus(servers), ...renderFailures(servers)].join("\n"))
  }
  if (questions !== undefined) return yield* Effect.provide(converse(questions), agentLayer)
  // With --json nothing comes after the document; and a terminal in the background stops who reads from it.
  return yield* json || process.stdin.isTTY ? Effect.never : serveLines
})

export const start = Command.make(
  "start",
  {},
  Effect.fnUntraced(function* () {
    const { json } = yield* root
    // Who is not on a terminal cannot be asked: servers are told that nobody can.
    const questions = !json && process.stdin.isTTY && process.stdout.isTTY ? makeQuestions() : undefined
    yield* run(questions).pipe(
      Effect.provide(liveLayer({ elicit: questions?.elicit, approve: questions?.approve })),
      untilStopped,
      // A signal is the ordinary way to end this command, so it is a success like leaving the prompt.
      Effect.catchTag("Stopped", (stopped) => (stopped.reason === "crash" ? Effect.fail(stopped) : Effect.void)),
      withLogLevel("Info")
    )
  })
).pipe(
  Command.withDescription(
    "Start every server and stay: a conversation on a terminal, an answer to each line of stdin without one (exit code 1 when one failed), a service where there are none"
  )
)
