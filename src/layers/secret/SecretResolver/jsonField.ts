/**
 * One field of a JSON object as the text of a secret. A number comes out as it was written, not as a double would hold it,
 * and what is nested as JSON text. Pure; never quotes the object, nor the names in it.
 */
import * as Result from "effect/Result"

/** Parsed JSON in which every number is kept as its text. */
export const parseJson = (text: string): Result.Result<unknown, string> =>
  Result.try({ try: () => exactly(text), catch: () => "it is not JSON" })

/** The value of `key`, which must be a field of the object itself. */
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

/** A property of what may be anything. */
export const property = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined

/** A number in what `parseJson` gave; NaN when it is none. */
export const numberOf = (value: unknown): number => (isRawJSON(value) ? Number(property(value, "rawJSON")) : Number.NaN)

// Source text access of JSON.parse is in every Node that we run on, and not yet in the types.
interface Exact {
  readonly rawJSON: (text: string) => unknown
  readonly isRawJSON: (value: unknown) => boolean
  readonly parse: (text: string, reviver: (key: string, value: unknown, at: { source: string }) => unknown) => unknown
}
const { isRawJSON, parse, rawJSON } = JSON as unknown as Exact

const exactly = (text: string): unknown =>
  parse(text, (_, value, { source }) => (typeof value === "number" ? rawJSON(source) : value))
