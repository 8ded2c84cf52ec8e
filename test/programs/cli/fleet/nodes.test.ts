/** What runs for one person at the nodes of a fleet. */
import { assert, describe, it } from "@effect/vitest"
import { nodesOf, ownOf, statusesIn } from "../../../../src/programs/cli/fleet/nodes.ts"
import type { NodesValue } from "../../../../src/schemas/control/NodesValue.ts"

const own = (server: string, whose: string) => ({ server, whose, status: { state: "Ready" } })
const of = (whose: ReadonlyArray<string>) => whose.map((one) => own("bird", one))

const NODES = {
  self: "a",
  nodes: [
    { name: "a", servers: { files: { status: { state: "Ready" }, calls: {} } }, own: of(["ada #1a2b3c", "client ci"]) },
    { name: "b", own: of(["eve by vscode 0123456789abcdef", "ada by cli 0123456789abcdef"]) },
    { name: "c", silent: "no answer" }
  ]
} as unknown as NodesValue

describe("the servers of a fleet that run for one person", () => {
  it("are those of the person and of their clients at all nodes, without what people share", () => {
    assert.deepStrictEqual(Object.keys(statusesIn(nodesOf(NODES, "ada"))), [
      "bird (ada #1a2b3c) @ a",
      "bird (ada by cli 0123456789abcdef) @ b"
    ])
    assert.lengthOf(Object.keys(statusesIn(nodesOf(NODES, undefined))), 5)
    assert.isEmpty(ownOf(of(["client ci"]), "*"))
  })
})
