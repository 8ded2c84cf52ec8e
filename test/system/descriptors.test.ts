import { assert, describe, it } from "@effect/vitest"
import { DESCRIPTORS_UNKNOWN } from "../../src/schemas/defaults/Processes.ts"
import { descriptorsIn, descriptorsMax } from "../../src/system/descriptors.ts"

describe("the limit of open files", () => {
  it('is the soft limit of "Max open files"', () => {
    const limits = [
      "Limit                     Soft Limit           Hard Limit           Units     ",
      "Max processes             7                    8                    processes ",
      "Max open files            256                  4096                 files     "
    ]
    assert.strictEqual(descriptorsIn(limits.join("\n")), 256)
  })

  it("may be infinite, and has a default where it cannot be read", () => {
    assert.strictEqual(
      descriptorsIn("Max open files            unlimited            unlimited            files"),
      Infinity
    )
    assert.strictEqual(descriptorsIn("nothing of the kind"), DESCRIPTORS_UNKNOWN)
  })

  it("is above zero for this process", () => {
    assert.isAbove(descriptorsMax(), 0)
  })
})
