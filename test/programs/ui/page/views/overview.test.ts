/** What the overview says. */
import { assert, describe, it } from "@effect/vitest"
import type { StateSpan } from "../../../../../src/schemas/control/History.ts"
import { sumsOf, within } from "../../../../../src/programs/ui/page/parts/spans.ts"
import type { Statuses } from "../../../../../src/programs/ui/page/store/Store.ts"
import { toolsThere } from "../../../../../src/programs/ui/page/views/Overview/toolCount.ts"
import { waitingFor } from "../../../../../src/programs/ui/page/views/Overview/waiting.ts"

const status = (more: Partial<Statuses[string]> = {}): Statuses[string] => ({
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
  ...more
})
const configuration = { file: "/x", readAt: 0, watched: true, fault: null, pending: [], unread: [] }
const question = {
  agent: "main",
  server: "fs",
  tool: "write",
  exposed: "w",
  rule: "ask",
  arguments: "",
  changed: false
}

describe("what waits for a person", () => {
  it("is nothing while everything goes its way, or tries again by itself", () => {
    const statuses = {
      a: status(),
      b: status({ state: "Backoff", lastError: "gone" }),
      c: status({ state: "Idle" }),
      d: status({ state: "Failed", waits: "login" })
    }
    assert.deepStrictEqual(waitingFor({ questions: [], statuses, configuration }), [])
    assert.deepStrictEqual(waitingFor({ questions: [], statuses: {}, configuration: undefined }), [])
  })

  it("begins with the questions, then faults, then definitions", () => {
    const items = waitingFor({
      questions: [{ _tag: "Approval", id: "1", question }],
      statuses: { fs: status({ withheld: 2 }), web: status({ state: "Failed", lastError: "no program" }) },
      configuration: { ...configuration, fault: "line 1", pending: ["gateway.port"], unread: [] }
    })
    assert.deepStrictEqual(
      items.map(({ leads }) => leads),
      [
        { view: "questions" },
        { view: "configuration" },
        { view: "pins" },
        { view: "server", name: "web" },
        { view: "configuration" }
      ]
    )
    assert.strictEqual(items[0]?.words, "main wants to call write of fs")
    assert.strictEqual(items[3]?.detail, "no program")
  })
})

describe("the tools on a card", () => {
  it("are those that the agent has, of those that the server lists", () => {
    assert.strictEqual(toolsThere(status({ tools: 9 })), "9")
    assert.strictEqual(toolsThere(status({ tools: 9, withheld: 0, denied: 0 })), "9")
    assert.strictEqual(toolsThere(status({ tools: 9, withheld: 1, denied: 2 })), "6 of 9")
  })
})

describe("the strip of a server's last hour", () => {
  const states: ReadonlyArray<StateSpan> = [
    { from: 0, to: 50, state: "Connecting" },
    { from: 50, to: 90, state: "Ready" },
    { from: 90, to: 95, state: "Backoff", reason: "exit" },
    { from: 95, state: "Ready" }
  ]

  it("has what lies within, and the present state until now", () => {
    assert.deepStrictEqual(within(states, 60, 100), [
      { from: 60, to: 90, state: "Ready" },
      { from: 90, to: 95, state: "Backoff", reason: "exit" },
      { from: 95, to: 100, state: "Ready" }
    ])
    assert.deepStrictEqual(within(states, 200, 100), [])
  })

  it("sums up for who does not see it, the longest first", () => {
    assert.deepStrictEqual(sumsOf(within(states, 60, 100)), [
      { state: "Ready", ms: 35 },
      { state: "Backoff", ms: 5 }
    ])
  })
})
