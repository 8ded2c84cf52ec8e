import { assert, describe, it } from "@effect/vitest"
import { makeResolve } from "../../../../src/schemas/call/normalizeSchema/References.ts"

const DOCUMENT = {
  $id: "https://example.com/root.json",
  $defs: {
    "a/b": { is: "slash" },
    "a~b": { is: "tilde" },
    "a b": { is: "space" },
    "~1": { is: "both" },
    list: [{ is: "first" }, { is: "second" }],
    named: { $anchor: "anchor", is: "anchored" },
    dynamic: { $dynamicAnchor: "dynamic", is: "dynamic" },
    old: { $id: "#old", is: "old" },
    other: { $id: "other.json", is: "other", $defs: { inner: { is: "inner" } } },
    T0: { is: "bare" }
  }
}

describe("makeResolve", () => {
  const resolve = makeResolve(DOCUMENT)

  for (const [reference, is] of [
    ["#/$defs/a~1b", "slash"],
    ["#/$defs/a~0b", "tilde"],
    ["#/$defs/a%20b", "space"],
    ["#/%24defs/a%20b", "space"],
    ["#/$defs/~01", "both"],
    ["#/$defs/list/1", "second"],
    ["#anchor", "anchored"],
    ["#dynamic", "dynamic"],
    ["#old", "old"],
    ["other.json", "other"],
    ["other.json#/$defs/inner", "inner"],
    ["https://example.com/root.json#/$defs/T0", "bare"],
    ["https://example.com/root.json#anchor", "anchored"],
    ["T0", "bare"],
    ["#T0", "bare"]
  ] as const) {
    it(`finds ${reference}`, () => assert.propertyVal(resolve(reference), "is", is))
  }

  it("finds the document itself", () => {
    for (const reference of ["#", "", "https://example.com/root.json", "https://example.com/root.json#"]) {
      assert.strictEqual(resolve(reference), DOCUMENT)
    }
  })

  for (const reference of [
    "#/$defs/missing",
    "#/$defs/list/2",
    "#/$defs/list/length/x",
    "#/__proto__",
    "#/constructor/prototype",
    "#/$defs/%E0%A4%A",
    "#nowhere",
    "https://example.com/else.json",
    "file:///etc/passwd",
    "missing.json#/$defs/inner"
  ]) {
    it(`finds nothing at ${reference}`, () => assert.isUndefined(resolve(reference)))
  }

  it("visits an object that contains itself once", () => {
    const circle: Record<string, unknown> = { $anchor: "here" }
    circle["self"] = circle
    assert.strictEqual(makeResolve(circle)("#here"), circle)
    assert.isUndefined(makeResolve(circle)("#there"))
  })
})
