import { assert, describe, it } from "@effect/vitest"
import { isDrawable, pictureSize } from "../../../../../src/programs/ui/page/result/pictureSize.ts"

const bytes = (...parts: ReadonlyArray<string | ReadonlyArray<number>>): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => [...(typeof part === "string" ? Buffer.from(part, "latin1") : part)]))

const PNG = bytes("\x89PNG\r\n\x1a\n", [0, 0, 0, 13], "IHDR", [0, 0, 0x75, 0x30], [0, 0, 0x75, 0x31])

describe("the size of a picture", () => {
  it("is known from its first bytes", () => {
    const jpeg = [
      [0xff, 0xd8, 0xff, 0xe0, 0, 4, 0xff, 0xc0],
      [0xff, 0xc4, 0, 3, 0xff, 0xff],
      [0xff, 0xc2, 0, 17, 8, 1, 0, 2, 0]
    ]
    for (const [name, given, size] of [
      ["PNG", PNG, [30_000, 30_001]],
      ["GIF", bytes("GIF89a", [1, 2, 3, 4]), [0x201, 0x403]],
      ["JPEG", bytes(...jpeg), [512, 256]],
      ["WebP, extended", bytes("RIFF\0\0\0\0WEBPVP8X", [10, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 2, 0, 0]), [0x1_0002, 3]],
      ["WebP, lossless", bytes("RIFF\0\0\0\0WEBPVP8L\0\0\0\0", [0x2f, 1, 0x80, 0, 0]), [2, 3]],
      ["WebP, lossy", bytes("RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a", [5, 0, 6, 0x40]), [5, 6]]
    ] as const) {
      const found = pictureSize(given)
      assert.deepStrictEqual([found?.width, found?.height], [...size], name)
    }
  })

  it("is not known of anything else, nor of what ends too early", () => {
    for (const given of [
      "",
      "<svg/>",
      "<!doctype html>",
      "BM",
      "RIFF\0\0\0\0WAVE",
      "\xff\xd8",
      "\xff\xd8\xff\xe0\0\x10"
    ]) {
      assert.isUndefined(pictureSize(bytes(given)), given)
    }
    for (let length = 0; length < PNG.length; length++) assert.isUndefined(pictureSize(PNG.subarray(0, length)))
  })

  it("decides whether it is drawn", () => {
    assert.isTrue(isDrawable({ width: 5_120, height: 2_880 }))
    assert.isFalse(isDrawable({ width: 12_000, height: 12_000 }))
  })
})
