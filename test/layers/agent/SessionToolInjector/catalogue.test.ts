import { assert, describe, it } from "@effect/vitest"
import { makeCatalogue } from "../../../../src/layers/agent/SessionToolInjector/catalogue.ts"
import { NODE_DESCRIPTION_MAX_CHARS } from "../../../../src/schemas/defaults/Injection.ts"
import type { AgentTool } from "../../../../src/schemas/call/Tool.ts"

const tool = (name: string, more: Partial<AgentTool> = {}): AgentTool => ({
  name,
  label: name,
  description: `The tool ${name}.`,
  parameters: { type: "object", properties: {} },
  server: "fs",
  tool: name,
  ...more
})

const names = (published: ReadonlyArray<{ readonly name: string }>) => published.map(({ name }) => name)

/** What an OpenClaw gateway takes; what it does not take it drops without a word. */
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/

describe("the tool list of a node", () => {
  it("has one entry for equal tools of several sessions", () => {
    const { add, all, remove } = makeCatalogue()
    const [a, b] = [{}, {}]
    assert.deepStrictEqual(add(a, [tool("mcp__fs__read")]), add(b, [tool("mcp__fs__read")]))
    assert.deepStrictEqual(names(all()), ["mcp__fs__read"])
    remove(a)
    assert.deepStrictEqual(names(all()), ["mcp__fs__read"])
    remove(b)
    assert.deepStrictEqual(all(), [])
  })

  it("has separate entries for different tools with the same name", () => {
    const { add, all } = makeCatalogue()
    const [first] = add({}, [tool("mcp__fs__read")])
    const [other] = add({}, [tool("mcp__fs__READ", { description: "Another." })])
    const [third] = add({}, [tool("mcp__fs__read", { parameters: { type: "object", required: ["path"] } })])
    assert.strictEqual(first!.name, "mcp__fs__read")
    assert.match(other!.name, /^mcp__fs__READ_[0-9a-f]{8}$/)
    assert.match(third!.name, /^mcp__fs__read_[0-9a-f]{8}$/)
    assert.deepStrictEqual([first!.tool, other!.tool, third!.tool], ["mcp__fs__read", "mcp__fs__READ", "mcp__fs__read"])
    assert.strictEqual(new Set([first!.server, other!.server, third!.server]).size, 3)
    assert.lengthOf(all(), 3)
  })

  it("keeps a name while a session uses it", () => {
    const { add, all, remove } = makeCatalogue()
    const [a, b] = [{}, {}]
    add(a, [tool("mcp__fs__read")])
    const [hashed] = add(b, [tool("mcp__fs__read", { description: "Another." })])
    remove(a)
    assert.deepStrictEqual(names(all()), [hashed!.name])
    const [again] = add({}, [tool("mcp__fs__read", { description: "Another." })])
    assert.strictEqual(again!.name, hashed!.name)
  })

  it("has names that a gateway accepts, without duplicates", () => {
    const { add, all } = makeCatalogue()
    const long = "x".repeat(64)
    add({}, [tool("_read"), tool(long), tool(`_${long}`.slice(0, 64))])
    add({}, [tool("_read", { description: "Another." }), tool(long, { description: "Another." })])
    assert.strictEqual(new Set(names(all()).map((name) => name.toLowerCase())).size, 5)
    for (const name of names(all())) assert.match(name, NAME)
  })

  it("has descriptions within the gateway's limit that are not empty", () => {
    const { add } = makeCatalogue()
    const described = (description: string) => add({}, [tool("mcp__fs__read", { description })])[0]!.description
    const fits = "d".repeat(NODE_DESCRIPTION_MAX_CHARS)
    assert.strictEqual(described(fits), fits)
    assert.strictEqual(described(`${fits}d`), `${fits.slice(0, -1)}…`)
    const emoji = described("\u{1f600}".repeat(NODE_DESCRIPTION_MAX_CHARS))
    assert.isAtMost(emoji.length, NODE_DESCRIPTION_MAX_CHARS)
    assert.isTrue(emoji.isWellFormed())
    assert.notStrictEqual(described(""), "")
  })
})
