/**
 * Writes the table of server keys in docs/configuration.md from the table that the decoder itself uses. With `--check` it
 * only says whether the page is up to date.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { SERVER_KEYS, type KeyDoc } from "../src/schemas/config/ServerKeys.ts"

const PAGE = new URL("../docs/configuration.md", import.meta.url)
const [BEGIN, END] = ["<!-- server keys: made by scripts/config-reference.ts -->", "<!-- end of server keys -->"]

const cell = (text: string) => text.replaceAll("|", "\\|")
const row = ([name, { about, aliases, fallback, type }]: [string, KeyDoc]) =>
  `| ${[name, ...aliases].map((key) => `\`${key}\``).join(", ")} | ${cell(type)} | ${cell(fallback)} | ${cell(about)} |`

const table = ["| key | type | default | |", "| --- | --- | --- | --- |", ...Object.entries(SERVER_KEYS).map(row)].join(
  "\n"
)

const page = readFileSync(PAGE, "utf8")
const [before, rest] = page.split(BEGIN)
const after = rest?.split(END)[1]
if (before === undefined || after === undefined) throw new Error(`docs/configuration.md has lost its markers`)
const fresh = `${before}${BEGIN}\n\n${table}\n\n${END}${after}`

if (process.argv.includes("--check")) {
  if (fresh !== page) {
    console.error("docs/configuration.md is not up to date: node scripts/config-reference.ts")
    process.exit(1)
  }
} else {
  writeFileSync(PAGE, fresh)
}
