/** Versions and ranges as doctor compares them. */
import { assert, describe, it } from "@effect/vitest"
import { isOlder, oldestIn, runtimeOf } from "../../../src/schemas/doctor/Programs.ts"

describe("versions", () => {
  it("are compared by their numbers", () => {
    assert.isTrue(isOlder("18.19.1", "20"))
    assert.isTrue(isOlder("3.9.18", "3.10"))
    assert.isFalse(isOlder("20.0.0", "20"))
    assert.isFalse(isOlder("v22.19.0", "22.19"))
  })

  it("of a range: the oldest one", () => {
    assert.strictEqual(oldestIn(">=20.10"), "20.10")
    assert.strictEqual(oldestIn("^22.0.0 || ^20.1.0 || >=24"), "20.1.0")
    assert.strictEqual(oldestIn("18.x"), "18")
    assert.isUndefined(oldestIn("*"))
  })

  it("are asked of the runtime of a program", () => {
    assert.deepStrictEqual(["npx", "uvx", "/usr/bin/node", "npx.cmd", "own"].map(runtimeOf), [
      "node",
      "uv",
      "node",
      "node",
      undefined
    ])
  })
})
