/** What takes the place of a person's name and id in records that stay. Pure. */
import { isObject } from "../data/Json.ts"

export const FORGOTTEN = "forgotten"

/** A client that names nobody. */
export const OPERATOR = "operator"

/** The line without the person; `undefined` if it is not one of theirs. */
export const withoutPerson = (line: string, ids: ReadonlySet<string>): string | undefined => {
  // Most lines are not theirs, and need not be parsed.
  if (!line.includes('"personId":"')) return undefined
  let record: unknown
  try {
    record = JSON.parse(line)
  } catch {
    return undefined
  }
  if (!isObject(record) || typeof record["personId"] !== "string" || !ids.has(record["personId"])) return undefined
  const { answeredById, client } = record
  return JSON.stringify({
    ...record,
    person: FORGOTTEN,
    personId: FORGOTTEN,
    ...(client === undefined || client === OPERATOR ? {} : { client: FORGOTTEN }),
    // Only their own client answers for them, beside the operator.
    ...(answeredById === undefined ? {} : { answeredBy: FORGOTTEN, answeredById: FORGOTTEN })
  })
}
