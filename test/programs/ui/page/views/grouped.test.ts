import { assert, describe, it } from "@effect/vitest"
import type { PinsChange } from "../../../../../src/schemas/control/PinsChange.ts"
import { approvable, byServer, decisionOf } from "../../../../../src/programs/ui/page/views/Pins/grouped.ts"

const change = (tool: string, more: Partial<PinsChange> = {}): PinsChange => ({
  server: "files",
  launch: "1",
  tool,
  hash: `hash of ${tool}`,
  shownServer: "files",
  shownTool: tool,
  status: "changed",
  isOlder: false,
  isCut: false,
  ...more
})

describe("definitions to decide about", () => {
  it("are grouped by server, and two ways to start one server are two servers", () => {
    const groups = byServer([
      change("a", { launch: "0", isOlder: true }),
      change("b", { status: "rejected" }),
      change("c"),
      change("d", { server: "web", shownServer: "web" })
    ])
    assert.deepStrictEqual(
      groups.map(({ changes, shownServer }) => [shownServer, ...changes.map(({ tool }) => tool)]),
      [
        ["files", "c", "b"],
        ["web", "d"],
        ["files", "a"]
      ]
    )
  })

  it("are approved together, except what was rejected, and what cannot be seen whole", () => {
    const all = approvable([change("a"), change("b", { status: "rejected" }), change("c", { isCut: true })])
    assert.deepStrictEqual(
      all.map(({ tool }) => tool),
      ["a"]
    )
  })

  it("are decided about exactly as they were shown: by their hashes", () => {
    assert.deepStrictEqual(decisionOf([change("a"), change("b")], "approve"), {
      server: "files",
      launch: "1",
      verdict: "approve",
      tools: [
        { name: "a", hash: "hash of a" },
        { name: "b", hash: "hash of b" }
      ]
    })
  })
})
