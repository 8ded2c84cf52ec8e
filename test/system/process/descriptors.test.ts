import { assert, describe, it } from "@effect/vitest"
import { DESCRIPTORS_COVERED_MAX } from "../../../src/schemas/defaults/Processes.ts"
import { uncoverable } from "../../../src/system/process/descriptors.ts"

describe("files left open to this process", () => {
  it("are closed to servers up to the highest number that can be covered", () => {
    assert.isUndefined(uncoverable([]))
    assert.isUndefined(uncoverable([3, DESCRIPTORS_COVERED_MAX, 7]))
    assert.match(
      uncoverable([3, DESCRIPTORS_COVERED_MAX + 1, 7]) ?? "",
      /^a file that was left open to this process has number 16385, .*: close it before you start mcp-live/
    )
  })

  it("may be very many", () => {
    assert.isUndefined(uncoverable(Array.from({ length: 300_000 }, () => 5)))
  })
})
