import { assert, describe, it, layer } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as ToolPolicyLayer from "../../../src/layers/call/ToolPolicy.ts"
import type { ToolRules } from "../../../src/schemas/config/GatewayConfig.ts"
import { exposeNames } from "../../../src/schemas/call/Names.ts"
import { ToolPolicy, type ToolSubject } from "../../../src/services/call/ToolPolicy.ts"

const READ: ToolSubject = { exposed: "mcp_fs_read_file", server: "fs", tool: "read_file" }
const subject = (server: string, tool: string): ToolSubject => ({ exposed: `mcp_${server}_${tool}`, server, tool })
const allow = (...globs: ReadonlyArray<string>): ToolRules => ({ allow: globs, deny: [] })
const deny = (...globs: ReadonlyArray<string>): ToolRules => ({ allow: undefined, deny: globs })
const ask = (...globs: ReadonlyArray<string>): ToolRules => ({ allow: undefined, deny: [], ask: globs })

/** What only a caller without types can pass. */
const untyped = (rules: unknown) => rules as ReadonlyArray<ToolRules>

const policy = Effect.runSync(Effect.provide(Effect.service(ToolPolicy), ToolPolicyLayer.layer))
const allowed = (rules: ReadonlyArray<ToolRules>, tool: ToolSubject = READ) => policy.decide(rules, tool).allowed

/** The plainest possible meaning of a glob, to compare with. */
const oracle = (pattern: string, text: string): boolean => {
  if (pattern === "") return text === ""
  const [first, rest] = [pattern[0]!, pattern.slice(1)]
  if (first === "*") return oracle(rest, text) || (text !== "" && oracle(pattern, text.slice(1)))
  return text !== "" && (first === "?" || first === text[0]) && oracle(rest, text.slice(1))
}
const pieces = (alphabet: readonly [string, ...Array<string>], maxLength: number) =>
  Arbitrary.map(Arbitrary.array(Arbitrary.schema(Schema.Literals(alphabet)), { maxLength }), (letters) =>
    letters.join("")
  )

