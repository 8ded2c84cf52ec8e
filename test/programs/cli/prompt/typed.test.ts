import { assert, describe, it } from "@effect/vitest"
import { asCommand } from "../../../../src/programs/cli/prompt/typed.ts"

describe("what is typed at the prompt", () => {
  it.each([
    ["help", "/help"],
    ["?", "/help"],
    ["exit", "/exit"],
    ["Quit", "/quit"],
    ["tools", "/tools"],
    ["tools memory", "/tools memory"],
    ["resources list", "/resources list"],
    ["status", "/status"]
  ])("%s means %s", (typed, command) => assert.strictEqual(asCommand(` ${typed} `), command))

  it.each(["help me with this", "tools are what I need", "exit the building", "/tools memory", "status of the build"])(
    "%s stays what it is",
    (typed) => assert.strictEqual(asCommand(typed), typed)
  )
})
