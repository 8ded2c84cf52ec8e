import { assert, describe, it } from "@effect/vitest"
import { toolKind } from "../../../src/schemas/call/ToolKind.ts"

const readOnly = { readOnlyHint: true }

describe("the kind of a tool, for an icon", () => {
  it("follows the tool's annotations and whole words of its name", () => {
    assert.strictEqual(toolKind({ tool: "get_file", annotations: readOnly }), "read")
    assert.strictEqual(toolKind({ tool: "get_page", annotations: { ...readOnly, openWorldHint: true } }), "fetch")
    assert.strictEqual(toolKind({ tool: "search_files", annotations: readOnly }), "search")
    assert.strictEqual(toolKind({ tool: "delete_file" }), "delete")
    assert.strictEqual(toolKind({ tool: "rename-branch" }), "move")
    assert.strictEqual(toolKind({ tool: "deleted_files" }), "other")
    assert.strictEqual(toolKind({ tool: "find_and_replace" }), "other")
  })
})
