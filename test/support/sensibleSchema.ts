/** Schemas that say what they mean, and values that some of them take: the same for the same seed. */
import { generator } from "./random.ts"

export interface Sensible {
  readonly schema: unknown
  readonly values: ReadonlyArray<unknown>
}

const NAMES = ["a", "b", "c"]
const VALUES = ["x", "yy", "", 0, 1, 2.5, -1, true, false, null]
const VALUES_PER_SCHEMA = 12

export const sensibleSchema = (seed: number): Sensible => {
  const { below, chance, pick } = generator(seed)
  const some = <A>(make: () => A): Array<A> => Array.from({ length: 1 + below(3) }, make)
  const perhaps = (share: number, make: () => Record<string, unknown>) => (chance(share) ? make() : {})

  const value = (depth: number): unknown => {
    const kind = depth > 0 ? below(4) : 0
    if (kind < 2) return pick(VALUES)
    if (kind === 2) return Array.from({ length: below(3) }, () => value(depth - 1))
    return Object.fromEntries(Array.from({ length: below(3) }, () => [pick(NAMES), value(depth - 1)]))
  }

  const text = () => ({
    type: "string",
    ...perhaps(0.4, () => ({ minLength: 1 })),
    ...perhaps(0.2, () => ({ pattern: pick(["x", "(?!x)"]) })),
    ...perhaps(0.2, () => ({ not: { const: "x" } }))
  })

  const number = () => ({
    type: pick(["number", "integer"]),
    ...perhaps(0.5, () => ({ minimum: 0 })),
    ...perhaps(0.3, () => ({ exclusiveMaximum: 2 }))
  })

  const list = (depth: number) => ({
    type: "array",
    ...perhaps(0.7, () => ({ items: schema(depth - 1) })),
    ...perhaps(0.3, () => ({ maxItems: 2 })),
    ...perhaps(0.3, () => ({ prefixItems: some(() => schema(depth - 1)) })),
    ...perhaps(0.2, () => ({ uniqueItems: true }))
  })

  const object = (depth: number) => ({
    type: "object",
    properties: Object.fromEntries(some(() => [pick(NAMES), schema(depth - 1)])),
    ...perhaps(0.4, () => ({ required: [...new Set(some(() => pick(NAMES)))] })),
    ...perhaps(0.3, () => ({ additionalProperties: chance(0.5) ? false : schema(depth - 1) })),
    ...perhaps(0.1, () => ({ patternProperties: { "^b": schema(depth - 1) } }))
  })

  const plain: ReadonlyArray<(depth: number) => unknown> = [
    () => chance(0.7),
    () => ({ $ref: pick(["#/$defs/small", "#/$defs/tree"]) }),
    () => ({ enum: [...new Set(some(() => pick(VALUES)))] }),
    () => ({ const: pick(VALUES) }),
    () => ({ type: [...new Set(some(() => pick(["string", "number", "null", "boolean"])))] }),
    text,
    number,
    list,
    list,
    object,
    object
  ]

  const schema = (depth: number): unknown => {
    if (depth > 0 && chance(0.2)) return { [pick(["anyOf", "allOf", "oneOf"])]: some(() => schema(depth - 1)) }
    return depth > 0 ? pick(plain)(depth) : chance(0.5) ? text() : number()
  }

  const tree = { type: "object", properties: { a: { type: "string" }, b: { $ref: "#/$defs/tree" } } }
  return {
    schema: {
      type: "object",
      properties: { a: schema(3) },
      required: ["a"],
      $defs: { small: pick([text, list, object])(1), tree }
    },
    values: Array.from({ length: VALUES_PER_SCHEMA }, () => ({ a: value(3) }))
  }
}
