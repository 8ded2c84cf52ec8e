import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import {
  exposeNames,
  namePrefix,
  nearest,
  nearestInTurns,
  type NameParts,
  type NamingStyle
} from "../../../src/schemas/call/Names.ts"

const EXPOSED = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/
const STYLES: ReadonlyArray<NamingStyle> = ["gateway", "session", "library", { separator: "-" }]

const of = (server: string, tool: string, prefix = server): NameParts => ({ server, prefix, tool })
const distinctEntries = (entries: ReadonlyArray<NameParts>) => [
  ...new Map(entries.map((entry) => [JSON.stringify([entry.server, entry.tool]), entry])).values()
]
const hashOf = (server: string, tool: string, digits: number) =>
  createHash("sha256")
    .update(JSON.stringify([server, tool]))
    .digest("hex")
    .slice(0, digits)

/** What a tool that had to move once is called. */
const moved = ({ server, tool }: NameParts) => `${`mcp_${server}_${tool}`.slice(0, 55)}_${hashOf(server, tool, 8)}`

/** Few pieces that are easily confused with one another, so that random names collide often. */
const piece = Arbitrary.schema(
  Schema.Literals([
    "a",
    "A",
    "_",
    "__",
    ".",
    "/",
    "-",
    "9",
    "😀",
    "é",
    "\u202e",
    "\n",
    " ",
    "__proto__",
    "x".repeat(70)
  ])
)
const confusable = Arbitrary.map(Arbitrary.array(piece, { maxLength: 5 }), (pieces) => pieces.join(""))
const anything = Arbitrary.schema(Schema.String)
const entriesOf = (text: Arbitrary.Arbitrary<string>) =>
  Arbitrary.map(
    Arbitrary.array(Arbitrary.all({ server: text, prefix: text, tool: text }), { maxLength: 24 }),
    distinctEntries
  )

