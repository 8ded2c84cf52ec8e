/** Findings as a person reads them. */
import { assert, describe, it } from "@effect/vitest"
import { renderAll, renderFinding } from "../../../../src/programs/cli/doctor/rendering.ts"
import { facts } from "../../../support/doctorFacts.ts"
import type { Finding } from "../../../../src/schemas/doctor/Finding.ts"

const finding: Finding = {
  id: "command-missing",
  severity: "error",
  server: "files",
  what: "The command 'npx' is not on PATH, and this sentence goes on for longer than a terminal of 80 columns is wide.",
  why: "The server cannot be started.",
  mend: "npx is part of Node.js: install it from https://nodejs.org, or as the package nodejs of your system"
}

describe("a finding", () => {
  it("keeps to the width of the terminal", () => {
    const lines = renderFinding(finding, 80).split("\n")
    assert.isTrue(
      lines.every(({ length }) => length <= 80),
      lines.join("\n")
    )
    assert.strictEqual(lines[0], "ERROR command-missing [files]")
    assert.isAbove(lines.length, 4)
    assert.include(lines, "  so:   The server cannot be started.")
    assert.isTrue(
      renderFinding(finding, 0)
        .split("\n")
        .every(({ length }) => length <= 40)
    )
  })

  it("keeps a long word whole, so that it can be copied", () => {
    const command = "/a/very/long/path".repeat(10)
    assert.include(renderFinding({ ...finding, mend: `chmod 0700 ${command}` }, 80), command)
  })

  it("is not left by what it quotes", () => {
    const what = "bad\u001b[2J\r\nERROR forged [x]\u202e"
    const lines = renderFinding({ ...finding, server: "a\nb", what }, 80).split("\n")
    assert.strictEqual(lines.filter((line) => line.startsWith("ERROR")).length, 1)
    assert.notMatch(lines.join(""), /[\u001b\u202e]/)
  })
})

describe("all findings", () => {
  it("say that no server was checked if the configuration cannot be used", () => {
    const text = renderAll(
      { ...facts, servers: [], file: "openclaw.json", faults: ["openclaw.json:1: a mistake"] },
      [],
      false,
      80
    )
    assert.include(text, "its servers were not checked")
    assert.notInclude(text, "0 servers")
  })
})
