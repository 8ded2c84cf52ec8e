import { assert, describe, it } from "@effect/vitest"
import type { AgentEvent } from "../../../src/schemas/agent/AgentEvent.ts"
import { makeTrace } from "../../../src/schemas/listener/MessageTrace.ts"
import type { ToolResult } from "../../../src/schemas/call/Tool.ts"

const CANARY = "canary-9f3Kq"
const DATA = Buffer.from(`${CANARY} in bytes`).toString("base64")

const result: ToolResult = {
  content: [
    { type: "text", text: `${CANARY} ünd` },
    { type: "image", data: DATA, mimeType: CANARY }
  ],
  isError: false,
  details: {
    externalContent: {
      untrusted: true,
      source: "mcp_server",
      server: "files",
      tool: "read",
      mode: "delimit",
      wrapped: true
    },
    findings: [],
    notes: [CANARY],
    originals: [{ type: "blob", mimeType: CANARY, uri: CANARY, bytes: 1024, data: DATA }]
  }
}
const refused: ToolResult = {
  content: [{ type: "text", text: CANARY }],
  isError: true,
  details: { error: { tag: "ToolNotFound", server: undefined, tool: CANARY, maybeExecuted: false } }
}

const EVENTS: ReadonlyArray<AgentEvent> = [
  { _tag: "Thought", delta: CANARY },
  { _tag: "Text", delta: CANARY },
  { _tag: "Text", delta: CANARY },
  { _tag: "ToolCall", id: CANARY, name: "mcp_files_read", args: { [CANARY]: CANARY, n: 1 }, title: CANARY },
  { _tag: "ToolProgress", id: CANARY, name: "mcp_files_read", progress: { progress: 1, total: 2, message: CANARY } },
  { _tag: "ToolResult", id: CANARY, name: "mcp_files_read", result },
  { _tag: "ToolCall", id: "2", name: `${CANARY} is not a name`, args: {} },
  { _tag: "ToolResult", id: "2", name: `${CANARY} is not a name`, result: refused },
  { _tag: "Usage", inputTokens: 11, outputTokens: 7 },
  { _tag: "Media", mediaType: CANARY, data: DATA, name: CANARY },
  { _tag: "Notice", text: CANARY },
  { _tag: "Done", reason: "stop", inputTokens: 1, outputTokens: 1 }
]

describe("the trace of an agent request", () => {
  const lines: Array<string> = []
  let at = 0
  const trace = makeTrace({ name: "order 1", log: (line) => void lines.push(line), now: () => (at += 100) })
  trace.modelAsked(1)
  for (const event of EVENTS) trace.event(event)

  it("tells when each phase was, what was called and how large it was", () => {
    assert.deepStrictEqual(
      lines.map((line) => line.replace(/\d\.\d{3} s/g, "T s")),
      [
        "order 1 +T s: model asked (step 1)",
        "order 1 +T s: thinks",
        "order 1 +T s: writes",
        "order 1 +T s: wrote 24 B of text",
        "order 1 +T s: thought 12 B",
        "order 1 +T s: call 1 (mcp_files_read) begins: 2 arguments, 37 B",
        "order 1 +T s: call 1 (mcp_files_read) of files/read ok after T s: 3 blocks, 1 KB",
        "order 1 +T s: call 2 (an unknown tool) begins: 0 arguments, 2 B",
        "order 1 +T s: call 2 (an unknown tool) failed (ToolNotFound) after T s: 1 block, 12 B",
        "order 1 +T s: step 1 took 11 tokens in, 7 out",
        "order 1 +T s: gave a medium: 21 B",
        "order 1 +T s: a notice of 12 B",
        "order 1 +T s: ended (stop) with 2 calls"
      ]
    )
    const times = lines.map((line) => Number(/\+(\d+\.\d+)/.exec(line)?.[1]))
    assert.deepStrictEqual(
      times,
      times.toSorted((a, b) => a - b)
    )
  })

  it("contains no argument and no text of an answer or server", () => {
    assert.notInclude(lines.join("\n"), CANARY)
    assert.notInclude(lines.join("\n"), DATA)
  })
})
