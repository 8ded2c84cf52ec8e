import { assert, describe, it } from "@effect/vitest"
import manifest from "../../../src/programs/openclawPlugin/openclaw.plugin.json" with { type: "json" }
import { orderOf, PARAMETERS, TOOL } from "../../../src/programs/openclawPlugin/metaTool.ts"
import { PLUGIN_ID } from "../../../src/programs/openclawPlugin/plugin.ts"
import { hasServers, readSettings } from "../../../src/programs/openclawPlugin/settings.ts"

const order = (params: unknown) => orderOf(params, { room: 1000 })

describe("orderOf", () => {
  it("leads search and describe to the tools that do it", () => {
    assert.deepStrictEqual(order({ action: "search", query: "x", limit: 3, names: ["y"] }), {
      _tag: "Call",
      name: "mcp_search_tools",
      args: { query: "x", limit: 3 }
    })
    assert.deepStrictEqual(order({ action: "describe", names: ["a"], query: null }), {
      _tag: "Call",
      name: "mcp_describe_tool",
      args: { names: ["a"] }
    })
  })

  it("calls a tool with its arguments, and with none where none are given", () => {
    const called = (args: unknown) => order({ action: "call", name: "t", arguments: args })
    assert.deepStrictEqual(called({ a: 1 }), { _tag: "Call", name: "t", args: { a: 1 } })
    assert.deepStrictEqual(called(undefined), { _tag: "Call", name: "t", args: {} })
    assert.deepStrictEqual(called(null), { _tag: "Call", name: "t", args: {} })
  })

  it("reads on in pieces that fit", () => {
    const length = (given: object) => {
      const read = order({ action: "call", name: "mcp_read_more", arguments: given })
      return read._tag === "Call" && read.args["length"]
    }
    assert.strictEqual(length({ handle: "r-1" }), 1000)
    assert.strictEqual(length({ length: null }), 1000)
    assert.strictEqual(length({ length: 5000 }), 1000)
    assert.strictEqual(length({ length: 5 }), 5)
    assert.strictEqual(length({ length: "x" }), "x")
    assert.isUndefined(length({ grep: "x" }))
  })

  it("says why it does not call a tool, and calls none by way of another", () => {
    const refuses = (name: string) => (name === "t" ? "not that one" : undefined)
    const called = (name: string) => orderOf({ action: "call", name }, { room: 1000, refuses })
    assert.deepStrictEqual(called("t"), { _tag: "Wrong", why: "not that one" })
    assert.strictEqual(called("u")._tag, "Call")
    assert.strictEqual(called("mcp_call_tool")._tag, "Wrong")
  })

  it("says what is wrong with anything else", () => {
    for (const params of [
      undefined,
      "x",
      {},
      { action: 4 },
      { action: "call", name: "" },
      { action: "call", name: "t", arguments: [] }
    ]) {
      assert.strictEqual(order(params)._tag, "Wrong")
    }
  })
})

describe("the manifest", () => {
  it("names the plugin and its one tool, as OpenClaw wants them, and every setting that is read", () => {
    assert.strictEqual(manifest.id, PLUGIN_ID)
    assert.deepStrictEqual(manifest.contracts.tools, [TOOL])
    assert.deepStrictEqual(manifest.contracts.agentToolResultMiddleware, ["openclaw"])
    assert.deepStrictEqual(PARAMETERS.required, ["action"])
    assert.isFalse(manifest.configSchema.additionalProperties)
    const known = "agents audit dataDirectory file gateway maxResultChars maxTools mcp native secrets tools"
    assert.strictEqual(Object.keys(manifest.configSchema.properties).toSorted().join(" "), known)
  })
})

describe("readSettings", () => {
  it("has a guard and no servers when nothing is set, whatever it is given", () => {
    for (const given of [undefined, null, "x", [], {}]) {
      const settings = readSettings(given)
      assert.isTrue(settings.frame)
      assert.isFalse(hasServers(settings))
      assert.strictEqual(settings.maxResultChars, 16_000)
      assert.strictEqual(settings.maxTools, 60)
    }
  })

  it("takes a number of tools, also none", () => {
    for (const maxTools of [0, 7]) assert.strictEqual(readSettings({ maxTools }).maxTools, maxTools)
    for (const maxTools of [-1, 1.5, "7", null]) assert.strictEqual(readSettings({ maxTools }).maxTools, 60)
  })

  it("takes servers from a file, from agents or from mcp", () => {
    for (const given of [{ file: "x" }, { agents: {} }, { mcp: {} }]) assert.isTrue(hasServers(readSettings(given)))
    for (const given of [{ file: "" }, { secrets: {} }]) assert.isFalse(hasServers(readSettings(given)))
  })

  it("takes connections that are whole", () => {
    const connections = {
      a: { url: "u" },
      b: { url: "u", headers: { x: "y" } },
      c: {},
      d: { url: "u", headers: { x: 1 } },
      e: null
    }
    assert.deepStrictEqual(readSettings({ native: { connections } }).connections, {
      a: { url: "u" },
      b: { url: "u", headers: { x: "y" } }
    })
  })
})
