/** Finds credentials of a server that stand in its entry as plain text, or where others see them. */
import { SECRET_SCHEME } from "../SecretReference.ts"
import { isPlaintext, looksLikeCredential } from "./Credentials.ts"
import type { Located } from "./KeyPath.ts"
import type { Report } from "./Report.ts"
import type { ServerEntry } from "./ServerEntry.ts"

/** Names of the parameters in the query of an address, with their values. */
const queryOf = (url: string): ReadonlyArray<readonly [string, string]> =>
  [...url.matchAll(/[?&]([^=&#]+)=([^&#]*)/g)].map(([, name, value]) => [name!, value!] as const)

export const warnOfServerCredentials = (report: Report, server: string, entry: ServerEntry): void => {
  const candidates: ReadonlyArray<readonly [string, string, Located<string>]> = [
    ...[...entry.env.values()].map((item) => [`env.${item.name}`, item.name, item] as const),
    ...[...entry.headers.values()].map((item) => [`headers.${item.name}`, item.name, item] as const),
    ...queryOf(entry.fields.url?.value ?? "").map(
      ([name, value]) => [`url ?${name}`, name, { path: entry.fields.url!.path, value }] as const
    )
  ]
  for (const [place, name, { path, value }] of candidates) {
    if (!looksLikeCredential(name, value) || !isPlaintext(value)) continue
    report.warn(
      path,
      `MCP server '${server}' has plaintext credentials in config (${place}): consider ${SECRET_SCHEME} references`
    )
  }
  for (const { path, value } of entry.fields.args?.value ?? []) {
    if (!value.includes(SECRET_SCHEME)) continue
    report.warn(path, `MCP server '${server}' gets a secret as an argument, which every process list shows: prefer env`)
  }
}
