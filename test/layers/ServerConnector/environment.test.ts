import { assert, describe, it } from "@effect/vitest"
import { invalidName, serverEnvironment } from "../../../src/layers/ServerConnector/environment.ts"

describe("the environment of a server", () => {
  it("is a few harmless names of the host's and what is configured", () => {
    const host = {
      PATH: "/bin",
      LC_ALL: "C",
      LC_: "x",
      NODE_OPTIONS: "--inspect",
      TOKEN: "t",
      HOME: "() { :; }",
      TZ: undefined
    }
    assert.deepStrictEqual(serverEnvironment(host, { OWN: "1", PATH: "/own" }, "linux"), {
      PATH: "/own",
      LC_ALL: "C",
      OWN: "1"
    })
  })

  it("says how deep a chain of orders is, on every system", () => {
    const host = { MCP_LIVE_ORDER_DEPTH: "2", MCP_LIVE_HOME: "/x" }
    for (const platform of ["linux", "win32"] as const) {
      assert.deepStrictEqual(serverEnvironment(host, {}, platform), { MCP_LIVE_ORDER_DEPTH: "2" })
    }
  })

  it("takes names of the host's in any case on Windows, and only there", () => {
    assert.deepStrictEqual(serverEnvironment({ Path: "x", SystemRoot: "y" }, {}, "win32"), {
      Path: "x",
      SystemRoot: "y"
    })
    assert.deepStrictEqual(serverEnvironment({ Path: "x", path: "y" }, {}, "linux"), {})
  })

  it("a dangerous name is refused as the system compares names", () => {
    assert.isUndefined(invalidName("Node_Options", [], "linux"))
    assert.include(invalidName("Node_Options", [], "win32"), "env.Node_Options can make an interpreter")
    assert.isUndefined(invalidName("Node_Options", ["NODE_OPTIONS"], "win32"))
  })
})
