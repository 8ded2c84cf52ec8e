import { assert, describe, it } from "@effect/vitest"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { ownBeginning } from "../../../src/schemas/data/OwnCopy.ts"

const MEGABYTE = 1024 * 1024
setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

/** Made by a parser, as a text of a server is. */
const textOf = (chars: number): string => JSON.parse(`"${"x".repeat(chars)}"`)

const used = () => {
  collect()
  const { external, heapUsed } = process.memoryUsage()
  return heapUsed + external
}

describe("a copy of the beginning of a text", () => {
  it("has the whole text when it is short, and is cut to the limit", () => {
    assert.strictEqual(ownBeginning("short", 5), "short")
    assert.strictEqual(ownBeginning("longer", 5), "longe")
    assert.isTrue(ownBeginning("ab\u{1f600}", 3).isWellFormed())
  })

  it("does not keep the whole text in memory", () => {
    const before = used()
    const kept = Array.from({ length: 16 }, () => ownBeginning(textOf(4 * MEGABYTE), 1_000))
    assert.isBelow(used() - before, 16 * MEGABYTE)
    assert.lengthOf(kept, 16)
  })
})
