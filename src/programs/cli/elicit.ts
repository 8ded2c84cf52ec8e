/**
 * One question of a server to the person at the terminal, from the first line to what is sent back. Nothing is sent without
 * a last look and a yes; an address is shown and never opened.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ElicitationRequest, ElicitationResult, ElicitationValue } from "../../schemas/HostRequest.ts"
import { type Field, fieldsOf, questionOf, readLine, showValue } from "./form.ts"
import { quoted, visible } from "./output.ts"

/** Ctrl-C, Ctrl-D: the question is gone without an answer. */
export class Dismissed extends Data.TaggedError("Dismissed") {}

class Declined extends Data.TaggedError("Declined") {}

/** A terminal that is all the question's for as long as it is asked. */
export interface Exchange {
  readonly show: (lines: string) => Effect.Effect<void>
  /** Columns of the terminal. */
  readonly width: () => number
  /** One line, trimmed, typed behind the prompt. */
  readonly ask: (prompt: string) => Effect.Effect<string, Dismissed>
}

const DECLINE = "!decline"

type Values = ReadonlyMap<string, ElicitationValue>

/** An empty line takes what was given before, or the default, or skips the field. */
const askField = Effect.fnUntraced(function* ({ ask, show, width }: Exchange, field: Field) {
  const { about, choices, prompt } = questionOf(field)
  const above = [...(about === "" ? [] : [about]), ...choices]
  if (above.length > 0) yield* show(quoted(above.join("\n"), width()))
  for (;;) {
    const line = yield* ask(prompt)
    if (line === DECLINE) return yield* new Declined()
    if (line === "" && (field.preset !== undefined || !field.required)) return field.preset
    const read = line === "" ? Result.fail("is required") : readLine(field, line)
    if (Result.isSuccess(read)) return read.success
    yield* show(`  ${field.title} ${read.failure}. ${DECLINE} refuses the whole question.`)
  }
})

const fillIn = Effect.fnUntraced(function* (exchange: Exchange, fields: ReadonlyArray<Field>, before: Values) {
  const values = new Map<string, ElicitationValue>()
  for (const field of fields) {
    const value = yield* askField(exchange, { ...field, preset: before.get(field.name) ?? field.preset })
    if (value !== undefined) values.set(field.name, value)
  }
  return values
})

const summary = (server: string, fields: ReadonlyArray<Field>, values: Values, width: number): string => {
  const rows = fields.map(({ name, title }) => {
    const value = values.get(name)
    return `${title}: ${value === undefined ? "(nothing)" : showValue(value)}`
  })
  return `To be sent to '${server}':\n${quoted(rows.join("\n"), width)}`
}

const confirm = Effect.fnUntraced(function* ({ ask }: Exchange, server: string) {
  for (;;) {
    const answer = (yield* ask(`Send this to '${server}'? [y]es / [n]o / [e]dit: `)).toLowerCase()
    if (answer === "y" || answer === "yes") return "yes"
    if (answer === "e" || answer === "edit") return "edit"
    if (answer === "n" || answer === "no" || answer === DECLINE) return yield* new Declined()
  }
})

type FormRequest = Extract<ElicitationRequest, { readonly mode: "form" }>
type UrlRequest = Extract<ElicitationRequest, { readonly mode: "url" }>

const askForm = Effect.fnUntraced(function* (exchange: Exchange, { message, requestedSchema, server }: FormRequest) {
  const fields = fieldsOf(requestedSchema)
  yield* exchange.show(
    `The MCP server '${server}' asks:\n${quoted(message, exchange.width())}\n(Enter takes what stands in brackets, or skips. ${DECLINE} refuses, Ctrl-C dismisses.)`
  )
  let values: Values = new Map()
  for (;;) {
    values = yield* fillIn(exchange, fields, values)
    yield* exchange.show(summary(server, fields, values, exchange.width()))
    if ((yield* confirm(exchange, server)) === "yes") return values
  }
})

const askUrl = Effect.fnUntraced(function* (
  { ask, show, width }: Exchange,
  { host, message, server, url }: UrlRequest
) {
  yield* show(
    `The MCP server '${server}' asks you to visit an address:
${quoted(message, width())}
Host: ${visible(host)}
Address:
${visible(url)}
Nothing is opened from here. Open it yourself, and only if you trust ${visible(host)}.`
  )
  for (;;) {
    const answer = (yield* ask("Type done when you have, or no: ")).toLowerCase()
    if (answer === "done") return
    if (answer === "no" || answer === "n" || answer === DECLINE) return yield* new Declined()
  }
})

/** What the person answers, and a last word that says what came of it. */
export const elicit = (exchange: Exchange, request: ElicitationRequest): Effect.Effect<ElicitationResult> => {
  const server = visible(request.server)
  const answered: Effect.Effect<ElicitationResult, Dismissed | Declined> =
    request.mode === "form"
      ? Effect.map(askForm(exchange, { ...request, server }), (values) => ({
          action: "accept",
          content: Object.fromEntries(values)
        }))
      : Effect.as(askUrl(exchange, { ...request, server }), { action: "accept" })
  const told = (words: string, result: ElicitationResult) => Effect.as(exchange.show(`(${words})`), result)
  return answered.pipe(
    Effect.flatMap((result) => told(`sent to '${server}'`, result)),
    Effect.catchTags({
      Declined: () => told("declined", { action: "decline" }),
      Dismissed: () => told("dismissed", { action: "cancel" })
    }),
    Effect.onInterrupt(() => exchange.show(`('${server}' no longer waits for an answer)`))
  )
}
