import { assert, describe, it } from "@effect/vitest"
import {
  joined,
  type LogFilter,
  matches,
  stretchesOf,
  toneOf
} from "../../../../../../src/programs/ui/page/views/Server/logLines.ts"
import type { ServerLogLine } from "../../../../../../src/schemas/connection/ServerLogLine.ts"

const line = (text: string, over: Partial<ServerLogLine> = {}): ServerLogLine => ({
  v: 1,
  time: "2026-01-01T00:00:00.000Z",
  server: "files",
  source: "stderr",
  level: "info",
  text,
  gateway: 1,
  ...over
})
const all: LogFilter = { server: "files", level: "debug", text: "" }

describe("the filter of the lines about a server", () => {
  it("takes the lines of this server alone", () => {
    assert.isTrue(matches(line("x"), all))
    assert.isFalse(matches(line("x", { server: "other" }), all))
  })

  it("takes one source, a level and what is worse, and lines that contain a text in any case", () => {
    assert.isFalse(matches(line("x"), { ...all, source: "log" }))
    assert.isTrue(matches(line("x", { source: "log" }), { ...all, source: "log" }))
    assert.isFalse(matches(line("x"), { ...all, level: "warning" }))
    assert.isTrue(matches(line("x", { level: "critical" }), { ...all, level: "warning" }))
    assert.isTrue(matches(line("Cannot OPEN it"), { ...all, text: "cannot open" }))
    assert.isFalse(matches(line("Cannot open it"), { ...all, text: "close" }))
  })
})

describe("the hits of a search", () => {
  it("are cut out of the text, which stays whole", () => {
    assert.deepStrictEqual(stretchesOf("An error, an Error", "error"), [
      { text: "An ", isHit: false },
      { text: "error", isHit: true },
      { text: ", an ", isHit: false },
      { text: "Error", isHit: true }
    ])
    assert.deepStrictEqual(stretchesOf("x", ""), [{ text: "x", isHit: false }])
  })

  it("stand where they are behind letters whose small form is longer", () => {
    assert.deepStrictEqual(stretchesOf("İİ error!", "ERROR"), [
      { text: "İİ ", isHit: false },
      { text: "error", isHit: true },
      { text: "!", isHit: false }
    ])
  })

  it("take markup and signs of expressions as text", () => {
    assert.deepStrictEqual(stretchesOf("<b>.*</b>", ".*"), [
      { text: "<b>", isHit: false },
      { text: ".*", isHit: true },
      { text: "</b>", isHit: false }
    ])
  })
})

describe("older lines and those that came meanwhile", () => {
  it("hold a line that is in both once, and one that was written twice, twice", () => {
    const [a, b, c] = [line("a"), line("b"), line("c")]
    assert.deepStrictEqual(joined([a, a, b], [a, b, b, c]), [a, a, b, b, c])
  })
})

it("asks for attention from warning on", () => {
  assert.deepStrictEqual((["debug", "notice", "warning", "emergency"] as const).map(toneOf), [
    "quiet",
    "plain",
    "warn",
    "bad"
  ])
})
