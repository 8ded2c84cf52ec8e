/** Addresses of the page. */
import { assert, describe, it } from "@effect/vitest"
import { addressOf, parseRoute } from "../../../../src/programs/ui/page/router.ts"

describe("an address of the page", () => {
  it("names the view, what it is about, and its filters", () => {
    assert.deepStrictEqual(parseRoute("#/calls?server=fs&text=a%20b"), {
      view: "calls",
      query: { server: "fs", text: "a b" }
    })
    assert.deepStrictEqual(parseRoute("#/server/a%2Fb"), { view: "server", name: "a/b", query: {} })
  })

  it("leads to the overview when it names no view", () => {
    for (const hash of ["", "#", "#/", "#/nothing", "#/__proto__", "#%"]) {
      assert.deepStrictEqual(parseRoute(hash), { view: "overview", query: {} }, hash)
    }
  })

  it("is read as it was written, whatever a server is called", () => {
    for (const name of ["a/b", "a?b=c", "a#b", "ä ö", "%", "<img>", "a%2Fb"]) {
      const route = { view: "server", name, query: { text: "x&y=z#?", level: "error" } } as const
      assert.deepStrictEqual(parseRoute(addressOf(route)), route, name)
    }
  })

  it("has no empty filters", () => {
    assert.strictEqual(addressOf({ view: "calls", query: { server: "", text: "x" } }), "#/calls?text=x")
    assert.strictEqual(addressOf({ view: "calls", query: {} }), "#/calls")
  })

  it("that is no valid encoding is taken as it is", () => {
    assert.strictEqual(parseRoute("#/server/100%").name, "100%")
  })
})
