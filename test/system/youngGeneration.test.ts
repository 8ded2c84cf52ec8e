/** The size of the young generation in real processes, while they have work for which V8 would have it grow. */
import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { YOUNG_GENERATION_BYTES } from "../../src/schemas/defaults/LargeWork.ts"

const at = (path: string) => new URL(`../fixtures/youngGeneration/${path}`, import.meta.url)
const SIZE = YOUNG_GENERATION_BYTES / 2 ** 20
/** The next size would be twice as large. */
const MOST = 1.5 * SIZE

interface Sizes {
  readonly before: number
  readonly most: number
  readonly later: number
}

const sizesWith = async (flags: ReadonlyArray<string>, options = ""): Promise<Sizes> => {
  const env = { ...process.env, NODE_OPTIONS: options }
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, fileURLToPath(at("kept.ts"))], { env })
  return JSON.parse(stdout) as Sizes
}

describe("the young generation", () => {
  it("stays at its size for as long as the scope lasts, and grows after that", async () => {
    const { later, most } = await sizesWith([])
    assert.isAtLeast(most, SIZE)
    assert.isBelow(most, MOST)
    assert.isAbove(later, 2 * SIZE)
  })

  it("grows to its size where it is smaller", async () => {
    const { before, most } = await sizesWith(["--import", at("notAtFirst.ts").href])
    assert.isBelow(before, SIZE)
    assert.isAtLeast(most, SIZE)
    assert.isBelow(most, MOST)
  })

  it("has the size with which Node was started", async () => {
    for (const sizes of [
      await sizesWith(["--max-semi-space-size=16"]),
      await sizesWith(["--max_semi_space_size=16"]),
      await sizesWith([], "--max-semi-space-size=16")
    ]) {
      assert.isAbove(sizes.most, 2 * SIZE)
    }
    const { most } = await sizesWith(["--semi-space-growth-factor=3"])
    assert.isAbove(most, 2 * SIZE)
  })
})
