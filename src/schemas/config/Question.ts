/**
 * What a description of a server asks its user for (a registry's `server.json`, a bundle's manifest), and how the answers are put
 * into a server entry. The description is a stranger's: its texts are written literally, and it cannot refer to a variable or a secret of
 * the user. Pure.
 */
import * as Result from "effect/Result"
import { isAbsolute, join, resolve } from "node:path"
import { SECRET_SCHEME } from "../secret/SecretReference.ts"
import { escapeReferences } from "./Interpolation.ts"

export const FORMATS = ["string", "number", "boolean", "filepath"] as const
export type Format = (typeof FORMATS)[number]

export interface Question {
  /** How `--set` names it. */
  readonly key: string
  readonly title: string
  readonly description: string
  readonly required: boolean
  readonly secret: boolean
  readonly repeated: boolean
  readonly format: Format
  readonly preset: ReadonlyArray<string>
  readonly choices: ReadonlyArray<string>
  readonly min?: number | undefined
  readonly max?: number | undefined
}

/** A part of a text. A `reference` stands for a secret; it is written as it is. */
export interface Piece {
  readonly text: string
  readonly isReference: boolean
}

/** The answers by the keys of their questions; several for a question that is `repeated`. */
export type Answers = ReadonlyMap<string, ReadonlyArray<Piece>>

/** The server is not taken. The message completes "the server …" or is a sentence about a part of it. */
export class Refused extends Error {}

/** Runs what may throw `Refused`. */
export const refusable = <A>(work: () => A): Result.Result<A, string> => {
  try {
    return Result.succeed(work())
  } catch (error) {
    if (error instanceof Refused) return Result.fail(error.message)
    throw error
  }
}

export const literal = (text: string): Piece => ({ text, isReference: false })

/** What a person has typed may refer to secrets. */
export const typed = (text: string): Piece => ({ text, isReference: text.includes(SECRET_SCHEME) })

/** Whether an author's own value would read a secret of the user. */
export const readsSecrets = (text: string): boolean => text.toLowerCase().includes(SECRET_SCHEME)

const BARE = /^secret:\/\/[^\s,&:|()<>[\]{}]*$/

/** The text as it is written into a configuration. */
export const written = (pieces: ReadonlyArray<Piece>, what: string): string => {
  const runs: Array<Piece> = []
  for (const piece of pieces) {
    const last = runs.at(-1)
    if (piece.text === "") continue
    if (last === undefined || last.isReference || piece.isReference) runs.push(piece)
    else runs[runs.length - 1] = literal(last.text + piece.text)
  }
  return runs
    .map(({ isReference, text }) => {
      // Control characters also end lines of a header or of a terminal.
      if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text)) throw new Refused(`${what} has control characters`)
      if (isReference)
        return !text.startsWith(SECRET_SCHEME) || (runs.length === 1 && BARE.test(text)) ? text : `{${text}}`
      if (readsSecrets(text)) throw new Refused(`${what} refers to a secret of yours`)
      return escapeReferences(text)
    })
    .join("")
}

/** Relative to the current directory, as in a shell. */
export const pathTyped = (text: string, home: string, cwd: string): string =>
  text === "~" ? home : /^~[\\/]/.test(text) ? join(home, text.slice(2)) : isAbsolute(text) ? text : resolve(cwd, text)

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i

/** What is wrong with an answer; `undefined` if nothing. Completes "KEY …". */
export const problemWith = ({ choices, format, max, min }: Question, text: string): string | undefined => {
  if (typed(text).isReference) return undefined
  if (choices.length > 0 && !choices.includes(text)) return `must be one of: ${choices.join(", ")}`
  if (format === "boolean" && !/^(?:true|false)$/.test(text)) return "must be true or false"
  if (format !== "number") return undefined
  const value = NUMBER.test(text) ? Number(text) : Number.NaN
  if (!Number.isFinite(value)) return "must be a number"
  if (min !== undefined && value < min) return `must be at least ${min}`
  return max !== undefined && value > max ? `must be at most ${max}` : undefined
}
