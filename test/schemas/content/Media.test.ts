import { assert, describe, it } from "@effect/vitest"
import {
  endingOf,
  FILE_TYPES,
  IMAGE_TYPES,
  likelyType,
  looksLike,
  plainType
} from "../../../src/schemas/content/Media.ts"
import { FILES, IMAGES, IMPOSTORS, VARIANTS } from "../../support/media.ts"

const ALL = { ...IMAGES, ...FILES }

describe("media types by their bytes", () => {
  it("there is a sample and an impostor for each allowed type", () => {
    assert.deepStrictEqual(Object.keys(IMAGE_TYPES), Object.keys(IMAGES))
    assert.deepStrictEqual(Object.keys(FILE_TYPES), Object.keys(FILES))
    assert.lengthOf(Object.keys(ALL), 25)
    assert.sameMembers([...new Set(IMPOSTORS.map(([type]) => type))], Object.keys(ALL))
  })

  it.each(Object.entries(ALL))("%s is what it says", (type, bytes) => {
    assert.isTrue(looksLike(type, bytes))
  })

  it.each(VARIANTS)("%s may be %s", (type, _, bytes) => {
    assert.isTrue(looksLike(type, bytes))
  })

  it.each(IMPOSTORS)("%s is not %s", (type, _, bytes) => {
    assert.isFalse(looksLike(type, bytes))
  })

  it.each(Object.keys(ALL))("%s is never nothing", (type) => {
    // An empty text is a text; that it is empty is for whoever takes it to say.
    assert.strictEqual(looksLike(type, new Uint8Array()), type.startsWith("text/"))
  })

  it("every beginning of every sample is checked without an exception", () => {
    for (const [type, bytes] of Object.entries(ALL)) {
      for (let size = 0; size < Math.min(bytes.length, 600); size++) looksLike(type, bytes.subarray(0, size))
    }
  })

  it("a sample is not valid as another type, except for related types", () => {
    const shared: ReadonlyArray<ReadonlySet<string>> = [
      new Set(["text/plain", "text/markdown", "text/html", "text/csv", "application/json", "application/pdf"]),
      new Set(["audio/ogg", "audio/opus"]),
      new Set(["audio/mp4", "video/mp4"]),
      new Set(["application/gzip", "application/x-compressed-tar"])
    ]
    for (const [type, bytes] of Object.entries(ALL)) {
      for (const other of Object.keys(ALL)) {
        if (type === other || shared.some((set) => set.has(type) && set.has(other))) continue
        assert.isFalse(looksLike(other, bytes), `${type} taken for ${other}`)
      }
    }
  })

  it("the likely type of bytes is found for images and video, and undefined for text", () => {
    assert.strictEqual(likelyType(IMAGES["image/png"]!), "image/png")
    assert.strictEqual(likelyType(FILES["video/quicktime"]!), "video/quicktime")
    assert.isUndefined(likelyType(Buffer.from("words")))
  })

  it("an unlisted type is undefined", () => {
    for (const type of ["image/svg+xml", "constructor", "__proto__", "toString"]) {
      assert.isUndefined(looksLike(type, IMAGES["image/png"]!))
    }
  })

  it("types are compared without case and without charset=utf-8", () => {
    assert.strictEqual(plainType("Image/PNG"), "image/png")
    assert.strictEqual(plainType('text/plain; charset="UTF-8"'), "text/plain")
    assert.strictEqual(plainType("application/json;charset=utf-8"), "application/json")
    assert.strictEqual(plainType("text/plain; charset=latin1"), "text/plain; charset=latin1")
    assert.strictEqual(plainType("image/png; charset=utf-8"), "image/png; charset=utf-8")
  })

  it('each type has a file extension, and an unknown one has "bin"', () => {
    assert.deepStrictEqual(
      ["image/jpeg", "image/png", "application/x-compressed-tar", "audio/mpeg", "x/y+z", "constructor"].map(endingOf),
      ["jpg", "png", "tar.gz", "mp3", "bin", "bin"]
    )
  })
})
