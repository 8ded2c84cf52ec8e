/**
 * Schemas for the keys of a configuration. A section is one table of keys in one file; its decoder, defaults, type, rows in
 * docs/configuration.md and JSON Schema all come from that table.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Getter from "effect/SchemaGetter"
import * as Transformation from "effect/SchemaTransformation"
import { kindOf, oneOf, show } from "./Fields.ts"
import { noted, notes } from "./Notes.ts"

/** A key that also has other names. */
export interface Named<Alias extends string> {
  readonly "~aliases"?: Alias
}

/** A key with a default. */
export const key = <S extends Schema.Constraint, const Alias extends string = never>(
  schema: S,
  fallback: S["Type"],
  description: string,
  aliases: ReadonlyArray<Alias> = []
): Schema.withDecodingDefaultTypeKey<S> & Named<Alias> =>
  Schema.withDecodingDefaultTypeKey<S>(Effect.succeed(fallback))(
    noted(schema, { description, default: fallback, aliases, withoutDefault: schema.ast })
  )

/** An optional key; `fallback` describes the default in words. */
export const optional = <S extends Schema.Constraint, const Alias extends string = never>(
  schema: S,
  fallback: string,
  description: string,
  aliases: ReadonlyArray<Alias> = []
): Schema.optionalKey<S> & Named<Alias> => Schema.optionalKey(noted(schema, { description, fallback, aliases }))

/** As a person writes it, also under the other names. */
export type Written<K extends Schema.Struct.Fields> = Schema.Struct.Encoded<K> & {
  readonly [Name in keyof K as K[Name] extends Named<infer Alias> ? Alias : never]?: K[Name]["Encoded"]
}

/** A required key. */
export const required = <S extends Schema.Constraint>(schema: S, description: string): S =>
  noted(schema, { description })

export const flag = Schema.Boolean

const NUL = "\0"
const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== ""

const textProblem = (value: unknown): string | undefined => {
  if (!isText(value)) return `must be a string that is not empty, is ${kindOf(value)}`
  return value.includes(NUL) ? "must not contain a NUL character" : undefined
}

/** A string that is not empty. Its value is never shown. */
export const text = Schema.String.check(
  Schema.makeFilter((value: string) => textProblem(value) === undefined, {
    ...notes({ problem: textProblem }),
    toJsonSchema: () => ({ pattern: "\\S" })
  })
)

const checkedText = (problem: (value: string) => string | undefined) =>
  text.check(
    Schema.makeFilter(
      (value: string) => problem(value) === undefined,
      notes({ problem: (value) => textProblem(value) ?? problem(String(value)) })
    )
  )

/** A text that is not secret and may be shown; `fault` says what it must be. */
export const sound = (fault: (value: string) => string | undefined) =>
  checkedText((value) => {
    const wrong = fault(value)
    return wrong && `${wrong}, is ${show(value)}`
  })

/** Accepts other types where a text is meant, and converts them. */
const asText = <A extends string | number | boolean>(schema: Schema.Codec<A>, problem: (value: unknown) => string) =>
  schema
    .check(Schema.makeFilter((value) => isExact(value) && !String(value).includes(NUL)))
    .annotate(notes({ problem }))
    .pipe(Schema.decodeTo(Schema.String, Transformation.transform({ decode: String, encode: (value) => value as A })))
    .annotate(notes({ problem }))

const isExact = (value: unknown): boolean =>
  typeof value !== "number" || (Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value)))

const scalarProblem = (what: string) => (value: unknown) => {
  if (typeof value === "string") return "must not contain a NUL character"
  return typeof value === "number"
    ? "is a number that cannot be represented exactly: put it in quotes"
    : `must be ${what}, is ${kindOf(value)}`
}

/** The value of a variable or a header. */
export const scalar = asText(
  Schema.Union([Schema.String, Schema.Finite, Schema.Boolean]),
  scalarProblem("a string, a number or a boolean")
)

/** An argument may be an empty string; a number becomes text. */
const argument = asText(Schema.Union([Schema.String, Schema.Finite]), scalarProblem("a string"))

const listProblem =
  (what: string, max: number = Number.MAX_SAFE_INTEGER) =>
  (value: unknown) => {
    if (!Array.isArray(value)) return `must be a list of ${what}, is ${kindOf(value)}`
    return value.length > max ? `has more than ${max} ${what}` : undefined
  }

