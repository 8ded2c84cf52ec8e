/**
 * Asks the person at the terminal one question of a server, up to the content that is sent back. Nothing is sent before they
 * have seen it and said yes; an address is shown and never opened.
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

/** Ctrl-C or Ctrl-D: the question ends without an answer. */
export class Dismissed extends Data.TaggedError("Dismissed") {}

class Declined extends Data.TaggedError("Declined") {}

/** Declines this question and all later ones of the server. */
class Muted extends Data.TaggedError("Muted") {}

/** A terminal that belongs to one question while it is asked. */
export interface Dialogue {
  readonly show: (lines: string) => Effect.Effect<void>
  /** Width of the terminal in columns. */
  readonly width: () => number
  /** Asks for one line, and returns it trimmed. With `hidden`, what is typed is not shown, where the terminal can do that. */
  readonly ask: (prompt: string, hidden?: boolean) => Effect.Effect<string, Dismissed>
}

const DECLINE = "!decline"
const MUTE = "!mute"
const EMPTY = "!empty"
/** Never contains a server's words: before the cursor they could pass for a question of the terminal or of another program. */
const PROMPT = "Your answer: "

/** By field name; `null` for a field that stays empty. */
type Values = ReadonlyMap<string, ElicitationValue | null>

const answerTo = ({ ask }: Dialogue, prompt: string): Effect.Effect<string, Dismissed | Declined | Muted> =>
  Effect.flatMap(ask(prompt), (line): Effect.Effect<string, Declined | Muted> =>
    line === DECLINE ? new Declined() : line === MUTE ? new Muted() : Effect.succeed(line)
  )

/** An empty line takes the value given before, or the default, or skips the field. */
const askField = Effect.fnUntraced(function* (dialogue: Dialogue, field: Field) {
  yield* dialogue.show(quoted(questionOf(field).join("\n"), dialogue.width()))
  for (;;) {
    const line = yield* answerTo(dialogue, PROMPT)
    if (line === EMPTY && !field.required) return null
    if (line === "" && (field.preset !== undefined || !field.required)) return field.preset ?? null
    const read = line === "" || line === EMPTY ? Result.fail("is required") : readLine(field, line)
    if (Result.isSuccess(read)) return read.success
    yield* dialogue.show(`  This field ${read.failure}; ${DECLINE} refuses the whole question.`)
  }
})

const fillIn = Effect.fnUntraced(function* (dialogue: Dialogue, fields: ReadonlyArray<Field>, before: Values) {
  const values = new Map<string, ElicitationValue | null>()
  for (const field of fields) {
    const given = before.get(field.name)
    const preset = given === undefined ? field.preset : (given ?? undefined)
    values.set(field.name, yield* askField(dialogue, { ...field, preset }))
  }
  return values
})

/** The host fills in defaults for fields that are missing: an empty field with a default is sent as `null`. */
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

const confirm = Effect.fnUntraced(function* (dialogue: Dialogue, server: string) {
  for (;;) {
    const answer = (yield* answerTo(dialogue, `Send this to '${server}'? [y]es / [n]o / [e]dit: `)).toLowerCase()
    if (answer === "y" || answer === "yes") return "yes"
    if (answer === "e" || answer === "edit") return "edit"
    if (answer === "n" || answer === "no") return yield* new Declined()
  }
})

type FormRequest = Extract<ElicitationRequest, { readonly mode: "form" }>
type UrlRequest = Extract<ElicitationRequest, { readonly mode: "url" }>

const askForm = Effect.fnUntraced(function* (dialogue: Dialogue, { message, requestedSchema, server }: FormRequest) {
  const fields = fieldsOf(requestedSchema)
  yield* dialogue.show(
    `The MCP server '${server}' asks:\n${quoted(message, dialogue.width())}\n(Enter takes the value in brackets, or skips the field; ${EMPTY} leaves a field empty.
${DECLINE} refuses, ${MUTE} refuses this and all further questions of '${server}', Ctrl-C dismisses.)`
  )
  let values: Values = new Map()
  for (;;) {
    values = yield* fillIn(dialogue, fields, values)
    yield* dialogue.show(summary(server, fields, values, dialogue.width()))
    if ((yield* confirm(dialogue, server)) === "yes") return contentOf(fields, values)
  }
})

const WARNING =
  "\nCareful: this address contains characters that look like others. It may not be the address that it seems to be."

/**
 * Only the address has no bar, so that it can be copied. It is percent-encoded and has no spaces, so it cannot imitate our text.
 */
const askUrl = Effect.fnUntraced(function* (dialogue: Dialogue, { host, message, server, url }: UrlRequest) {
  yield* dialogue.show(
    `The MCP server '${server}' asks you to visit an address:
${quoted(message, dialogue.width())}
Host: ${visible(host)}${mayImitate(host) ? WARNING : ""}
Address:
${visible(url)}
mcp-live does not open it. Open it yourself, and only if you trust ${visible(host)}.
(${DECLINE} refuses, ${MUTE} refuses this and whatever else '${server}' asks, Ctrl-C dismisses.)`
  )
  for (;;) {
    const answer = (yield* answerTo(dialogue, "Type done when you have, or no: ")).toLowerCase()
    if (answer === "done") return
    if (answer === "no" || answer === "n") return yield* new Declined()
  }
})

/** Asks the person, then shows the outcome. `mute` is called when they want no more questions of this server. */
export const elicit = (
  dialogue: Dialogue,
  request: ElicitationRequest,
  mute: () => void
): Effect.Effect<ElicitationResult> => {
  const server = visible(request.server)
  const answered: Effect.Effect<ElicitationResult, Dismissed | Declined | Muted> =
    request.mode === "form"
      ? Effect.map(askForm(dialogue, { ...request, server }), (content) => ({ action: "accept", content }))
      : Effect.as(askUrl(dialogue, { ...request, server }), { action: "accept" })
  const told = (words: string, result: ElicitationResult) => Effect.as(dialogue.show(`(${words})`), result)
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
      dialogue.show(`('${server}' has withdrawn its question; what you typed for it is discarded)`)
    )
  )
}
