import { assert, describe, it } from "@effect/vitest"
import type { PlannedTool } from "../../../../../src/schemas/call/Plan.ts"
import {
  hidesTool,
  shownRows,
  silentServers,
  toolRows,
  whyOf
} from "../../../../../src/programs/ui/page/views/Tools/toolRows.ts"

const planned = (name: string, more: Partial<PlannedTool> = {}): PlannedTool => ({
  name,
  tool: name,
  state: "listed",
  rule: "deny *",
  asks: false,
  pin: "approved",
  tokens: 10,
  ...more
})
const server = (name: string, tools: ReadonlyArray<PlannedTool>, detail: string | null = null) => ({
  name,
  state: "Ready" as const,
  detail,
  tools,
  tokens: 0
})
const servers = [
  server("files", [
    planned("files_write", { asks: true, tokens: 30 }),
    planned("files_delete", { state: "denied", tokens: 20 }),
    planned("files_move", { state: "withheld", pin: "changed" })
  ]),
  server("web", [planned("web_fetch", { state: "searched", tokens: 40 })]),
  server("mail", [], "it ended")
]
const rows = toolRows({ servers, own: [{ name: "mcp_search", tokens: 5 }] })
const names = (query: Record<string, string>) => shownRows(rows, query).map(({ name }) => name)

describe("the tools of an agent", () => {
  it.each<[name: string, tool: string, hides: boolean]>([
    ["mcp_files_read_file", "read_file", false],
    ["mcp_files_read_file", "read.file", false],
    ["mcp_a_name_that_is_too_long_82dfdfae", "read_file", true],
    ["mcp_web_82dfdfae", "検索", true],
    ["mcp_web_b_82dfdfab", "c", true]
  ])(
    "are named as their server names them, too, where the name for agents does not say it: %s of %s",
    (name, tool, hides) => {
      assert.strictEqual(hidesTool({ name, tool }), hides)
    }
  )

  it.each<[string, Record<string, string>, ReadonlyArray<string>]>([
    ["all, by server", {}, ["files_write", "files_delete", "files_move", "web_fetch", "mcp_search"]],
    ["by name", { sort: "name" }, ["files_delete", "files_move", "files_write", "mcp_search", "web_fetch"]],
    ["by size", { sort: "tokens" }, ["web_fetch", "files_write", "files_delete", "files_move", "mcp_search"]],
    ["with words of a search, in any order", { text: "WRITE  files" }, ["files_write"]],
    ["of a server", { server: "web" }, ["web_fetch"]],
    ["that the agent gets", { state: "there" }, ["files_write", "web_fetch", "mcp_search"]],
    ["that it does not get", { state: "not" }, ["files_delete", "files_move"]],
    ["in one state", { state: "denied" }, ["files_delete"]],
    ["that ask first", { state: "asks" }, ["files_write"]],
    ["to review", { state: "pins" }, ["files_move"]],
    ["in order, whatever a hand wrote into the address", { sort: "toString" }, names({})]
  ])("are listed %s", (_, query, expected) => {
    assert.deepStrictEqual(names(query), expected)
  })

  it("have a reason why they are not there", () => {
    const why = (name: string) => whyOf(rows.find((row) => row.name === name)!)
    assert.match(why("files_delete"), /the rule “deny \*” denies it/)
    assert.match(why("files_move"), /its definition is changed, and nobody has approved it/)
  })

  it("come from servers, and those without any are named", () => {
    assert.deepStrictEqual(
      silentServers(servers).map(({ name }) => name),
      ["mail"]
    )
  })
})
