import { assert, describe, it } from "@effect/vitest"
import { pinsChanges } from "../../../../src/layers/control/ControlHandlers/pins.ts"
import { makeMasked, type Masked } from "../../../../src/layers/control/ControlHandlers/masked.ts"
import { noPins, type Pinned, type ServerPins, type ToolPin } from "../../../../src/schemas/call/Pins.ts"
import { PINS_ANSWER_MAX_CHARS, PINS_TEXT_MAX_CHARS } from "../../../../src/schemas/defaults/Control.ts"
import type { Redactor } from "../../../../src/services/content/Redactor.ts"

const HASH = "a".repeat(64)

const pinned = (description: string, hash = HASH): Pinned => ({
  hash,
  at: 1,
  definition: {
    name: "read",
    title: undefined,
    description,
    inputSchema: { type: "object" },
    outputSchema: undefined,
    annotations: undefined
  },
  instructions: "i"
})
const pin = (given: Partial<ToolPin>): ToolPin => ({ name: "read", rejected: false, gone: false, ...given })
const kept = (tools: ReadonlyArray<ToolPin>, given: Partial<ServerPins> = {}) => ({
  _tag: "Pins" as const,
  pins: {
    ...noPins("fs", "launch", 1),
    instructions: new Map([["i", "Be\u200b kind"]]),
    tools: new Map(tools.map((one) => [one.name, one])),
    ...given
  }
})

const plain: Masked = (value) => value

describe("the definitions that wait for a decision", () => {
  it("have what was approved and what is there now, with everything invisible escaped", () => {
    const { changes } = pinsChanges(
      [
        kept([
          pin({ approved: pinned("Reads"), pending: pinned("Reads\u200b all", "b".repeat(64)) }),
          pin({ name: "same", approved: pinned("Same") })
        ])
      ],
      plain
    )
    assert.strictEqual(changes.length, 1)
    const [{ current, hash, kept: before, status }] = changes as [(typeof changes)[number]]
    assert.deepStrictEqual([status, hash], ["changed", "b".repeat(64)])
    assert.include(current!.json, String.raw`"Reads\u200b all"`)
    assert.strictEqual(JSON.parse(before!.json).description, "Reads")
    assert.notInclude(current!.instructions!, "\u200b")
  })

  it("are named as a decision names them, and as a person can read them", () => {
    const name = "re\u202ead"
    const [change] = pinsChanges([kept([pin({ name, pending: pinned("x") })], { configuration: "c" })], plain).changes
    assert.deepInclude(change, { server: "fs", launch: "launch", configuration: "c", tool: name, status: "new" })
    assert.notInclude(change!.shownTool, "\u202e")
  })

  it("have secrets masked before they are cut, so that no part of one is left", () => {
    const secret = "hunter2-hunter2-hunter2"
    const masked = makeMasked({
      isEmpty: () => false,
      redact: (text) => text.replaceAll(secret, "[REDACTED]")
    } as Redactor["Service"])
    for (let before = 0; before < secret.length; before += 5) {
      const start = JSON.stringify({ name: "read", description: "" }, null, 2).length
      const said = `${"x".repeat(PINS_TEXT_MAX_CHARS - start - before)}${secret}`
      const [change] = pinsChanges([kept([pin({ pending: pinned(said) })])], masked).changes
      assert.notInclude(change!.current!.json, "hunter2")
    }
  })

  it("say when a text is cut, and how many do not fit", () => {
    const long = pinned("x".repeat(PINS_TEXT_MAX_CHARS))
    const [change] = pinsChanges([kept([pin({ pending: long })])], plain).changes
    assert.isTrue(change!.isCut && change!.current!.json.length === PINS_TEXT_MAX_CHARS)
    const count = Math.ceil(PINS_ANSWER_MAX_CHARS / PINS_TEXT_MAX_CHARS) + 3
    const many = Array.from({ length: count }, (_, i) => pin({ name: `t${i}`, pending: long }))
    const { changes, more } = pinsChanges([kept(many)], plain)
    assert.strictEqual(changes.length + more, count)
    assert.isAbove(more, 0)
  })

  it("come with the files that cannot be read", () => {
    const unreadable = { _tag: "Unreadable" as const, file: "fs.json", detail: "it is damaged" }
    assert.deepStrictEqual(pinsChanges([unreadable], plain).unreadable, [{ file: "fs.json", detail: "it is damaged" }])
  })
})
