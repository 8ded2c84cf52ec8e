/** Help that fits the terminal. */
import { assert, describe, it } from "@effect/vitest"
import * as CliOutput from "effect/cli/CliOutput"
import * as Context from "effect/Context"
import * as Option from "effect/Option"
import { stripVTControlCharacters } from "node:util"
import { fitted } from "../../../src/programs/cli/help.ts"

const flag = (name: string, type: string, description: string) => ({
  name,
  aliases: [],
  type,
  description: Option.some(description),
  required: false
})

const LONG = "Serve clients on a port of this machine instead of one client on stdin; a port may follow"

const DOC = {
  description: `${LONG}. ${LONG}`,
  usage: "mcp-live serve [flags]",
  annotations: Context.empty(),
  flags: [flag("http", "boolean", LONG), flag("port", "PORT", "The port")],
  globalFlags: [flag("log-level", "<all|trace|debug|info|warn|warning|error|fatal|none>", LONG)],
  examples: [{ command: `mcp-live serve --url https://mcp.example.com/${"x".repeat(80)}`, description: "One" }]
}

describe("help", () => {
  for (const colors of [false, true]) {
    it(`has no line that is wider than the terminal, and the same words, ${colors ? "with" : "without"} colors`, () => {
      const help = CliOutput.defaultFormatter({ colors }).formatHelpDoc(DOC)
      const text = stripVTControlCharacters(fitted(help, 80))
      for (const line of text.split("\n"))
        if (!line.startsWith("  mcp-live serve --url")) assert.isAtMost(line.length, 80, line)
      const words = (of: string) => stripVTControlCharacters(of).split(/\s+/)
      assert.deepStrictEqual(words(text), words(help))
      // Beside the name, below the beginning; or below a name that is too wide.
      assert.include(
        text,
        "  --http         Serve clients on a port of this machine instead of one client\n                 on stdin;"
      )
      assert.include(text, "warning|error|fatal|none>\n      Serve clients")
      assert.include(text, "  --port PORT    The port\n")
    })
  }

  it("stays as it is on a wide terminal", () => {
    const help = CliOutput.defaultFormatter({ colors: true }).formatHelpDoc(DOC)
    assert.strictEqual(fitted(help, 300), help)
  })
})