/** A list; `what` completes "must be a list of …". */
export const list = <S extends Schema.Constraint>(item: S, what: string, max?: number) => {
  const problem = listProblem(what, max)
  const items = Schema.Array(item)
  return max === undefined
    ? items.annotate(notes({ problem }))
    : items.check(Schema.isMaxLength(max)).annotate(notes({ problem }))
}

export const names = list(text, "names")
export const paths = list(text, "paths")
export const globs = list(text, "names or patterns")
/** Not empty: `enabled: false` is the clearer way to offer no tools. */
export const includedGlobs = Schema.Array(text)
  .check(Schema.isMinLength(1))
  .annotate(
    notes({
      problem: (value) =>
        Array.isArray(value) && value.length === 0
          ? "must not be empty: leave it out for all tools, or set enabled: false for none"
          : listProblem("names or patterns")(value)
    })
  )
export const exactNames = list(
  checkedText((value) => (/[*?]/.test(value) ? "takes exact names, not patterns" : undefined)),
  "names"
)

export const args = list(argument, "strings")
/** Texts by name: variables, headers. */
export const scalars = Schema.Record(Schema.String, scalar)

const mustBe = (what: string) => (value: unknown) => `must be ${what}, is ${show(value)}`

/** A choice of words; a wrong value is shown. */
export const choice = <const A extends string | boolean>(choices: ReadonlyArray<A>) =>
  Schema.Literals(choices).annotate(notes({ problem: mustBe(oneOf(choices)) }))

/** A text with a variable, `${NAME}`: its value is known once the variable is expanded. */
const Variable = Schema.TemplateLiteral([Schema.String, "${", Schema.String])

/** Also accepts such a text; it is checked after expansion. */
const orVariable = <A, E>(schema: Schema.Codec<A, E>, problem: (value: unknown) => string | undefined) =>
  Schema.Union([schema, Variable]).annotate(notes({ problem })) as unknown as Schema.Codec<
    A,
    E | (typeof Variable)["Encoded"]
  >

/** A choice of words; `what` completes "must be …". */
export const word = <const A extends string>(choices: ReadonlyArray<A>, what: string = oneOf(choices)) =>
  noted(orVariable(Schema.Literals(choices), mustBe(what)), { choices })

/** The same, or true or false. */
export const wordOrFlag = <const A extends string>(choices: ReadonlyArray<A>, what: string) =>
  noted(orVariable(Schema.Union([Schema.Boolean, Schema.Literals(choices)]), mustBe(what)), { choices })

export const numberProblem =
  (what: string, min: number, max: number = Number.MAX_SAFE_INTEGER) =>
  (value: unknown) => {
    if (typeof value === "number" && value > max) return `must be at most ${max}, is ${value}`
    const fraction = typeof value === "number" && value > min && !Number.isInteger(value) ? ", without a fraction" : ""
    return `must be ${what}${fraction}, is ${show(value)}`
  }

/** Integers within bounds; `what` completes "must be …". */
export const whole = (what: string, min: number, max: number = Number.MAX_SAFE_INTEGER) =>
  Schema.Int.check(Schema.isBetween({ minimum: min, maximum: max })).annotate(
    notes({
      problem: numberProblem(what, min, max)
    })
  )

/** Milliseconds, possibly with a fraction, which is rounded up because timers need integers. */
export const milliseconds = (what: string, min: number, max: number) =>
  Schema.Finite.check(
    min === 0 ? Schema.isGreaterThanOrEqualTo(0) : Schema.isGreaterThan(min - 1),
    Schema.isLessThanOrEqualTo(max)
  )
    .pipe(Schema.decode({ decode: Getter.transform(Math.ceil), encode: Getter.passthrough() }))
    .annotate(notes({ written: "milliseconds", problem: numberProblem(what, min, max) }))

const SECOND_MS = 1000

/** The same for time limits. Somebody who writes 30 means seconds, as in other programs. */
export const patience = (what: string, min: number, max: number) =>
  noted(milliseconds(what, min, max), {
    advice: (value) =>
      Math.ceil(Number(value)) < SECOND_MS
        ? `counts milliseconds: for ${String(value)} seconds write ${Number(value) * SECOND_MS}`
        : undefined
  })
