import { assert, describe, it } from "@effect/vitest"
import * as Calls from "../../../src/programs/openclawPlugin/callsInFlight.ts"
import { OPENCLAW_CALLS_MAX } from "../../../src/schemas/defaults/OpenClaw.ts"
import { IMAGE_MAX_CHARS } from "../../../src/schemas/defaults/Results.ts"
import { nestedCallPrefix } from "../../../src/programs/openclawPlugin/nativeResult.ts"

const nested = (words: string) => ({ toolName: "docs__read", content: [{ type: "text", text: words }], details: {} })
const idIn = (call: string) => `${nestedCallPrefix(call)}docs__read:1`

describe("calls under way", () => {
  it("are known by their session: the same id of another one is another call", () => {
    Calls.began("a", "c1", 100)
    Calls.began("b", "c1", 200)
    assert.strictEqual(Calls.sinceBegan("a", "c1", 250), 150)
    assert.strictEqual(Calls.sinceBegan("b", "c1", 250), 50)
    Calls.gave("a", idIn("c2"), nested("of a"))
    assert.isUndefined(Calls.nestedOf("b", "c2"))
    assert.deepStrictEqual(Calls.nestedOf("a", "c2"), nested("of a"))
  })

  it("are forgotten once they were asked for, and the oldest when there are too many", () => {
    Calls.began("a", "once", 100)
    assert.strictEqual(Calls.sinceBegan("a", "once", 150), 50)
    assert.strictEqual(Calls.sinceBegan("a", "once", 150), 0)
    for (let i = 0; i <= OPENCLAW_CALLS_MAX; i++) {
      Calls.began("many", `${i}`, 100)
      Calls.gave("many", idIn(`call${i}`), nested(`${i}`))
    }
    assert.strictEqual(Calls.sinceBegan("many", "0", 150), 0)
    assert.strictEqual(Calls.sinceBegan("many", "1", 150), 50)
    assert.isUndefined(Calls.nestedOf("many", "call0"))
    assert.isDefined(Calls.nestedOf("many", "call1"))
  })

  it("keep only results of a tool search that are not too large", () => {
    Calls.gave("a", "c9", nested("direct"))
    assert.isUndefined(Calls.nestedOf("a", "c9"))
    Calls.gave("a", idIn("c10"), nested("x".repeat(IMAGE_MAX_CHARS + 1)))
    assert.isUndefined(Calls.nestedOf("a", "c10"))
  })

  it("do not take the beginning of an id for the id", () => {
    Calls.gave("a", idIn("call_12"), nested("twelve"))
    assert.isUndefined(Calls.nestedOf("a", "call_1"))
    assert.isDefined(Calls.nestedOf("a", "call_12"))
  })
})