describe("exposeNames", () => {
  it("each style has its format", () => {
    assert.deepStrictEqual(
      STYLES.map((style) => exposeNames(style, [of("fs", "read_file")])),
      [["mcp_fs_read_file"], ["mcp__fs__read_file"], ["fs__read_file"], ["fs-read_file"]]
    )
  })

  it("the prefix stands for the server's name", () => {
    assert.deepStrictEqual(exposeNames("gateway", [of("filesystem", "read", "fs")]), ["mcp_fs_read"])
  })

  it("characters that providers refuse become underscores", () => {
    assert.deepStrictEqual(exposeNames("gateway", [of("my.server", "read/file:now é😀\n")]), [
      "mcp_my_server_read_file_now_____"
    ])
  })

  it("a name never starts with a digit or a dash", () => {
    assert.deepStrictEqual(exposeNames("library", [of("9lives", "x"), of("-dash", "x"), of("", "x")]), [
      "_9lives__x",
      "_-dash__x",
      "__x"
    ])
  })

  it("names of object internals are ordinary names", () => {
    assert.deepStrictEqual(exposeNames("gateway", [of("fs", "__proto__"), of("fs", "constructor")]), [
      "mcp_fs___proto__",
      "mcp_fs_constructor"
    ])
  })

  it("a tool without any legal character gets a name of its own", () => {
    const names = exposeNames("gateway", [of("fs", "é"), of("fs", "ü"), of("fs", "")])
    assert.strictEqual(new Set(names).size, 3)
    for (const name of names) assert.match(name, EXPOSED)
  })

  it("a name that fits stays, and a longer one is cut and hashed", () => {
    const fits = "x".repeat(64 - "mcp_fs_".length)
    assert.deepStrictEqual(exposeNames("gateway", [of("fs", fits), of("fs", `${fits}y`)]), [
      `mcp_fs_${fits}`,
      `mcp_fs_${"x".repeat(48)}_${hashOf("fs", `${fits}y`, 8)}`
    ])
  })

  it("two long names with the same beginning are different", () => {
    const long = "t".repeat(200)
    const [a, b] = exposeNames("gateway", [of("fs", `${long}a`), of("fs", `${long}b`)])
    assert.notStrictEqual(a, b)
    assert.match(a!, EXPOSED)
  })

  it("colliding names all get a hash, whether they collide by characters, by case or across servers", () => {
    const colliding = [
      [of("fs", "a.b"), of("fs", "a_b")],
      [of("fs", "read"), of("fs", "Read")],
      [of("a", "c", "shared"), of("b", "c", "shared")]
    ]
    for (const pair of colliding) {
      const names = exposeNames("gateway", [...pair, of("fs", "other")])
      assert.strictEqual(names[2], "mcp_fs_other")
      for (const [i, { server, tool }] of pair.entries())
        assert.isTrue(names[i]!.endsWith(`_${hashOf(server, tool, 8)}`))
    }
  })

  it("a name that begins like another server's gets a hash after its own prefix", () => {
    const hub = of("git", "hub_push")
    const apart = `mcp_git_${hashOf("git", "hub_push", 8)}_hub_push`
    assert.deepStrictEqual(exposeNames("gateway", [hub, of("git_hub", "push")]), [apart, "mcp_git_hub_push"])
    assert.deepStrictEqual(exposeNames("gateway", [hub], ["git", "Git.Hub"]), [apart])
    assert.deepStrictEqual(exposeNames("gateway", [hub], ["git", "git-hub"]), [apart])
    assert.deepStrictEqual(exposeNames("gateway", [hub], ["git", "git_hub_pus"]), ["mcp_git_hub_push"])
    // Two that collide have a hash behind them.
    for (const name of exposeNames("gateway", [of("git", "hub"), of("git", "Hub")], ["git", "git_hub"])) {
      assert.match(name, /^mcp_git_[0-9a-f]{8}_[Hh]ub/)
    }
    assert.deepStrictEqual(exposeNames("gateway", [of("git", "HUB/push")], ["git", "git_hub"]), [
      `mcp_git_${hashOf("git", "HUB/push", 8)}_HUB_push`
    ])
  })

  it("a server's tool never has the name of a runtime tool", () => {
    const [more, tools] = exposeNames("gateway", [of("read", "more"), of("Search", "TOOLS")])
    assert.strictEqual(more, `mcp_read_${hashOf("read", "more", 8)}_more`)
    assert.strictEqual(tools, `mcp_Search_${hashOf("Search", "TOOLS", 8)}_TOOLS`)
  })

  it.prop("no name begins with the prefix of another server", [entriesOf(confusable)], ([entries]) => {
    for (const style of STYLES) {
      const beginnings = entries.map(({ prefix }) => namePrefix(style, prefix))
      for (const [i, name] of exposeNames(style, entries).entries()) {
        const own = beginnings[i]!.length
        // Only as much of a prefix is looked at as every name has room for.
        for (const other of beginnings.filter(({ length }) => length > own && length < 31)) {
          assert.isFalse(name.toLowerCase().startsWith(other.toLowerCase()), name)
        }
      }
    }
  })

  it("a tool that imitates a hashed name collides with no other", () => {
    // "read" and "Read" collide and are hashed. The imitator calls itself what "read" will then be called, at each
    // length of the hash in turn.
    const imitations = [8, 16, 32].map((digits) => of("fs", `read_${hashOf("fs", "read", digits)}`))
    const entries = [of("fs", "read"), of("fs", "Read"), ...imitations]
    const names = exposeNames("gateway", entries)
    assert.strictEqual(new Set(names.map((name) => name.toLowerCase())).size, entries.length)
    assert.isTrue(names[0]!.endsWith(hashOf("fs", "read", 32)))
  })

  it("two thousand imitations of one another all get different names", () => {
    // Each tool calls itself what the one before it is called once it had to move.
    const chain = [of("fs", "x"), of("fs", "X")]
    while (chain.length < 2000) chain.push(of("fs", moved(chain.at(-1)!).slice("mcp_fs_".length)))
    const names = exposeNames("gateway", chain)
    assert.strictEqual(new Set(names.map((name) => name.toLowerCase())).size, chain.length)
    assert.notStrictEqual(names[1998], moved(chain[1997]!))
  })

  for (const text of [confusable, anything]) {
    it.prop("all names are legal and differ also without case, in any order", [entriesOf(text)], ([entries]) => {
      for (const style of STYLES) {
        const names = exposeNames(style, entries)
        for (const name of names) assert.match(name, EXPOSED)
        assert.strictEqual(new Set(names.map((name) => name.toLowerCase())).size, entries.length)
        assert.deepStrictEqual(exposeNames(style, entries.toReversed()), names.toReversed())
      }
    })
  }

  it.prop("each name begins with the prefix of its server", [entriesOf(confusable)], ([entries]) => {
    for (const style of STYLES) {
      for (const [i, name] of exposeNames(style, entries).entries()) {
        assert.isTrue(name.startsWith(namePrefix(style, entries[i]!.prefix)), name)
      }
    }
  })
})

