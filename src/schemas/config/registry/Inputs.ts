/** The inputs of a `server.json`: which questions they are, and the texts that the answers give. Pure. */
import { type Answers, literal, type Piece, type Question, Refused, written } from "../Question.ts"
import type { Argument, Input, KeyValue } from "./ServerJson.ts"

type WithVariables = Input & { readonly variables?: Readonly<Record<string, Input>> }

const questionOf = (key: string, input: Input, more: Partial<Question> = {}): Question => ({
  key,
  title: key,
  description: input.description ?? "",
  required: input.isRequired === true,
  secret: input.isSecret === true,
  repeated: false,
  format: input.format ?? "string",
  preset: input.default === undefined ? [] : [input.default],
  choices: input.choices ?? [],
  ...more
})

/** Collects questions under keys that differ. */
export interface Asking {
  readonly questions: () => ReadonlyArray<Question>
  /** Returns the text for the input, once there are answers; `[]` if it is left out. */
  readonly ask: (
    key: string,
    input: WithVariables,
    what: string,
    more?: Partial<Question>
  ) => (answers: Answers) => ReadonlyArray<ReadonlyArray<Piece>>
}

/** Where the value of a variable comes from: it is fixed, or the answer to a question. */
type Place = { readonly fixed: Piece } | { readonly key: string }

const VARIABLE = /\{([A-Za-z_][\w.-]*)\}/g

/** The text with answers for its variables. Unknown ones stay as they are. */
const filled = (template: string, valueOf: (name: string) => Piece | undefined): ReadonlyArray<Piece> => {
  const pieces: Array<Piece> = []
  let end = 0
  for (const { 0: whole, 1: name = "", index } of template.matchAll(VARIABLE)) {
    const value = valueOf(name)
    if (value === undefined) continue
    pieces.push(literal(template.slice(end, index)), value)
    end = index + whole.length
  }
  return [...pieces, literal(template.slice(end))]
}

export const makeAsking = (): Asking => {
  const questions: Array<Question> = []
  const add = (key: string, input: Input, more?: Partial<Question>): string => {
    let free = key
    for (let count = 2; questions.some((one) => one.key === free); count++) free = `${key}-${count}`
    questions.push(questionOf(free, input, more))
    return free
  }
  return {
    questions: () => questions,
    ask: (key, input, what, more) => {
      const { value } = input
      if (value === undefined) {
        const asked = add(key, input, more)
        return (answers) => (answers.get(asked) ?? []).map((piece) => [piece])
      }
      const used = new Set([...value.matchAll(VARIABLE)].map(([, name]) => name!))
      const asked = new Map<string, Place>()
      for (const [name, variable] of Object.entries(input.variables ?? {})) {
        if (!used.has(name)) continue
        const isSecret = variable.isSecret === true || input.isSecret === true
        const fixed = variable.value
        asked.set(name, fixed === undefined ? { key: add(name, { ...variable, isSecret }) } : { fixed: literal(fixed) })
      }
      return (answers) => {
        const valueOf = (name: string): Piece | undefined => {
          const one = asked.get(name)
          if (one === undefined) return undefined
          const piece = "fixed" in one ? one.fixed : answers.get(one.key)?.[0]
          if (piece === undefined) throw new Refused(`${what} needs a value for '${name}'`)
          return piece
        }
        // Without a value for an optional variable, an optional input is left out.
        const isOpen = [...asked.values()].some((one) => "key" in one && answers.get(one.key) === undefined)
        return isOpen && input.isRequired !== true ? [] : [filled(value, valueOf)]
      }
    }
  }
}

/** A URL with the variables of its transport. */
export const templateOf = (
  asking: Asking,
  template: string,
  variables: Readonly<Record<string, Input>> | undefined,
  what: string
): ((answers: Answers) => string) => {
  const text = asking.ask("url", { value: template, isRequired: true, ...(variables && { variables }) }, what)
  return (answers) => written(text(answers)[0] ?? [], what)
}

/** Variables or headers. */
export const namedOf = (
  asking: Asking,
  inputs: ReadonlyArray<KeyValue>,
  what: string
): ((answers: Answers) => Readonly<Record<string, string>>) => {
  const texts = inputs.map((input) => [input.name, asking.ask(input.name, input, `${what} ${input.name}`)] as const)
  return (answers) =>
    Object.fromEntries(
      texts.flatMap(([name, text]) => text(answers).map((pieces) => [name, written(pieces, `${what} ${name}`)]))
    )
}

/** One argument in words. */
export type Words = ReadonlyArray<string>

const FLAG = /^-{1,2}[A-Za-z0-9][\w.:-]*$/

/** The words of an argument. A value that somebody types cannot become a flag. */
export const argumentOf = (
  asking: Asking,
  argument: Argument,
  position: number
): ((answers: Answers) => ReadonlyArray<Words>) => {
  const { isRepeated, name, type, value, valueHint } = argument
  const repeated = isRepeated === true
  if (type === "named") {
    if (name === undefined || !FLAG.test(name)) throw new Refused(`has a named argument whose name is no flag`)
    const what = `the argument ${name}`
    // Without a value to ask for, it is the flag alone.
    if (value === "") return () => [[name]]
    const text = asking.ask(name.replace(/^-+/, ""), argument, what, { repeated })
    return (answers) =>
      text(answers).map((pieces) => {
        const word = written(pieces, what)
        // In one word, the value cannot be read as another flag.
        if (name.startsWith("--")) return [`${name}=${word}`]
        if (word.startsWith("-")) throw new Refused(`${what} must not have a value that begins with a dash`)
        return [name, word]
      })
  }
  const key = valueHint ?? `argument-${position + 1}`
  const what = `the argument ${key}`
  const text = asking.ask(key, argument, what, { repeated })
  return (answers) =>
    text(answers).map((pieces) => {
      const word = written(pieces, what)
      if (value === undefined && word.startsWith("-")) throw new Refused(`${what} must not begin with a dash`)
      return [word]
    })
}
