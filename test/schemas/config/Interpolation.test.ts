import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { interpolate, literalPart } from "../../../src/schemas/config/Interpolation.ts"

const ENV = { NAME: "ada", EMPTY: "", TRICK: "${NAME} $${NAME}", _x9: "ok" }
const textOf = (text: string) => interpolate(text, ENV).text

describe("interpolate", () => {
  it("puts variables in, anywhere and as often as they stand", () => {
    assert.strictEqual(textOf("${NAME}"), "ada")
    assert.strictEqual(textOf("<${NAME}-${_x9}>${NAME}"), "<ada-ok>ada")
  })

  it("uses the default when a variable is not set, or empty", () => {
    assert.strictEqual(textOf("${NOT_SET:-a b:c-d}"), "a b:c-d")
    assert.strictEqual(textOf("${EMPTY:-fallback}"), "fallback")
    assert.strictEqual(textOf("${NAME:-fallback}"), "ada")
    assert.deepStrictEqual(interpolate("[${NOT_SET:-}]", ENV), { text: "[]", missing: [], malformed: false })
  })

  it("an empty variable is a value where there is no default", () => {
    assert.deepStrictEqual(interpolate("[${EMPTY}]", ENV), { text: "[]", missing: [], malformed: false })
  })

  it("names every variable that is missing and leaves its reference in place", () => {
    assert.deepStrictEqual(interpolate("${A} ${NAME} ${B}", ENV), {
      text: "${A} ada ${B}",
      missing: ["A", "B"],
      malformed: false
    })
  })

  it("$${ stands for ${", () => {
    assert.deepStrictEqual(interpolate("$${NAME} $$${NAME} $NAME $5", ENV), {
      text: "${NAME} $${NAME} $NAME $5",
      missing: [],
      malformed: false
    })
  })

  it("what a variable gives is not searched again", () => {
    assert.strictEqual(textOf("${TRICK}"), "${NAME} $${NAME}")
    assert.strictEqual(textOf("${NOT_SET:-$NAME}"), "$NAME")
  })

  it("anything else that begins like a reference is malformed", () => {
    for (const text of ["${", "${}", "${NAME", "${1A}", "${env:NAME}", "${NAME-x}", "${A:-${B}}", "${ NAME }"]) {
      assert.isTrue(interpolate(text, ENV).malformed, text)
    }
  })

  it("members that every object inherits are no variables", () => {
    assert.deepStrictEqual(interpolate("${constructor}${__proto__}${toString}", {}).missing, [
      "constructor",
      "__proto__",
      "toString"
    ])
  })

  it("secret references are text", () => {
    assert.strictEqual(textOf("secret://vault/${NAME}#1"), "secret://vault/ada#1")
  })

  it.prop(
    "a text with every ${ escaped comes back as it was",
    [
      Arbitrary.map(Arbitrary.array(Arbitrary.schema(Schema.Literals(["$", "{", "}", "A", ":-", " "]))), (all) =>
        all.join("")
      )
    ],
    ([text]) => {
      assert.strictEqual(
        interpolate(
          text.replaceAll("${", () => "$${"),
          ENV
        ).text,
        text
      )
    }
  )
})

describe("literalPart", () => {
  it("is what stands in the file itself: all but the references, and their defaults", () => {
    assert.strictEqual(literalPart("Bearer ${TOKEN}"), "Bearer ")
    assert.strictEqual(literalPart("${TOKEN:-hunter2}"), "hunter2")
    assert.strictEqual(literalPart("plain"), "plain")
  })
})
