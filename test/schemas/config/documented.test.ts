/** The configurations in the documentation, as somebody copies them. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { readdirSync, readFileSync } from "node:fs"
import { parseConfigText } from "../../../src/schemas/config/ConfigText.ts"
import { formatIssue } from "../../../src/schemas/config/ConfigIssue.ts"
import { isObject } from "../../../src/schemas/data/Json.ts"
import { decode } from "./decoding.ts"

const root = new URL("../../../", import.meta.url)
const PAGES = ["README.md", ...readdirSync(new URL("docs/", root)).map((name) => `docs/${name}`)].filter((name) =>
  name.endsWith(".md")
)

/** Blocks of code: between fences, or indented by four blanks after an empty line. */
const blocksIn = (page: string): ReadonlyArray<string> => {
  const text = readFileSync(new URL(page, root), "utf8")
  const fenced = [...text.matchAll(/^```json5?\n([^]*?)^```$/gm)].map(([, block = ""]) => block)
  const indented = [...text.matchAll(/\n\n((?: {4}.*\n|\n(?= {4}))+)/g)].map(([, block = ""]) =>
    block.replace(/^ {4}/gm, "")
  )
  return [...fenced, ...indented]
}

const WHOLE = /^\{?\s*(?:\/\/.*\s*)*"?(?:agents|mcp|gateway)"?:/
const ENTRY = /^"?[\w-]+"?:\s+\{[^]*\b(?:command|url)"?:/

/** A key of `mcp` by itself. */
const SECTION = /^"?secrets"?:/

/** The agents that a block names: those of its reader. */
const agentsNamed = (text: string): string => {
  const names = /"?agents"?:/.test(text) ? [] : [...text.matchAll(/\bagent: "([^"]+)"/g)].map(([, name = ""]) => name)
  return names.length === 0 ? "" : `,\nagents: { list: ${JSON.stringify(names.map((id) => ({ id })))} }`
}

/** A part of a configuration as a whole one. */
const wholeOf = (block: string): string | undefined => {
  const text = block.trim()
  if (WHOLE.test(text)) return text.startsWith("{") ? text : `{\n${text}${agentsNamed(text)}\n}`
  if (SECTION.test(text)) return `{ mcp: {\n${text}\n} }`
  return ENTRY.test(text) ? `{ mcp: { servers: {\n${text}\n} } }` : undefined
}

describe("a configuration in the documentation", () => {
  const found = PAGES.flatMap((page) =>
    blocksIn(page).flatMap((block) => {
      const text = wholeOf(block)
      return text === undefined ? [] : [{ page, text }]
    })
  )

  it("is found on many pages", () => assert.isAbove(found.length, 25))

  for (const { page, text } of found) {
    it(`is valid: ${page}, ${text.replace(/\s+/g, " ").slice(0, 70)}`, () => {
      assert.isTrue(isObject(Result.getOrThrow(parseConfigText(text)).value))
      const { faults = [] } = decode(text, { HOME: "/home/ada" })
      // The reader's variables are not set here.
      const own = faults.map(formatIssue).filter((fault) => !fault.includes("is not set"))
      assert.deepStrictEqual(own, [])
    })
  }
})
