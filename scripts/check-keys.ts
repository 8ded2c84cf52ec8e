/**
 * Fails where a key of the configuration is in its table and nowhere else: a key that no other file of `src/` reads does nothing, and a key that
 * no test of `test/schemas/` gives may be lost. Words are compared, not meanings: a key with the name of something else passes.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { SECTIONS } from "../src/schemas/config/AllSections.ts"
import { SERVER_KEYS } from "../src/schemas/config/ServerKeys.ts"

const root = fileURLToPath(new URL("../", import.meta.url))

/** Comments and texts name keys without using them. */
const codeOf = (text: string): string =>
  text
    .replace(/\/\*[^]*?\*\//g, "")
    .replace(/(?<!:)\/\/.*$/gm, "")
    .replace(/"(?:[^"\\\n]|\\.)*"/g, '""')

const textsIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => readFileSync(join(root, folder, file), "utf8"))

const sources = textsIn("src").map(codeOf)
const tests = textsIn("test/schemas")

const tables: ReadonlyArray<readonly [place: string, keys: object]> = [
  ["a server", SERVER_KEYS],
  ...Object.values(SECTIONS).map(({ keys, name }) => [name, keys] as const)
]

const problems = tables.flatMap(([place, keys]) =>
  Object.keys(keys).flatMap((name) => {
    const word = new RegExp(`\\b${name}\\b`)
    const declared = new RegExp(`^ {2}${name}: (?:key|optional|required|noted)\\(`, "m")
    return [
      ...(sources.some((text) => word.test(text) && !declared.test(text))
        ? []
        : [`the key ${name} of ${place} does nothing: no file of src/ but its table names it`]),
      ...(tests.some((text) => word.test(text))
        ? []
        : [
            `the key ${name} of ${place} has no test: add it to "accepts every key" in the tests of its section (test/schemas)`
          ])
    ]
  })
)
for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1
