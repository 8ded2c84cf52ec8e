import { assert, describe, it } from "@effect/vitest"
import type { FiguresValue } from "../../../src/schemas/control/FiguresValue.ts"
import { callsByNode, type NodesValue, type NodeValue, serversByNode } from "../../../src/schemas/control/NodesValue.ts"

type Figures = FiguresValue[string]

const server = (node: string | null | undefined, calls = 0): Figures => ({
  status: {
    state: "Ready",
    transport: "stdio",
    protocolVersion: null,
    tools: 1,
    resources: 0,
    prompts: 0,
    pid: null,
    connectMs: null,
    restarts: 0,
    lastError: null,
    ...(node === undefined ? {} : { node })
  },
  calls: { calls } as Figures["calls"]
})

const node = (name: string, more: Partial<NodeValue>): NodeValue => ({
  name,
  incarnation: name,
  address: "127.0.0.1:1",
  version: "1",
  state: "alive",
  startedAt: 0,
  seenAt: 0,
  load: { sessions: 0, servers: 0, callsInFlight: 0 },
  ...more
})

const placesOf = (found: ReturnType<typeof serversByNode>) => found.map(({ node: at, server: name }) => `${name}@${at}`)

describe("the servers of all nodes", () => {
  it("are shown once where they live, and once for each node that has its own", () => {
    const servers = (calls: number) => ({ files: server("two", calls), remote: server(undefined) })
    const value: NodesValue = {
      self: "one",
      nodes: [
        node("one", { servers: servers(0) }),
        node("two", { servers: servers(0) }),
        node("three", { servers: servers(4) })
      ]
    }
    assert.deepStrictEqual(placesOf(serversByNode(value)), ["files@two", "remote@one", "remote@two", "remote@three"])
    assert.deepStrictEqual(
      placesOf(callsByNode(value)).filter((place) => place.startsWith("files")),
      ["files@three", "files@two"]
    )
  })

  it("are shown as the answering node sees them, if their node is silent, or they move", () => {
    const value: NodesValue = {
      self: "one",
      nodes: [
        node("one", { servers: { files: server("two"), moving: server(null) } }),
        node("two", { silent: "it does not answer" }),
        node("three", { servers: { files: server("two"), moving: server(null) } })
      ]
    }
    assert.deepStrictEqual(placesOf(serversByNode(value)), ["files@two", "moving@-"])
  })
})
