import { assert, describe, it } from "@effect/vitest"
import { type Feature, featureId } from "../../../../../src/layers/content/ContentSanitizer/injection/features.ts"
import { makeHints } from "../../../../../src/layers/content/ContentSanitizer/injection/hints.ts"
import { ENGLISH } from "../../../../../src/layers/content/ContentSanitizer/injection/lexicon/english.ts"

const hints = makeHints([ENGLISH])
const places: Array<number> = []
const hear = (feature: Feature, at: number) =>
  hints.hear(0, featureId(feature), at, (_, place) => void places.push(place))

describe("makeHints", () => {
  it("tells the place where what belongs together stands near one another, by its place in the text", () => {
    for (const length of [100, 1 << 29, 100]) {
      places.length = 0
      hints.begin(length)
      hear("role", 5)
      hear("mode", 20)
      assert.deepStrictEqual(places, [20])
    }
  })

  it("takes nothing of one text together with something of the next", () => {
    places.length = 0
    for (const feature of ["role", "mode", "role", "mode"] as const) {
      hints.begin(30)
      hear(feature, 5)
    }
    assert.deepStrictEqual(places, [])
  })
})
