import { assert, describe, it } from "@effect/vitest"
import { completeLine } from "../../../../src/programs/cli/prompt/completion.ts"

const tool = {
  name: "mcp_fs_edit",
  label: "Edit",
  description: "Edits",
  parameters: {
    type: "object",
    properties: { path: { type: "string" }, mode: { enum: ["read", "write"] }, dry: { type: "boolean" } },
    required: ["path"]
  },
  server: "fs",
  tool: "edit"
}
const prompt = { name: "mcp_fs_review", arguments: [{ name: "language" }] }

const complete = (line: string) => completeLine(line, { tools: [tool], prompts: [prompt], servers: ["fs", "db"] })

describe("Tab at the prompt", () => {
  it.each<[line: string, hits: Array<string>, of: string]>([
    ["/to", ["/tools"], "/to"],
    ["/q", ["/quit"], "/q"],
    ["/call mcp", ["mcp_fs_edit"], "mcp"],
    ["/call fs", ["fs/edit"], "fs"],
    ["/tools mcp_", ["mcp_fs_edit"], "mcp_"],
    ["/call mcp_fs_edit ", ["path=", "mode=", "dry="], ""],
    ["/call fs/edit path=a m", ["mode="], "m"],
    ["/call fs/edit path=a ", ["mode=", "dry="], ""],
    ["/call mcp_fs_edit mode=w", ["mode=write"], "mode=w"],
    ["/call mcp_fs_edit dry=", ["dry=true", "dry=false"], "dry="],
    ["/call unknown x", [], "x"],
    ["/prompt mcp", ["mcp_fs_review"], "mcp"],
    ["/prompt mcp_fs_review l", ["language="], "l"],
    ["/reset d", ["db"], "d"]
  ])("%j", (line, hits, of) => assert.deepStrictEqual(complete(line), [hits, of]))

  it("leaves a sentence alone", () => assert.deepStrictEqual(complete("read m"), [[], "read m"]))
})
