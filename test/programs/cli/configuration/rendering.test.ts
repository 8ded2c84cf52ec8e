import { assert, describe, it } from "@effect/vitest"
import { configurationLines, reloadedText, renderPlan } from "../../../../src/programs/cli/configuration/rendering.ts"
import type { Plan, PlannedTool } from "../../../../src/schemas/call/Plan.ts"

const NOTHING = { restarted: [], started: [], stopped: [], inPlace: [], needsRestart: [] }

const tool = (name: string, more: Partial<PlannedTool> = {}): PlannedTool => ({
  name,
  tool: name,
  state: "listed",
  rule: "no rules",
  asks: false,
  pin: "approved",
  tokens: 12,
  ...more
})

const plan = (tools: ReadonlyArray<PlannedTool>, more: Partial<Plan> = {}): Plan => ({
  agent: "main",
  servers: [{ name: "files", state: "Ready", detail: null, tools, tokens: 12 }],
  own: [],
  tokens: 12,
  searchedTokens: 0,
  ...more
})

describe("a plan as text", () => {
  it("shows each tool with its size, and why it is not there", () => {
    const text = renderPlan(
      {
        plan: plan(
          [
            tool("mcp_files_read"),
            tool("mcp_files_write", { state: "denied", rule: "deny: files/write" }),
            tool("mcp_files_move", { asks: true, rule: "ask: files/move" }),
            tool("mcp_files_new", { state: "withheld", pin: "new" })
          ],
          { own: [{ name: "mcp_read_more", tokens: 200 }] }
        )
      },
      80
    )
    assert.deepStrictEqual(text.split("\n"), [
      "Agent main",
      "",
      "files: Ready, 2 of 4 tools, 12 tokens",
      "        12  mcp_files_read",
      "  -     12  mcp_files_write  denied (deny: files/write)",
      "        12  mcp_files_move  asks first (ask: files/move)",
      "  -     12  mcp_files_new",
      "              blocked until you approve it: mcp-live pins; its definition is new",
      "",
      "       200  mcp_read_more",
      "In all: 12 tokens"
    ])
  })

  it("says who approves the calls of a tool", () => {
    const approvers = ["group:leads", "ada@example.com"]
    const text = renderPlan({ plan: plan([tool("mv", { asks: true, approvers, rule: "ask: mv" })]) }, 80)
    assert.include(text, "mv  asks group:leads or ada@example.com first (ask: mv)")
  })

  it("has no line of more than 80 columns, whatever the names and reasons", () => {
    const long = "x".repeat(64)
    const text = renderPlan(
      {
        plan: {
          ...plan([tool(long, { state: "denied", rule: `deny: ${long}${long}`, tokens: 123_456 })], {
            next: { appear: [long], disappear: [long] },
            searchedTokens: 99_999
          })
        },
        change: { ...NOTHING, restarted: [long, long], needsRestart: ["serve"] }
      },
      80
    )
    assert.deepStrictEqual(
      text.split("\n").filter((line) => line.length > 80),
      []
    )
    assert.include(text, long)
    const reason = `openclaw.json:7: mcp.servers.files.timeuot: unknown key, did you mean "timeout"? ${long}`
    const fault = renderPlan({ plan: plan([]), fault: `${reason}\n${long}` }, 80)
    assert.isTrue(fault.split("\n").every((line) => line.length <= 80))
    // Without its end, a reason does not help.
    assert.include(fault.replace(/\n +/g, " "), reason)
  })

  it("has the whole reason why a server is not there", () => {
    const reason = `cannot be reached: connection refused; is it running? ${"Words ".repeat(20)}end`
    const detail = `MCP server 'dead' ${reason}`
    const text = renderPlan(
      { plan: plan([], { servers: [{ name: "dead", state: "Backoff", detail, tools: [], tokens: 0 }] }) },
      80
    )
    assert.include(text.replace(/\n +/g, " "), `dead: Backoff, ${reason}`)
    assert.isTrue(text.split("\n").every((line) => line.length <= 80))
  })

  it("says what the edited file would change, and nothing if nothing", () => {
    const change = { ...NOTHING, restarted: ["web"], inPlace: ["rules"] }
    const next = { appear: ["mcp_files_write"], disappear: [] }
    const text = renderPlan({ plan: plan([], { next }), change }, 80)
    assert.deepStrictEqual(text.split("\n").slice(-7), [
      "The file has changed. Applied now, it would:",
      "  restart:",
      "    web",
      "  change in place:",
      "    rules",
      "  tools that appear:",
      "    mcp_files_write"
    ])
    assert.notInclude(renderPlan({ plan: plan([]), change: NOTHING }, 80), "The file has changed")
  })
})

describe("what is said about the configuration of a running gateway", () => {
  it("is nothing as long as the file is what runs", () => {
    const state = { file: "/a", readAt: 0, watched: true, fault: null, pending: [], unread: [] }
    assert.deepStrictEqual(configurationLines(state), [])
    assert.deepStrictEqual(configurationLines({ ...state, fault: "a:1: broken", pending: ["serve"] }), [
      "the configuration cannot be used; the previous one stays in effect: a:1: broken",
      "changed, but needs a restart of the gateway: serve"
    ])
    const unread = [{ server: "web", reference: "secret://env/KEY", detail: "it is not set" }]
    assert.deepStrictEqual(configurationLines({ ...state, unread }), [
      "server web keeps the old value of secret://env/KEY, which cannot be read now: it is not set"
    ])
  })

  it("after a reload names what it did", () => {
    assert.strictEqual(reloadedText({ change: NOTHING, renewed: [], unread: [] }), "Nothing has changed.")
    const change = { ...NOTHING, started: ["a"], stopped: ["b"] }
    assert.strictEqual(
      reloadedText({ change, renewed: ["c"], unread: [] }),
      "start: a\nstop: b\nrestart, because a secret has changed: c"
    )
  })
})
