/** Older tools of other servers whose names look the same. */
import { assert, describe, it } from "@effect/vitest"
import { makeShadows } from "../../../../src/layers/call/DefinitionLedger/shadows.ts"

describe("tools that look the same", () => {
  it("are found at another server than that of whoever asks, the first one first, however many have them", () => {
    const servers = ["a", "b", "c", "d"].map((server) => ({ server, tools: ["send_mail", "sendMail", `of ${server}`] }))
    const shadowed = makeShadows(() => servers)
    assert.deepStrictEqual(
      servers.map(({ server }) => shadowed(server)("s\u0435nd-mail")),
      ["b/send_mail", "a/send_mail", "a/send_mail", "a/send_mail"]
    )
    assert.isUndefined(shadowed("a")("of a"))
    assert.strictEqual(shadowed("b")("of a"), "a/of a")
  })

  it("are found by long names, too", () => {
    const long = "x".repeat(1_000)
    assert.strictEqual(makeShadows(() => [{ server: "a", tools: [long] }])("b")(`${long}_`), `a/${long}`)
  })
})
