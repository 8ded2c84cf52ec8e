import { assert, describe, it } from "@effect/vitest"
import { makeThisProcess } from "../../../src/system/process/ThisProcess.ts"

describe("the state of this process", () => {
  it("numbers connections, and lets one sweep begin", () => {
    const { mayBeginSweep, nextConnection } = makeThisProcess()
    assert.deepStrictEqual([nextConnection(), nextConnection()], [1, 2])
    assert.deepStrictEqual([mayBeginSweep(), mayBeginSweep()], [true, false])
  })

  it("has one exit hook for all processes that it would kill, and they share one survey", () => {
    const before = process.listeners("exit")
    const { killAtExit } = makeThisProcess()
    const surveys = new Set<object>()
    const forget = [1, 2, 3].map(() => killAtExit((seen) => surveys.add(seen())))
    const added = process.listeners("exit").filter((listener) => !before.includes(listener))
    assert.lengthOf(added, 1)
    forget[0]!()
    for (const listener of added) {
      listener(0)
      process.off("exit", listener)
    }
    assert.strictEqual(surveys.size, 1)
  })
})
