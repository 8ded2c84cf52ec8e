import { assert, describe, it } from "@effect/vitest"
import {
  changeRows,
  changeSentence,
  interrupted
} from "../../../../../../src/programs/ui/page/views/Configuration/changeRows.ts"

const NOTHING = { restarted: [], started: [], stopped: [], inPlace: [], needsRestart: [] }

describe("what an edit would change", () => {
  it("begins with what interrupts calls", () => {
    const change = {
      ...NOTHING,
      started: ["new"],
      restarted: ["files"],
      stopped: ["old (main)"],
      needsRestart: ["serve"]
    }
    assert.deepStrictEqual(
      changeRows(change).map(({ interrupts, what }) => [what, interrupts]),
      [
        ["Stops", true],
        ["Starts over", true],
        ["Starts", false],
        ["Counts only when the gateway is started again", false]
      ]
    )
    assert.deepStrictEqual(interrupted(change), ["old (main)", "files"])
  })

  it("is one sentence, also when nothing changes", () => {
    assert.strictEqual(changeSentence({ ...NOTHING, stopped: ["a", "b"] }), "Stops: a, b.")
    assert.match(changeSentence(NOTHING), /Nothing changes/)
  })
})
