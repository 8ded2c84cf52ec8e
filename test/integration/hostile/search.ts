/** What nothing may hold that comes out of the runtime, whatever the server sent. */
import { assert } from "@effect/vitest"
import type { ToolResult } from "../../../src/schemas/call/Tool.ts"
import { ERROR_TEXT_MAX_CHARS, RESULT_MAX_BLOCKS, RESULT_MAX_BYTES } from "../../../src/schemas/defaults/Results.ts"
import { outsideOf, wrappedIn } from "../../support/boundaries.ts"
import { makeSearch, outsideSurvivors, stringsIn } from "../../support/survivors.ts"
import { textOf } from "./expectation.ts"

const SHOWN_MAX = 5
/** What the runtime itself says around the words of a server: boundaries, introductions, notes. */
const FRAME_MAX_CHARS = 8 * 1024

const clip = (text: string) => JSON.stringify(text.length > 300 ? `${text.slice(0, 300)}…` : text)

interface Came {
  readonly results: ReadonlyArray<ToolResult>
  readonly values: ReadonlyArray<unknown>
  readonly logs: ReadonlyArray<string>
  readonly secrets: ReadonlyArray<string>
}

export const assertClean = ({ logs, results, secrets, values }: Came): void => {
  const { survivors } = makeSearch(secrets)
  const left = stringsIn([values, logs]).flatMap(({ path, text }) =>
    survivors(text).map((survivor) => `${survivor} at ${path}: ${clip(text)}`)
  )
  assert.deepStrictEqual(left.slice(0, SHOWN_MAX), [])
  for (const result of results) {
    const text = textOf(result)
    wrappedIn(text)
    assert.deepStrictEqual(outsideSurvivors(text), [])
    assert.notInclude(outsideOf(text), "quoth", "the words of a server stand between boundaries")
    const room = "error" in result.details ? 2 * ERROR_TEXT_MAX_CHARS : RESULT_MAX_BYTES
    assert.isBelow(text.length, room + FRAME_MAX_CHARS)
    assert.isAtMost(result.content.length, RESULT_MAX_BLOCKS + 2)
    assert.isTrue(text.isWellFormed())
  }
}
