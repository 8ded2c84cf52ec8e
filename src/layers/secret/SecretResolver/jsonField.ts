/**
 * One field of a JSON object as the text of a secret. A number stays as it was written, and is not rounded; a nested value becomes JSON. Errors
 * quote neither the object nor its names.
 */
import * as Result from "effect/Result"

/** Parses JSON and keeps every number as its text. */
export const parseJson = (text: string): Result.Result<unknown, string> =>
  Result.try({ try: () => exactly(text), catch: () => "it is not JSON" })

/** The value of `key`, which must be an own field of the object. */
export const fieldOf = (object: unknown, key: string): Result.Result<string, string> => {
  if (typeof object !== "object" || object === null || Array.isArray(object) || isRawJSON(object)) {
    return Result.fail("it is not a JSON object, so it has no fields")
  }
  if (!Object.hasOwn(object, key))
    return Result.fail(`it has no such field; it has ${counted(Object.keys(object).length)}`)
  const value: unknown = Reflect.get(object, key)
  if (typeof value === "string") return Result.succeed(value)
  if (value === null || value === undefined) return Result.fail("the field is null")
  return Result.try({ try: () => JSON.stringify(value), catch: () => "the field is nested too deeply" })
}

const counted = (fields: number) =>
  fields === 0 ? "none" : fields === 1 ? "1, of another name" : `${fields}, of other names`

/** A member of any value. */
export const property = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined

/** A number in what `parseJson` gave; NaN if it is not one. */
export const numberOf = (value: unknown): number => (isRawJSON(value) ? Number(property(value, "rawJSON")) : Number.NaN)

// Every supported Node gives the source text to the reviver of JSON.parse; the types do not have it yet.
interface Exact {
  readonly rawJSON: (text: string) => unknown
  readonly isRawJSON: (value: unknown) => boolean
  readonly parse: (text: string, reviver: (key: string, value: unknown, at: { source: string }) => unknown) => unknown
}
const { isRawJSON, parse, rawJSON } = JSON as unknown as Exact

const exactly = (text: string): unknown =>
  parse(text, (_, value, { source }) => (typeof value === "number" ? rawJSON(source) : value))
