/** Answers of the built-in agent to lines: shown as they come, or one JSON document for each. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { AgentEvent } from "../../schemas/AgentEvent.ts"
import type { ToolResult } from "../../schemas/Tool.ts"
import { AgentGateway } from "../../services/AgentGateway.ts"
import { makeEventPrinter } from "./events.ts"
import { columns, complain, printJsonLine, usesColour, writeBetween } from "./output.ts"
import { makeToolWait } from "./toolWait.ts"
import { tellingWait } from "./waiting.ts"

const SESSION = "terminal"

/** Answers a line, and succeeds with whether that went well: a failed answer does not end the conversation. */
export type Answer = (line: string) => Effect.Effect<boolean>
export type Answers = Effect.Effect<Answer, never, AgentGateway>

type Around = (show: Effect.Effect<void>) => Effect.Effect<void>

interface Heard {
  readonly onEvent: (event: AgentEvent, isCall: boolean) => Effect.Effect<unknown>
  readonly onFailure: (message: string) => Effect.Effect<unknown>
}

/** What a model calls and how that goes is part of its answer; a call that was asked for as such may fail. */
const send = Effect.fnUntraced(function* (line: string, { onEvent, onFailure }: Heard) {
  const agent = yield* AgentGateway
  const isCall = /^\/call\s/i.test(line)
  const waits = makeToolWait()
  let isGood = true
  const answered = agent.send(SESSION, line, { columns: columns() }).pipe(
    Stream.tap(waits.observe),
    Stream.runForEach((event) => {
      if (isCall && event._tag === "ToolResult" && event.result.isError) isGood = false
      return onEvent(event, isCall)
    }),
    Effect.catchTag("GatewayError", ({ message }) => {
      isGood = false
      return onFailure(message)
    })
  )
  yield* tellingWait(answered, waits.words)
  return isGood
})

/** `around` runs what writes to the terminal. */
export const makeAnswers = Effect.fnUntraced(function* (around: Around) {
  const agent = yield* AgentGateway
  const show = makeEventPrinter({
    write: writeBetween,
    colour: usesColour(process.stdout),
    now: () => performance.now()
  })
  const answer: Answer = (line) =>
    send(line, {
      onEvent: (event, isCall) => around(Effect.sync(() => show(event, isCall))),
      onFailure: complain
    }).pipe(Effect.provideService(AgentGateway, agent))
  return { answer, show }
})

export const plainAnswers: Answers = Effect.map(
  makeAnswers((show) => show),
  ({ answer }) => answer
)

interface Document {
  readonly line: string
  readonly ok: boolean
  /** What the agent said, and what it was told to say. */
  readonly text: string
  readonly calls: ReadonlyArray<{ readonly name: string; readonly result: ToolResult }>
  readonly error?: string
}

export const jsonAnswers: Answers = Effect.map(AgentGateway, (agent): Answer => (line) => {
  const calls: Array<Document["calls"][number]> = []
  let text = ""
  let error: string | undefined
  return send(line, {
    onEvent: (event) =>
      Effect.sync(() => {
        if (event._tag === "Text") text += event.delta
        if (event._tag === "Notice") text += `${event.text}\n`
        if (event._tag === "ToolResult") calls.push({ name: event.name, result: event.result })
      }),
    onFailure: (message) => Effect.sync(() => (error = message))
  }).pipe(
    Effect.tap((ok) => {
      const document: Document = { line, ok, text, calls, ...(error === undefined ? {} : { error }) }
      return printJsonLine(document)
    }),
    Effect.provideService(AgentGateway, agent)
  )
})
