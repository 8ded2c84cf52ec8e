import { assert, describe, it } from "@effect/vitest"
import { DESCRIPTORS_UNKNOWN } from "../../src/schemas/defaults/Processes.ts"
import { descriptorsIn, descriptorsMax } from "../../src/system/descriptors.ts"

describe("what the system lets a process have open", () => {
  it("is the soft limit", () => {
    const limits = [
      "Limit                     Soft Limit           Hard Limit           Units     ",
      "Max processes             7                    8                    processes ",
      "Max open files            256                  4096                 files     "
    ]
    assert.strictEqual(descriptorsIn(limits.join("\n")), 256)
  })

  it("may be without a limit, or unknown", () => {
    assert.strictEqual(
      descriptorsIn("Max open files            unlimited            unlimited            files"),
      Infinity
    )
    assert.strictEqual(descriptorsIn("nothing of the kind"), DESCRIPTORS_UNKNOWN)
  })

  it("is known of this process", () => {
    assert.isAbove(descriptorsMax(), 0)
  })
})