describe("nearest, among the names of many servers", () => {
  /** Of one pattern, so that each looks much like the other. */
  const pattern = (at: number) => `${"abcdefghij".repeat(6)}${at}`.slice(-55)
  const names = Array.from({ length: 8_000 }, (_, at) => `mcp_server_${pattern(at)}`)

  it("has a turn for others at each name", () => {
    const work = nearestInTurns(`mcp_server_${pattern(77)}x`, names)
    let turns = 0
    let step = work.next()
    for (; step.done !== true; step = work.next()) turns++
    assert.strictEqual(step.value, `mcp_server_${pattern(77)}`)
    assert.isAtLeast(turns, names.length)
  })

  it("looks only for so many typing errors, however long the name is", () => {
    const long = "abcdefghijklmnopqrstuvwxyz".repeat(4)
    assert.strictEqual(nearest(`12345678${long}`, [long]), long)
    assert.isNull(nearest(`123456789${long}`, [long]))
  })

  it("agrees with the whole table of distances", () => {
    const plain = (a: string, b: string): number => {
      let row = Array.from({ length: b.length + 1 }, (_, j) => j)
      for (let i = 1; i <= a.length; i++) {
        const next = [i]
        for (let j = 1; j <= b.length; j++) {
          next.push(Math.min(row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1), row[j]! + 1, next[j - 1]! + 1))
        }
        row = next
      }
      return row[b.length]!
    }
    // Every pair of words of two letters, up to six of them.
    const words = [""]
    for (const word of words) if (word.length < 6) words.push(`${word}a`, `${word}b`)
    for (const a of words.filter(({ length }) => length > 2)) {
      for (const b of words) {
        assert.strictEqual(nearest(a, [b]), plain(a, b) <= Math.ceil(a.length / 3) ? b : null, `${a} ${b}`)
      }
    }
  })
})

describe("nearest", () => {
  const known = ["mcp_fs_read_file", "mcp_fs_write_file", "mcp_git_log", "mcp_git_status"]

  it("finds a name with a typo", () => {
    assert.strictEqual(nearest("mcp_fs_raed_file", known), "mcp_fs_read_file")
    assert.strictEqual(nearest("mcp__fs__write_file", known), "mcp_fs_write_file")
    assert.strictEqual(nearest("MCP_GIT_LOG", known), "mcp_git_log")
  })

  it("finds a tool by the server's name for it, with or without the server", () => {
    assert.strictEqual(nearest("status", known), "mcp_git_status")
    assert.strictEqual(nearest("git/log", known), "mcp_git_log")
  })

  it("is null when two servers have a tool of that name", () => {
    assert.isNull(nearest("status", [...known, "mcp_svn_status"]))
  })

  it("is null when no name is similar", () => {
    for (const unknown of ["bash", "zz", "a", "", "delete_everything", "x".repeat(5000)]) {
      assert.isNull(nearest(unknown, known), unknown)
    }
    assert.isNull(nearest("ab", ["xb"]))
  })

  it("does not depend on the order of the known names", () => {
    assert.strictEqual(nearest("tool_c", ["tool_b", "tool_a"]), "tool_a")
    assert.strictEqual(nearest("tool_c", ["tool_a", "tool_b"]), "tool_a")
  })
})
