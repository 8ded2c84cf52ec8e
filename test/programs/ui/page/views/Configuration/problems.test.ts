import { assert, describe, it } from "@effect/vitest"
import { byLine, nextLine, wordsOf } from "../../../../../../src/programs/ui/page/views/Configuration/problems.ts"

const problem = (line: number, message: string, path = "") => ({ line, path, message })

describe("the problems of a configuration", () => {
  it("stand at their lines, those of the whole text first, and never behind its end", () => {
    const found = byLine([problem(3, "c"), problem(0, "whole"), problem(3, "d"), problem(99, "late")], 10)
    assert.deepStrictEqual(
      [...found].map(([line, all]) => [line, all.map(({ message }) => message)]),
      [
        [0, ["whole"]],
        [3, ["c", "d"]],
        [10, ["late"]]
      ]
    )
  })

  it("name their key", () => {
    assert.strictEqual(wordsOf(problem(1, "unknown key", "agents.x")), "agents.x: unknown key")
    assert.strictEqual(wordsOf(problem(1, "is empty")), "is empty")
  })

  it("are visited one after the other, around the end", () => {
    assert.deepStrictEqual(
      [0, 3, 7].map((from) => nextLine([7, 0, 3], from)),
      [3, 7, 3]
    )
    assert.isUndefined(nextLine([0], 1))
  })
})
