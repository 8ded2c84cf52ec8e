import { assert, describe, it } from "@effect/vitest"
import { DEFAULT_CONTENT_POLICY } from "../../../src/schemas/content/ContentPolicy.ts"
import { FINDING_KINDS } from "../../../src/schemas/content/Finding.ts"
import { fingerprint } from "../../../src/schemas/connection/ServerConfig.ts"
import { decode, entryErrors, serverOf, withServer } from "./decoding.ts"

type Env = Readonly<Record<string, string>>
const contentOf = (keys: string, env: Env = {}) =>
  serverOf(decode(withServer(`{ command: "a", ${keys} }`), env)).content

describe("contentMode", () => {
  it("is delimit by default, and one of four modes", () => {
    assert.deepStrictEqual(contentOf(""), DEFAULT_CONTENT_POLICY)
    for (const mode of ["delimit", "datamark", "encode", "trusted"] as const) {
      assert.strictEqual(contentOf(`contentMode: "${mode}"`).mode, mode)
    }
    assert.strictEqual(contentOf(`contentMode: "\${MODE}"`, { MODE: "encode" }).mode, "encode")
    assert.deepStrictEqual(entryErrors(`{ command: "a", contentMode: "trust" }`), [
      'x.contentMode: must be one of "delimit", "datamark", "encode", "trusted", is "trust"'
    ])
    assert.deepStrictEqual(entryErrors(`{ command: "a", contentMode: true }`), [
      'x.contentMode: must be one of "delimit", "datamark", "encode", "trusted", is true'
    ])
  })
})

describe("onFinding", () => {
  it("may be one word for all kinds of findings", () => {
    assert.deepStrictEqual(contentOf(`onFinding: "report"`).withhold, [])
    assert.deepStrictEqual(contentOf(`onFinding: "withhold"`).withhold, FINDING_KINDS)
    assert.deepStrictEqual(contentOf(`onFinding: "\${W}"`, { W: "withhold" }).withhold, FINDING_KINDS)
  })

  it("may be an object by kind, and the other kinds are reported", () => {
    const keys = `onFinding: { exfilLink: "withhold", pattern: "report", secretEcho: "\${W:-withhold}" }`
    assert.deepStrictEqual(contentOf(keys).withhold, ["exfilLink", "secretEcho"])
    assert.deepStrictEqual(contentOf(`onFinding: {}`).withhold, [])
  })

  it("refuses an unknown kind, and names the nearest one or all", () => {
    assert.deepStrictEqual(entryErrors(`{ command: "a", onFinding: { paterns: "withhold", virus: "report" } }`), [
      'x.onFinding.paterns: unknown key, did you mean "pattern"?',
      `x.onFinding.virus: unknown kind of finding: there are ${FINDING_KINDS.join(", ")}`
    ])
  })

  it("refuses other values, and says what is allowed", () => {
    assert.deepStrictEqual(entryErrors(`{ command: "a", onFinding: "block" }`), [
      'x.onFinding: must be "report" or "withhold", is "block"'
    ])
    assert.deepStrictEqual(entryErrors(`{ command: "a", onFinding: { ansi: "block", control: true } }`), [
      'x.onFinding.ansi: must be "report" or "withhold", is "block"',
      'x.onFinding.control: must be "report" or "withhold", is true'
    ])
    for (const value of ["true", "[]", "null", "1"]) {
      assert.match(
        entryErrors(`{ command: "a", onFinding: ${value} }`).join(),
        /^x\.onFinding: must be "report", "withhold" or an object with kinds of findings, is /
      )
    }
  })
})

describe("content settings of an agent", () => {
  const text = `{
    mcp: { servers: { x: { command: "a", contentMode: "datamark", onFinding: "withhold" } } },
    agents: { list: [
      { id: "base" },
      { id: "own", mcp: { servers: { x: { contentMode: "trusted", onFinding: { ansi: "withhold" }, blockSecretArguments: false } } } }
    ] }
  }`

  it("override the shared ones key by key, and onFinding as a whole", () => {
    assert.deepStrictEqual(serverOf(decode(text), "x", "base").content, { mode: "datamark", withhold: FINDING_KINDS })
    assert.deepStrictEqual(serverOf(decode(text), "x", "own").content, { mode: "trusted", withhold: ["ansi"] })
    assert.deepStrictEqual(
      ["base", "own"].map((agent) => serverOf(decode(text), "x", agent).blockSecretArguments),
      [true, false]
    )
  })

  it("share a process across modes, but not across what is withheld", () => {
    const [base, own] = ["base", "own"].map((agent) => serverOf(decode(text), "x", agent))
    assert.notStrictEqual(fingerprint(base!), fingerprint(own!))
    const shown = { ...own!, content: { ...own!.content, withhold: base!.content.withhold } }
    assert.strictEqual(fingerprint(base!), fingerprint(shown))
  })

  it("are read from servers and mcpServers", () => {
    for (const home of ["servers", "mcpServers"]) {
      const config = decode(`{ ${home}: { x: { command: "a", contentMode: "trusted", onFinding: "withhold" } } }`)
      assert.deepStrictEqual(serverOf(config).content, { mode: "trusted", withhold: FINDING_KINDS })
    }
  })

  it("with misspelled keys or wrong types are errors", () => {
    assert.deepStrictEqual(entryErrors(`{ command: "a", contentmode: "trusted", onFindings: "withhold" }`), [
      'x.contentmode: unknown key, did you mean "contentMode"?',
      'x.onFindings: unknown key, did you mean "onFinding"?'
    ])
    assert.deepStrictEqual(entryErrors(`{ command: "a", blockSecretArguments: "no" }`), [
      'x.blockSecretArguments: must be true or false, is "no"'
    ])
  })
})
