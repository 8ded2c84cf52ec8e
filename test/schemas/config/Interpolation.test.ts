import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { interpolate, literalPart } from "../../../src/schemas/config/Interpolation.ts"

const ENV = { NAME: "ada", EMPTY: "", TRICK: "${NAME} $${NAME}", _x9: "ok" }
const textOf = (text: string) => interpolate(text, ENV).text

describe("interpolate", () => {
  it("replaces every reference with its variable", () => {
    assert.strictEqual(textOf("${NAME}"), "ada")
    assert.strictEqual(textOf("<${NAME}-${_x9}>${NAME}"), "<ada-ok>ada")
  })

  it("uses the default when a variable is unset or empty", () => {
    assert.strictEqual(textOf("${NOT_SET:-a b:c-d}"), "a b:c-d")
    assert.strictEqual(textOf("${EMPTY:-fallback}"), "fallback")
    assert.strictEqual(textOf("${NAME:-fallback}"), "ada")
    assert.deepStrictEqual(interpolate("[${NOT_SET:-}]", ENV), { text: "[]", missing: [], malformed: false })
  })

  it("uses an empty variable where there is no default", () => {
    assert.deepStrictEqual(interpolate("[${EMPTY}]", ENV), { text: "[]", missing: [], malformed: false })
  })

  it("names every unset variable and keeps its reference", () => {
    assert.deepStrictEqual(interpolate("${A} ${NAME} ${B}", ENV), {
      text: "${A} ada ${B}",
      missing: ["A", "B"],
      malformed: false
    })
  })

  it("reads $${ as ${", () => {
    assert.deepStrictEqual(interpolate("$${NAME} $$${NAME} $NAME $5", ENV), {
      text: "${NAME} $${NAME} $NAME $5",
      missing: [],
      malformed: false
    })
  })

  it("does not interpolate the value of a variable", () => {
    assert.strictEqual(textOf("${TRICK}"), "${NAME} $${NAME}")
    assert.strictEqual(textOf("${NOT_SET:-$NAME}"), "$NAME")
  })

  it("reports any other ${ as malformed", () => {
    for (const text of ["${", "${}", "${NAME", "${1A}", "${env:NAME}", "${NAME-x}", "${A:-${B}}", "${ NAME }"]) {
      assert.isTrue(interpolate(text, ENV).malformed, text)
    }
  })

  it("does not read inherited members of the environment", () => {
    assert.deepStrictEqual(interpolate("${constructor}${__proto__}${toString}", {}).missing, [
      "constructor",
      "__proto__",
      "toString"
    ])
  })

  it("treats secret references as text", () => {
    assert.strictEqual(textOf("secret://vault/${NAME}#1"), "secret://vault/ada#1")
  })

  it.prop(
    "gives a text with every ${ escaped back unchanged",
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
  it("is the text without references, but with their defaults", () => {
    assert.strictEqual(literalPart("Bearer ${TOKEN}"), "Bearer ")
    assert.strictEqual(literalPart("${TOKEN:-hunter2}"), "hunter2")
    assert.strictEqual(literalPart("plain"), "plain")
  })
})
