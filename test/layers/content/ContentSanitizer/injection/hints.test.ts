import { assert, describe, it } from "@effect/vitest"
import { type Feature, featureId } from "../../../../../src/layers/content/ContentSanitizer/injection/features.ts"
import { makeHints } from "../../../../../src/layers/content/ContentSanitizer/injection/hints.ts"
import { ENGLISH } from "../../../../../src/layers/content/ContentSanitizer/injection/lexicon/english.ts"

const hints = makeHints([ENGLISH])
const places: Array<number> = []
const hear = (feature: Feature, at: number) =>
  hints.hear(0, featureId(feature), at, (_, place) => void places.push(place))

describe("makeHints", () => {
  it("gives the place in the text where related features stand close together", () => {
    for (const length of [100, 1 << 29, 100]) {
      places.length = 0
      hints.begin(length)
      hear("role", 5)
      hear("mode", 20)
      assert.deepStrictEqual(places, [20])
    }
  })

  it("does not combine features of two texts", () => {
    places.length = 0
    for (const feature of ["role", "mode", "role", "mode"] as const) {
      hints.begin(30)
      hear(feature, 5)
    }
    assert.deepStrictEqual(places, [])
  })
})
