/** What the documentation says to type is there to be typed. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync } from "node:fs"
import { run } from "../support/cli.ts"

const root = new URL("../../", import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), "utf8")
const PAGES = ["README.md", ...readdirSync(new URL("docs/", root)).map((name) => `docs/${name}`)].filter((name) =>
  name.endsWith(".md")
)

interface Typed {
  readonly place: string
  readonly words: ReadonlyArray<string>
  readonly flags: ReadonlyArray<string>
}

/** Lines of code, and code within a sentence. What stands behind it in the line is said of it, its flags among it. */
const typedIn = (page: string): ReadonlyArray<Typed> =>
  read(page)
    .split("\n")
    .flatMap((line, index) =>
      [...line.matchAll(/(?:^ {4}(?:npx )?|`(?:npx )?|"npx )mcp-live ((?:[a-z]+(?:-[a-z]+)* ?)+)([^`"]*)/g)].map(
        ([, words = "", rest = ""]) => ({
          place: `${page}:${index + 1}`,
          words: words.trim().split(" "),
          flags: [...rest.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([flag]) => flag)
        })
      )
    )

const helpOf = Effect.fnUntraced(function* (words: ReadonlyArray<string>) {
  const { stdout } = yield* run(...words, "--help")
  const commands = /SUBCOMMANDS\n([^]*)$/.exec(stdout)?.[1] ?? ""
  return { text: stdout, commands: [...commands.matchAll(/^ {2}([a-z]+(?:-[a-z]+)*) /gm)].map(([, name]) => name!) }
})

describe("the documentation", () => {
  it.live("names commands and flags that there are, and lists every command in the README and on its own page", () =>
    Effect.gen(function* () {
      const program = yield* helpOf([])
      const typed = PAGES.flatMap(typedIn)
      assert.isAbove(typed.length, 50)
      for (const { flags, place, words } of typed) {
        const [command = "", next = ""] = words
        assert.include(program.commands, command, place)
        const own = yield* helpOf([command])
        const said = own.commands.includes(next) ? yield* helpOf([command, next]) : own
        for (const flag of flags) assert.include(said.text, ` ${flag}`, place)
        // Of a command that only has others, one of them, or none where it is spoken of.
        if (own.commands.length > 0 && next !== "") assert.include(own.commands, next, place)
      }
      const described = new Set(typedIn("docs/commands.md").map(({ words }) => words[0]))
      const undescribed = program.commands.filter((name) => !described.has(name))
      assert.deepStrictEqual(undescribed, [], "commands that docs/commands.md does not describe")
      const [, table = ""] = /^## The command\n([^]*?)\n## /m.exec(read("README.md")) ?? []
      const listed = [...table.matchAll(/`([a-z]+(?:-[a-z]+)*)`/g)].map(([, name]) => name!)
      assert.sameMembers(listed, [...program.commands], 'the table "The command" of README.md has each command once')
    })
  )

  it("names each service that `replace` of McpLive takes, and counts them", () => {
    const [, members = ""] =
      /export interface Replacements \{\n([^]*?)\n\}/.exec(read("src/layers/McpLive/options.ts")) ?? []
    const taken = [...members.matchAll(/^  readonly (\w+):/gm)].map(([, name]) => name!)
    const [, count = "", list = ""] =
      /^You can replace ([a-z-]+) services: ([^]*?)(?: \(the default writes|\. The\s)/m.exec(read("docs/library.md")) ??
      []
    const named = [...list.matchAll(/`(\w+)`/g)].map(([, name]) => name!)
    assert.deepStrictEqual(named, taken)
    assert.deepStrictEqual([count, taken.length], ["nineteen", 19])
  })
})
