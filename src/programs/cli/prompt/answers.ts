/** Answers of the built-in agent to lines of input: shown as they stream, or one JSON document for each. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { AgentEvent } from "../../../schemas/agent/AgentEvent.ts"
import type { Look } from "../../../schemas/call/Look.ts"
import type { ToolResult } from "../../../schemas/call/Tool.ts"
import { formatBytes } from "../../../schemas/content/Rendering.ts"
import { AgentGateway } from "../../../services/agent/AgentGateway.ts"
import { makeEventPrinter } from "./events.ts"
import { columns, complain, printJsonLine, usesColour, writeBetween } from "../output.ts"
import { makeToolWait } from "../servers/toolWait.ts"
import { traceOf } from "../../traced.ts"
import { tellingWait } from "../servers/waiting.ts"

const SESSION = "terminal"

/** Answers a line and returns whether that succeeded: a failed answer does not end the conversation. */
export type Answer = (line: string) => Effect.Effect<boolean>
export type Answers = Effect.Effect<Answer, never, AgentGateway>

/** Names the messages in the log. */
const namer = () => {
  let number = 0
  return () => `message ${++number}`
}

type Around = (show: Effect.Effect<void>) => Effect.Effect<void>

interface Heard {
  readonly look?: Look
  readonly onEvent: (event: AgentEvent, isCall: boolean) => Effect.Effect<unknown>
  readonly onFailure: (message: string) => Effect.Effect<unknown>
}

/** A failed call by the model is part of its answer; a call that the person asked for makes the answer fail. */
const send = Effect.fnUntraced(function* (
  line: string,
  name: string,
  verbose: boolean,
  { look, onEvent, onFailure }: Heard
) {
  const agent = yield* AgentGateway
  const trace = yield* traceOf(verbose, name)
  trace.say(`received: ${formatBytes(Buffer.byteLength(line))}`)
  const isCall = /^\/(?:call|read)\s/i.test(line)
  const waits = makeToolWait()
  let isGood = true
  const answered = agent.send(SESSION, line, { columns: columns(), look, onModelAsked: trace.modelAsked }).pipe(
    Stream.tap(waits.observe),
    Stream.tap((event) => Effect.sync(() => trace.event(event))),
    Stream.runForEach((event) => {
      if (isCall && event._tag === "ToolResult" && event.result.isError) isGood = false
      return onEvent(event, isCall)
    }),
    Effect.catchTag("GatewayError", ({ message }) => {
      isGood = false
      trace.say("failed")
      return onFailure(message)
    })
  )
  yield* tellingWait(answered, waits.words)
  return isGood
})

/** `around` runs the functions that write to the terminal. */
export const makeAnswers = Effect.fnUntraced(function* (around: Around, verbose: boolean) {
  const nextName = namer()
  const agent = yield* AgentGateway
  const person = process.stdout.isTTY
  const show = makeEventPrinter({
    write: yield* writeBetween,
    colour: usesColour(process.stdout),
    person,
    now: () => performance.now()
  })
  const answer: Answer = (line) =>
    send(line, nextName(), verbose, {
      look: person ? "person" : "agent",
      onEvent: (event, isCall) => around(Effect.sync(() => show(event, isCall))),
      onFailure: complain
    }).pipe(Effect.provideService(AgentGateway, agent))
  return { answer, show }
})

export const plainAnswers = (verbose: boolean): Answers =>
  Effect.map(
    makeAnswers((show) => show, verbose),
    ({ answer }) => answer
  )

interface Document {
  readonly line: string
  readonly ok: boolean
  /** What the agent said, including words that it was told to repeat. */
  readonly text: string
  readonly calls: ReadonlyArray<{ readonly name: string; readonly result: ToolResult }>
  readonly error?: string
}

export const jsonAnswers = (verbose: boolean): Answers =>
  Effect.map(AgentGateway, (agent): Answer => {
    const nextName = namer()
    return (line) => {
      const calls: Array<Document["calls"][number]> = []
      let text = ""
      let error: string | undefined
      return send(line, nextName(), verbose, {
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
    }
  })
