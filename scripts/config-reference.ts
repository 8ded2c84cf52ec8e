/**
 * Writes the tables of keys in docs/configuration.md from the tables that the decoder itself uses. With `--check` it only says
 * whether the page is up to date.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { ACP_KEYS } from "../src/schemas/config/AcpKeys.ts"
import { AUDIT_KEYS } from "../src/schemas/config/AuditKeys.ts"
import { ORDER_KEYS } from "../src/schemas/config/OrderKeys.ts"
import { SECRETS_KEYS, type SecretsKeyDoc } from "../src/schemas/config/SecretsKeys.ts"
import { SERVE_KEYS } from "../src/schemas/config/ServeKeys.ts"
import { SERVER_KEYS, type KeyDoc } from "../src/schemas/config/ServerKeys.ts"

const PAGE = new URL("../docs/configuration.md", import.meta.url)

const cell = (text: string) => text.replaceAll("|", "\\|")
const row = (names: ReadonlyArray<string>, { about, fallback, type }: SecretsKeyDoc) =>
  `| ${names.map((key) => `\`${key}\``).join(", ")} | ${cell(type)} | ${cell(fallback)} | ${cell(about)} |`

const tableOf = (rows: ReadonlyArray<string>) =>
  ["| key | type | default | |", "| --- | --- | --- | --- |", ...rows].join("\n")

/** The page with `table` between the markers of `what`. */
const withTable = (page: string, what: string, table: string): string => {
  const [begin, end] = [`<!-- ${what}: made by scripts/config-reference.ts -->`, `<!-- end of ${what} -->`]
  const [before, rest] = page.split(begin)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined)
    throw new Error(`docs/configuration.md has lost its markers: ${what}`)
  return `${before}${begin}\n\n${table}\n\n${end}${after}`
}

const serverRow = ([name, doc]: [string, KeyDoc]) => row([name, ...doc.aliases], doc)
const secretsRow = ([name, doc]: [string, SecretsKeyDoc]) => row([name], doc)

const page = readFileSync(PAGE, "utf8")
const servers = withTable(page, "server keys", tableOf(Object.entries(SERVER_KEYS).map(serverRow)))
const secrets = withTable(servers, "secrets keys", tableOf(Object.entries(SECRETS_KEYS).map(secretsRow)))
const audit = withTable(secrets, "audit keys", tableOf(Object.entries(AUDIT_KEYS).map(secretsRow)))
const acp = withTable(audit, "acp keys", tableOf(Object.entries(ACP_KEYS).map(secretsRow)))
const serve = withTable(acp, "serve keys", tableOf(Object.entries(SERVE_KEYS).map(secretsRow)))
const fresh = withTable(serve, "order keys", tableOf(Object.entries(ORDER_KEYS).map(secretsRow)))

if (process.argv.includes("--check")) {
  if (fresh !== page) {
    console.error("docs/configuration.md is not up to date: node scripts/config-reference.ts")
    process.exit(1)
  }
} else {
  writeFileSync(PAGE, fresh)
}
