import { assert, describe, it } from "@effect/vitest"
import { renderLogLine } from "../../../../src/programs/cli/logs/rendering.ts"
import type { ServerLogLine } from "../../../../src/schemas/connection/ServerLogLine.ts"

const line: ServerLogLine = {
  v: 1,
  time: "2026-01-01T12:00:00.000Z",
  server: "fs",
  source: "stderr",
  level: "warning",
  text: "cannot open it",
  gateway: 1
}

describe("a line of the log about servers", () => {
  it("has its time, level and server; the server's text follows a bar", () => {
    assert.strictEqual(renderLogLine(line, true), "2026-01-01T12:00:00.000Z WARNING   [fs] │ cannot open it")
    assert.strictEqual(
      renderLogLine({ ...line, source: "gateway", level: "info", text: "stopped" }, false),
      "2026-01-01T12:00:00.000Z INFO      stopped"
    )
  })

  it("names the client that has the server alone", () => {
    const own = { ...line, whose: "client ada" }
    assert.strictEqual(renderLogLine(own, true), "2026-01-01T12:00:00.000Z WARNING   [fs, client ada] │ cannot open it")
    assert.strictEqual(renderLogLine(own, false), "2026-01-01T12:00:00.000Z WARNING   [client ada] │ cannot open it")
  })

  it("is one line, whatever the file contains", () => {
    const shown = renderLogLine({ ...line, server: "f\ns", text: "a\n2026 INFO stopped\u001b[2J\u202e" }, true)
    assert.strictEqual(shown, "2026-01-01T12:00:00.000Z WARNING   [f s] │ a 2026 INFO stopped\ufffd[2J\ufffd")
  })
})
