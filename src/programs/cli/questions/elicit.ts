/**
 * One question of a server to the person at the terminal, from the first line to what is sent back. Nothing is sent without
 * a last look and a yes; an address is shown and never opened.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import {
  mayImitate,
  type ElicitationRequest,
  type ElicitationResult,
  type ElicitationValue
} from "../../../schemas/content/HostRequest.ts"
import { type Field, fieldsOf, questionOf, readLine, showValue } from "./form.ts"
import { quoted, visible } from "../output.ts"

/** Ctrl-C, Ctrl-D: the question is gone without an answer. */
export class Dismissed extends Data.TaggedError("Dismissed") {}

class Declined extends Data.TaggedError("Declined") {}

/** No, and no to whatever else this server will ask. */
class Muted extends Data.TaggedError("Muted") {}

/** A terminal that is all the question's for as long as it is asked. */
export interface Dialogue {
  readonly show: (lines: string) => Effect.Effect<void>
  /** Columns of the terminal. */
  readonly width: () => number
  /** One line, trimmed, typed behind the prompt. */
  readonly ask: (prompt: string) => Effect.Effect<string, Dismissed>
}

const DECLINE = "!decline"
const MUTE = "!mute"
const EMPTY = "!empty"
/** Ours alone: a server's words before the cursor could pass for a question of the terminal's, or of another program's. */
const PROMPT = "Your answer: "

/** By name; `null` for a field that stays empty. */
type Values = ReadonlyMap<string, ElicitationValue | null>

const answerTo = ({ ask }: Dialogue, prompt: string): Effect.Effect<string, Dismissed | Declined | Muted> =>
  Effect.flatMap(ask(prompt), (line): Effect.Effect<string, Declined | Muted> =>
    line === DECLINE ? new Declined() : line === MUTE ? new Muted() : Effect.succeed(line)
  )

/** An empty line takes what was given before, or the default, or skips the field. */
const askField = Effect.fnUntraced(function* (exchange: Dialogue, field: Field) {
  yield* exchange.show(quoted(questionOf(field).join("\n"), exchange.width()))
  for (;;) {
    const line = yield* answerTo(exchange, PROMPT)
    if (line === EMPTY && !field.required) return null
    if (line === "" && (field.preset !== undefined || !field.required)) return field.preset ?? null
    const read = line === "" || line === EMPTY ? Result.fail("is required") : readLine(field, line)
    if (Result.isSuccess(read)) return read.success
    yield* exchange.show(`  This field ${read.failure}; ${DECLINE} refuses the whole question.`)
  }
})

const fillIn = Effect.fnUntraced(function* (exchange: Dialogue, fields: ReadonlyArray<Field>, before: Values) {
  const values = new Map<string, ElicitationValue | null>()
  for (const field of fields) {
    const given = before.get(field.name)
    const preset = given === undefined ? field.preset : (given ?? undefined)
    values.set(field.name, yield* askField(exchange, { ...field, preset }))
  }
  return values
})

/** What is not mentioned gets its default from the host: an empty field that has one is named, as `null`. */
const contentOf = (fields: ReadonlyArray<Field>, values: Values) =>
  Object.fromEntries(
    fields.flatMap(({ name, preset }) => {
      const value = values.get(name) ?? null
      return value === null && preset === undefined ? [] : [[name, value as ElicitationValue]]
    })
  )

const summary = (server: string, fields: ReadonlyArray<Field>, values: Values, width: number): string => {
  const rows = fields.map(({ name, title }) => {
    const value = values.get(name) ?? null
    return `${title}: ${value === null ? "(nothing)" : showValue(value)}`
  })
  return `To be sent to '${server}':\n${quoted(rows.join("\n"), width)}`
}

const confirm = Effect.fnUntraced(function* (exchange: Dialogue, server: string) {
  for (;;) {
    const answer = (yield* answerTo(exchange, `Send this to '${server}'? [y]es / [n]o / [e]dit: `)).toLowerCase()
    if (answer === "y" || answer === "yes") return "yes"
    if (answer === "e" || answer === "edit") return "edit"
    if (answer === "n" || answer === "no") return yield* new Declined()
  }
})

type FormRequest = Extract<ElicitationRequest, { readonly mode: "form" }>
type UrlRequest = Extract<ElicitationRequest, { readonly mode: "url" }>

const askForm = Effect.fnUntraced(function* (exchange: Dialogue, { message, requestedSchema, server }: FormRequest) {
  const fields = fieldsOf(requestedSchema)
  yield* exchange.show(
    `The MCP server '${server}' asks:\n${quoted(message, exchange.width())}\n(Enter takes what stands in brackets, or skips; ${EMPTY} leaves a field empty.
${DECLINE} refuses, ${MUTE} refuses this and whatever else '${server}' asks, Ctrl-C dismisses.)`
  )
  let values: Values = new Map()
  for (;;) {
    values = yield* fillIn(exchange, fields, values)
    yield* exchange.show(summary(server, fields, values, exchange.width()))
    if ((yield* confirm(exchange, server)) === "yes") return contentOf(fields, values)
  }
})

const WARNING =
  "\nCareful: this address is written with characters that may imitate others. It may not be the one it looks like."

/** The address alone stands without a bar, to be copied: percent-encoded as it is, it has no spaces to imitate us with. */
const askUrl = Effect.fnUntraced(function* (exchange: Dialogue, { host, message, server, url }: UrlRequest) {
  yield* exchange.show(
    `The MCP server '${server}' asks you to visit an address:
${quoted(message, exchange.width())}
Host: ${visible(host)}${mayImitate(host) ? WARNING : ""}
Address:
${visible(url)}
Nothing is opened from here. Open it yourself, and only if you trust ${visible(host)}.
(${DECLINE} refuses, ${MUTE} refuses this and whatever else '${server}' asks, Ctrl-C dismisses.)`
  )
  for (;;) {
    const answer = (yield* answerTo(exchange, "Type done when you have, or no: ")).toLowerCase()
    if (answer === "done") return
    if (answer === "no" || answer === "n") return yield* new Declined()
  }
})

/** What the person answers, and a last word that says what came of it. `mute`: they want no more of this server. */
export const elicit = (
  exchange: Dialogue,
  request: ElicitationRequest,
  mute: () => void
): Effect.Effect<ElicitationResult> => {
  const server = visible(request.server)
  const answered: Effect.Effect<ElicitationResult, Dismissed | Declined | Muted> =
    request.mode === "form"
      ? Effect.map(askForm(exchange, { ...request, server }), (content) => ({ action: "accept", content }))
      : Effect.as(askUrl(exchange, { ...request, server }), { action: "accept" })
  const told = (words: string, result: ElicitationResult) => Effect.as(exchange.show(`(${words})`), result)
  return answered.pipe(
    Effect.flatMap((result) => told(`sent to '${server}'`, result)),
    Effect.catchTags({
      Declined: () => told("declined", { action: "decline" }),
      Muted: () =>
        Effect.suspend(() => {
          mute()
          return told(`declined, and so is whatever '${server}' asks until you leave`, { action: "decline" })
        }),
      Dismissed: () => told("dismissed", { action: "cancel" })
    }),
    Effect.onInterrupt(() =>
      exchange.show(`('${server}' has withdrawn its question; what you typed for it is discarded)`)
    )
  )
}