describe("ToolPolicy", () => {
  it("allows everything without rules", () => {
    assert.deepStrictEqual(policy.decide([], READ), { allowed: true, rule: "no rules" })
    assert.isTrue(allowed([{ allow: undefined, deny: [] }]))
  })

  it("names the rule that decided, as it was written", () => {
    assert.deepStrictEqual(policy.decide([allow("git/*", "FS/*")], READ), { allowed: true, rule: "allow: FS/*" })
    assert.deepStrictEqual(policy.decide([deny("FS/Read*")], READ), { allowed: false, rule: "deny: FS/Read*" })
    assert.deepStrictEqual(policy.decide([allow("git/*")], READ), { allowed: false, rule: "allow: no match" })
  })

  it("matches rules with the whole exposed name or the whole server/tool", () => {
    for (const glob of ["mcp_fs_read_file", "mcp_fs_*", "fs/read_file", "fs/*", "*/read_*", "*", "fs/read?file"]) {
      assert.isTrue(allowed([allow(glob)]), glob)
      assert.isFalse(allowed([deny(glob)]), glob)
    }
    for (const glob of ["read_file", "fs", "mcp_fs", "fs/read", "fs/?", "s/read_file", "fs/read_file_", "/"]) {
      assert.isFalse(allowed([allow(glob)]), glob)
      assert.isTrue(allowed([deny(glob)]), glob)
    }
  })

  it("says who approves: those of all rules that ask, and none of others", () => {
    const by = (glob: string, ...approvers: ReadonlyArray<string>): ToolRules => ({ ...ask(glob), approvers })
    const rules = [ask("fs/*"), by("*/read_*", "ada"), by("git/*", "eve"), by("*", "group:leads", "ada")]
    assert.deepStrictEqual(policy.decide(rules, READ), {
      allowed: true,
      ask: true,
      approvers: ["ada", "group:leads"],
      rule: "ask: */read_*"
    })
    assert.notProperty(policy.decide([ask("fs/*"), by("git/*", "eve")], READ), "approvers")
    for (const approvers of [[], "ada", ["client:x"], [" ada"], [1], {}]) {
      assert.isFalse(allowed(untyped([{ ...ask("git/*"), approvers }])), JSON.stringify(approvers))
    }
  })

  it("ignores case in rules and names", () => {
    assert.isFalse(allowed([deny("FS/READ_FILE")]))
    const loud: ToolSubject = { exposed: "MCP_Fs_Read", server: "FS", tool: "Read_File" }
    assert.isFalse(allowed([deny("fs/read_file")], loud))
    assert.isFalse(allowed([deny("mcp_fs_read")], loud))
  })

  it("matches slashes with *, and one character of any width with ?", () => {
    assert.isTrue(allowed([allow("fs/*")], subject("fs", "a/b/c")))
    assert.isTrue(allowed([allow("fs/?x")], subject("fs", "😀x")))
    assert.isTrue(allowed([allow("*?x")], subject("fs", "😀x")))
    assert.isFalse(allowed([allow("fs/??x")], subject("fs", "😀x")))
  })

  it("applies deny globs, but not allow globs, to a server whose name continues after a slash", () => {
    const brought = subject("fs/more", "read_file")
    for (const glob of ["fs/*", "fs/more*", "f?/*", "fs/more/read"])
      assert.isFalse(allowed([allow(glob)], brought), glob)
    for (const glob of ["fs/more/*", "*/read_*", "FS/*/read_file", "f*e/*", "*"]) {
      assert.isTrue(allowed([allow(glob)], brought), glob)
    }
    for (const glob of ["fs/*", "fs/more/*", "*/read_*"]) assert.isFalse(allowed([deny(glob)], brought), glob)
  })

  it("treats characters of regular expressions as plain text", () => {
    assert.isFalse(allowed([allow("fs/read.file")]))
    assert.isFalse(allowed([allow(".*")]))
    assert.isTrue(allowed([allow("fs/a.b(c)[d]$")], subject("fs", "a.b(c)[d]$")))
  })

  it("lets deny win over allow", () => {
    assert.isFalse(allowed([{ allow: ["fs/read_file"], deny: ["fs/*"] }]))
    assert.isFalse(allowed([{ allow: ["*"], deny: ["*/read_file"] }]))
  })

  it("allows nothing with an empty allow list", () => {
    assert.deepStrictEqual(policy.decide([allow()], READ), { allowed: false, rule: "allow: no match" })
  })

  it("allows a tool only when every set of rules does", () => {
    assert.isTrue(allowed([allow("fs/*"), allow("*/read_*"), deny("git/*")]))
    assert.isFalse(allowed([allow("fs/*"), allow("git/*")]))
    assert.isFalse(allowed([allow("fs/*"), deny("*/read_*")]))
    assert.isFalse(allowed([deny("fs/*"), allow("fs/*")]))
  })

  it("denies when any rule is malformed", () => {
    const bad = ["", " fs/*", "fs/* ", "fs/\n*", "fs/\u0000", "\u200bfs/*", "fs/\u202e*", "x".repeat(513), 7, null, {}]
    for (const rule of bad) {
      assert.isFalse(allowed(untyped([{ allow: ["*", rule], deny: [] }])), JSON.stringify(rule))
      assert.isFalse(allowed(untyped([{ allow: undefined, deny: [rule] }])), JSON.stringify(rule))
      assert.isFalse(allowed(untyped([deny(), { allow: undefined, deny: [rule] }])), JSON.stringify(rule))
    }
    assert.isTrue(allowed([deny("x".repeat(512))]))
  })

  it("denies when a set of rules is malformed", () => {
    for (const rules of [[null], [{}], [{ allow: "*", deny: [] }], [{ allow: null, deny: [] }], [{ allow: ["*"] }]]) {
      assert.isFalse(allowed(untyped(rules)), JSON.stringify(rules))
    }
  })

  it("applies rules for the usual exposed name to a tool whose name got a hash after a collision", () => {
    const names = exposeNames(
      "gateway",
      ["write", "Write"].map((tool) => ({ server: "fs", prefix: "fs", tool }))
    )
    assert.notStrictEqual(names[0], "mcp_fs_write")
    const hashed: ToolSubject = { exposed: names[0]!, server: "fs", tool: "write" }
    assert.isFalse(allowed([deny("mcp_fs_write")], hashed))
    // The other way round nothing is allowed that was not named.
    assert.isFalse(allowed([allow("mcp_fs_write")], hashed))
    const [apart] = exposeNames("gateway", [{ server: "git", prefix: "git", tool: "hub_push" }], ["git", "git_hub"])
    const elsewhere: ToolSubject = { exposed: apart!, server: "git", tool: "hub_push" }
    for (const glob of ["mcp_git_hub_push", "mcp_git_hub_*", "git/hub_*"]) {
      assert.isFalse(allowed([deny(glob)], elsewhere), glob)
    }
    for (const glob of ["mcp_git_hub_push", "mcp_git_hub_*"]) assert.isFalse(allowed([allow(glob)], elsewhere), glob)
    assert.isTrue(allowed([allow("git/*")], elsewhere))
  })

  describe("ask", () => {
    const word = (rules: ReadonlyArray<ToolRules>, tool: ToolSubject = READ) => {
      const decision = policy.decide(rules, tool)
      return decision.allowed ? (decision.ask === true ? "ask" : "allow") : "deny"
    }

    it("allows with a question, and names its rule as it was written", () => {
      const expected = { allowed: true, ask: true, rule: "ask: FS/Read*" } as const
      assert.deepStrictEqual(policy.decide([ask("git/*", "FS/Read*")], READ), expected)
      assert.deepStrictEqual(policy.decide([ask("git/*")], READ), { allowed: true, rule: "no rules" })
      assert.deepStrictEqual(policy.decide([ask()], READ), { allowed: true, rule: "no rules" })
    })

    it("yields to deny, takes precedence over allow, and does not allow anything by itself", () => {
      const table: ReadonlyArray<readonly [rules: ReadonlyArray<ToolRules>, expected: string]> = [
        [[{ allow: ["*"], deny: [], ask: ["fs/*"] }], "ask"],
        [[{ allow: ["fs/read_file"], deny: [], ask: ["*"] }], "ask"],
        [[{ allow: ["fs/*"], deny: ["fs/read_file"], ask: ["fs/read_file"] }], "deny"],
        [[{ allow: ["git/*"], deny: [], ask: ["fs/*"] }], "deny"],
        [[{ allow: [], deny: [], ask: ["*"] }], "deny"],
        [[{ allow: ["fs/*"], deny: [], ask: ["git/*"] }], "allow"]
      ]
      for (const [rules, expected] of table) assert.strictEqual(word(rules), expected, JSON.stringify(rules))
    })

    it("in one set still applies beside other sets, and does not lift their deny", () => {
      for (const other of [allow("*"), allow("fs/read_file"), deny("git/*"), ask("git/*"), ask()]) {
        assert.strictEqual(word([ask("fs/*"), other]), "ask")
        assert.strictEqual(word([other, ask("fs/*")]), "ask")
      }
      for (const other of [deny("fs/*"), allow("git/*")]) {
        assert.strictEqual(word([ask("fs/*"), other]), "deny")
        assert.strictEqual(word([other, ask("fs/*")]), "deny")
      }
    })

    it("matches exposed names and server/tool, ignoring case", () => {
      for (const glob of ["mcp_fs_read_file", "MCP_FS_*", "fs/READ_file", "*", "fs/read?file"]) {
        assert.strictEqual(word([ask(glob)]), "ask", glob)
      }
      for (const glob of ["read_file", "fs", "fs/read", "fs/?"]) assert.strictEqual(word([ask(glob)]), "allow", glob)
      assert.strictEqual(word([ask("fs/read")], { exposed: "MCP_Fs_Read", server: "FS", tool: "Read" }), "ask")
    })

    it("applies to a tool whose exposed name got a hash after a collision", () => {
      const hashed: ToolSubject = { exposed: "mcp_fs_write_0123abcd", server: "fs", tool: "write" }
      assert.strictEqual(word([ask("mcp_fs_write")], hashed), "ask")
      assert.strictEqual(word([allow("*"), ask("mcp_fs_write")], hashed), "ask")
    })

    it("denies when one of its rules is malformed", () => {
      for (const rule of ["", " fs/*", "fs/\n*", "\u200bfs/*", "x".repeat(513), 7, null, {}]) {
        assert.strictEqual(word(untyped([{ allow: ["*"], deny: [], ask: ["*", rule] }])), "deny", JSON.stringify(rule))
      }
      for (const rules of ["*", null, {}, true]) {
        assert.strictEqual(word(untyped([{ allow: undefined, deny: [], ask: rules }])), "deny", JSON.stringify(rules))
      }
    })
  })

  it("decides by each list of rules separately", () => {
    const [first, second] = [[allow("fs/*")], [deny("fs/*")]]
    assert.deepStrictEqual(
      [first, second, first, second].map((rules) => allowed(rules)),
      [true, false, true, false]
    )
  })

  it("reads a list of rules once", () => {
    let reads = 0
    const rules = [
      {
        get deny() {
          reads++
          return ["git/*"]
        },
        allow: undefined
      }
    ]
    assert.isTrue(allowed(rules))
    const first = reads
    assert.isTrue(allowed(rules))
    assert.strictEqual(reads, first)
  })

  it("matches a glob with many stars without exponential work", () => {
    assert.isFalse(allowed([allow(`${"*a".repeat(250)}*b`)], subject("fs", "a".repeat(1000))))
  })

  it.prop(
    "matches globs as a simple reference implementation does",
    [pieces(["a", "b", "/", "?", "*", "**"], 8), pieces(["a", "b", "/"], 10)],
    ([pattern, text]) => {
      if (pattern === "") return
      const expected = oracle(pattern, text) || oracle(pattern, `s/${text}`)
      assert.strictEqual(allowed([allow(pattern)], { exposed: text, server: "s", tool: text }), expected)
    },
    { arbitrary: { runs: 1000 } }
  )
})

layer(ToolPolicyLayer.layer)("ToolPolicy as a layer", (it) => {
  it.effect("is what the contract says", () =>
    Effect.gen(function* () {
      assert.isTrue((yield* ToolPolicy).decide([], READ).allowed)
    })
  )
})
