/** How `--ui` is written. */
import { assert, describe, it } from "@effect/vitest"
import { withUi } from "../../../../src/programs/cli/page/flag.ts"

describe("--ui", () => {
  it("may have no value, which means as configured, and never takes the next word", () => {
    assert.deepStrictEqual(withUi(["start", "--ui", "--json"]), ["start", "--ui=configured", "--json"])
    assert.deepStrictEqual(withUi(["--config", "c", "serve", "--ui"]), ["--config", "c", "serve", "--ui=configured"])
    assert.deepStrictEqual(withUi(["start", "--ui=read-only"]), ["start", "--ui=read-only"])
  })

  it("is left as it is for other commands", () => {
    assert.deepStrictEqual(withUi(["call", "fs/echo", "--ui"]), ["call", "fs/echo", "--ui"])
  })
})
