/**
 * Gets the values that a server needs: from `--set`, from the person at the terminal, or from the defaults of its author. Secrets are stored, and
 * the configuration gets references.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { homedir } from "node:os"
import { nearest } from "../../../schemas/call/Names.ts"
import {
  type Answers,
  literal,
  pathTyped,
  type Piece,
  problemWith,
  type Question,
  readsSecrets,
  typed
} from "../../../schemas/config/Question.ts"
import { type Keeper, SecretKeeper } from "../../../services/secret/SecretKeeper.ts"
import { shown } from "../clients/shown.ts"
import { UsageError } from "../command.ts"
import { quoted } from "../output.ts"
import { ownFloor } from "../questions/agreeing.ts"

export interface Asked {
  /** Whose values they are. */
  readonly name: string
  /** `KEY=VALUE`, or `KEY` for the variable of that name. */
  readonly set: ReadonlyArray<string>
  readonly mayAsk: boolean
}

export type Values = ReadonlyMap<string, ReadonlyArray<string>>

/** What `--set` says. */
const valuesSet = (set: ReadonlyArray<string>, questions: ReadonlyArray<Question>): Result.Result<Values, string> => {
  const values = new Map<string, Array<string>>()
  const keys = questions.map(({ key }) => key)
  for (const text of set) {
    const at = text.indexOf("=")
    const key = at === -1 ? text : text.slice(0, at)
    const value = at === -1 ? process.env[key] : text.slice(at + 1)
    if (!keys.includes(key)) {
      const near = nearest(key, keys)
      const hint =
        near === null
          ? keys.length === 0
            ? "; it asks for nothing"
            : `; it asks for ${keys.join(", ")}`
          : `; did you mean ${near}?`
      return Result.fail(`--set ${key}: the server does not ask for that${shown(hint)}`)
    }
    if (value === undefined)
      return Result.fail(`--set ${key}: this variable is not set; give it a value with ${key}=value`)
    values.set(key, [...(values.get(key) ?? []), value])
  }
  for (const { key, repeated } of questions) {
    if (!repeated && (values.get(key)?.length ?? 0) > 1) return Result.fail(`--set ${key} is given more than once`)
  }
  return Result.succeed(values)
}

const kindOf = ({ choices, format, secret }: Question): string =>
  choices.length > 0 ? `one of ${choices.join(", ")}` : secret ? "secret" : format === "filepath" ? "a path" : format

/** Of an author: it stands behind a bar. */
const askedText = (question: Question): string =>
  [
    `${question.title} (${kindOf(question)})${question.preset.length === 0 ? "" : ` [${question.preset.join(", ")}]`}`,
    ...(question.description === "" ? [] : [question.description])
  ]
    .map(shown)
    .join("\n")

/** Asks until the answer fits; an empty line takes the default. */
const askOne = Effect.fnUntraced(function* (question: Question) {
  return yield* ownFloor()(({ ask, show, width }) =>
    Effect.gen(function* () {
      yield* show(quoted(askedText(question), width()))
      for (;;) {
        const line = yield* ask("Your answer: ", question.secret)
        if (line === "" && question.preset.length > 0) return question.preset
        const problem = line === "" ? "is required" : problemWith(question, line)
        if (problem === undefined) return [line]
        yield* show(`  This value ${shown(problem)}; Ctrl-C ends without a change.`)
      }
    })
  )
})

/** Before the first question, so that the person knows for what. */
const announce = (name: string, count: number) =>
  ownFloor()(({ show }) => show(`'${shown(name)}' needs ${count === 1 ? "a value" : `${count} values`}:`))

const missingWords = (missing: ReadonlyArray<Question>): string =>
  `it needs ${missing.length === 1 ? "a value" : "values"}: ${missing
    .map(
      (question) =>
        `--set ${question.key}=… (${[kindOf(question), question.description].filter((part) => part !== "").join("; ")})`
    )
    .join(", ")}`

/** Fails if a value is missing and nobody can be asked. Optional questions are not asked. */
export const answered = Effect.fnUntraced(function* (questions: ReadonlyArray<Question>, { mayAsk, name, set }: Asked) {
  const given = yield* Effect.mapError(
    Effect.fromResult(valuesSet(set, questions)),
    (message) => new UsageError({ message })
  )
  const open = questions.filter(({ key, required }) => required && !given.has(key))
  const missing = open.filter(({ preset }) => preset.length === 0)
  if (missing.length > 0 && !mayAsk) return yield* new UsageError({ message: shown(missingWords(missing)) })
  const values = new Map<string, ReadonlyArray<string>>()
  if (mayAsk && open.length > 0) yield* announce(name, open.length)
  for (const question of questions) {
    const { key } = question
    const own = given.get(key)
    const isAsked = own === undefined && mayAsk && open.includes(question)
    const found = own ?? (isAsked ? yield* askOne(question) : question.preset)
    const problem = found.map((text) => problemWith(question, text)).find((one) => one !== undefined)
    if (problem !== undefined) return yield* new UsageError({ message: shown(`--set ${key}: the value ${problem}`) })
    if (found === question.preset && found.some(readsSecrets)) {
      return yield* new UsageError({ message: shown(`its author's value for ${key} refers to a secret of yours`) })
    }
    if (found.length > 0) values.set(key, found)
  }
  return values
})

/** The answers, with references in place of secrets. Without a keeper, secrets stay plain; `store: false` only names their places. */
export const asAnswers = Effect.fnUntraced(function* (
  server: string,
  questions: ReadonlyArray<Question>,
  values: Values,
  keeps: Keeper | "keep",
  store: boolean
) {
  const { keep, referenceFor } = yield* SecretKeeper
  const answers = new Map<string, ReadonlyArray<Piece>>()
  for (const { format, key, secret } of questions) {
    const pieces: Array<Piece> = []
    for (const text of values.get(key) ?? []) {
      const piece = typed(text)
      if (piece.isReference || !secret || keeps === "keep") {
        pieces.push(
          piece.isReference || format !== "filepath" ? piece : literal(pathTyped(text, homedir(), process.cwd()))
        )
      } else if (store) {
        const { reference } = yield* keep(keeps, { server, name: key, value: Redacted.make(text) })
        pieces.push({ text: reference, isReference: true })
      } else pieces.push({ text: referenceFor(keeps, { server, name: key }), isReference: true })
    }
    if (pieces.length > 0) answers.set(key, pieces)
  }
  return answers as Answers
})
