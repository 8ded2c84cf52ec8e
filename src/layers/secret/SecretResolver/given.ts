/**
 * Remembers which references each owner has asked for, and of the values only a keyed hash: to notice that another value would be given now.
 * The owners that asked least recently are forgotten.
 */
import { createHmac, randomBytes } from "node:crypto"
import { SECRETS_KEPT_MAX } from "../../../schemas/defaults/Secrets.ts"
import type { Question } from "./cache.ts"

interface Asked {
  readonly question: Question
  /** `undefined` if there was no value. */
  hash: string | undefined
  /** Why there was none when it was asked for again. */
  unread: string | undefined
}

export const makeGiven = () => {
  const key = randomBytes(32)
  const owners = new Map<string, Map<string, Asked>>()
  const hashOf = (value: string) => createHmac("sha256", key).update(value).digest("base64")
  const nameOf = (question: Question) => JSON.stringify(question)

  return {
    asked: (owner: string, question: Question): void => {
      const asked = owners.get(owner) ?? new Map<string, Asked>()
      owners.delete(owner)
      owners.set(owner, asked)
      if (owners.size > SECRETS_KEPT_MAX) owners.delete(owners.keys().next().value!)
      const name = nameOf(question)
      if (!asked.has(name) && asked.size < SECRETS_KEPT_MAX)
        asked.set(name, { question, hash: undefined, unread: undefined })
    },
    took: (owner: string, question: Question, value: string): void => {
      const asked = owners.get(owner)?.get(nameOf(question))
      if (asked === undefined) return
      asked.hash = hashOf(value)
      asked.unread = undefined
    },
    missed: (owner: string, question: Question, detail: string): void => {
      const asked = owners.get(owner)?.get(nameOf(question))
      if (asked?.hash !== undefined) asked.unread = detail
    },
    /** What the owner has got and could not be read since. */
    unread: (owner: string): ReadonlyArray<{ readonly question: Question; readonly detail: string }> =>
      [...(owners.get(owner)?.values() ?? [])].flatMap(({ question, unread }) =>
        unread === undefined ? [] : [{ question, detail: unread }]
      ),
    of: (owner: string): ReadonlyArray<Question> =>
      [...(owners.get(owner)?.values() ?? [])].map(({ question }) => question),
    isOther: (owner: string, question: Question, value: string): boolean => {
      const asked = owners.get(owner)?.get(nameOf(question))
      return asked !== undefined && asked.hash !== hashOf(value)
    }
  }
}
