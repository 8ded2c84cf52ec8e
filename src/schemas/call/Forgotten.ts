/** What takes the place of a person's name and id in records that stay. Pure. */
import { isObject } from "../data/Json.ts"

export const FORGOTTEN = "forgotten"

/** A client that names nobody. */
export const OPERATOR = "operator"

/** The line without the person, whose call it was or who answered for it; `undefined` if it is not one of theirs. */
export const withoutPerson = (line: string, ids: ReadonlySet<string>): string | undefined => {
  // Most lines are not theirs, and need not be parsed.
  if (!line.includes('"personId":"') && !line.includes('"answeredById":"')) return undefined
  let record: unknown
  try {
    record = JSON.parse(line)
  } catch {
    return undefined
  }
  if (!isObject(record)) return undefined
  const { answeredById, client, personId } = record
  const isOf = (id: unknown) => typeof id === "string" && ids.has(id)
  if (!isOf(personId) && !isOf(answeredById)) return undefined
  return JSON.stringify({
    ...record,
    ...(isOf(personId) ? { person: FORGOTTEN, personId: FORGOTTEN } : {}),
    ...(isOf(personId) && client !== undefined && client !== OPERATOR ? { client: FORGOTTEN } : {}),
    ...(isOf(answeredById) ? { answeredBy: FORGOTTEN, answeredById: FORGOTTEN } : {})
  })
}
