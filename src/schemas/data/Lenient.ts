/**
 * Schemas for data of others, of which every valid part counts: files that may be damaged, and the frames of a gateway of another version.
 * What is not valid is absent.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** A JSON object, whatever is in it. */
export const Members = Schema.Record(Schema.String, Schema.Unknown)

const absent = () => Effect.succeed(Option.none())

/** A member that is absent if it is not valid. */
export const ifValid = <S extends Schema.Constraint>(schema: S) =>
  Schema.optionalKey(Schema.catchDecoding<S>(absent)(schema))

/** Decodes, or gives `undefined`. */
export const reader = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S
): ((given: unknown) => S["Type"] | undefined) => {
  const decode = Schema.decodeUnknownOption(schema)
  return (given) => Option.getOrUndefined(decode(given))
}

/** The first `max` items of a list, without those that `read` gives nothing for. */
export const eachValid = <A>(
  given: unknown,
  read: (item: unknown) => A | undefined,
  max: number = Number.POSITIVE_INFINITY
): ReadonlyArray<A> => (Array.isArray(given) ? given.slice(0, max).flatMap((item: unknown) => read(item) ?? []) : [])
