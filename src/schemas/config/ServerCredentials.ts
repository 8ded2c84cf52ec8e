/** Finds credentials of a server that are plain text in its entry, or that other users can see. */
import { SECRET_SCHEME } from "../secret/SecretReference.ts"
import { isPlaintext, looksLikeCredential } from "./Credentials.ts"
import { itemsOf, type Located } from "./KeyPath.ts"
import type { Report } from "./Report.ts"
import { optionBefore } from "./Resolve.ts"
import type { ServerEntry } from "./ServerEntry.ts"

/** The names and values of query parameters in a URL. */
const queryOf = (url: string): ReadonlyArray<readonly [string, string]> =>
  [...url.matchAll(/[?&]([^=&#]+)=([^&#]*)/g)].map(([, name, value]) => [name!, value!] as const)

/** `--api-key=…`, `TOKEN=…`. */
const ASSIGNED = /^-{0,2}([A-Za-z][\w-]{0,127})=(.*)$/s
const USER_INFO = /^[a-z][a-z\d+.-]*:\/\/[^/?#@]*:([^/?#@]+)@/i
/** Words that name a method, not a credential. */
const NO_VALUE = /^(?:-|(?:none|basic|bearer|oauth2?|token|env|auto|default|yes|no|on|off)$)/i

/** Whether an argument, after the option `before` or with its own name, is a credential, or a URL that contains one. */
export const holdsCredential = (before: string, value: string): boolean => {
  const is = (name: string, given: string) =>
    !/^-*no-/i.test(name) && !NO_VALUE.test(given) && looksLikeCredential(name, given) && isPlaintext(given)
  const [, name = "", given = ""] = ASSIGNED.exec(value) ?? []
  const password = USER_INFO.exec(value)?.[1]
  return (
    (password !== undefined && isPlaintext(password)) ||
    (before !== "" && is(before.replace(/^-+/, ""), value)) ||
    (name !== "" && is(name, given)) ||
    queryOf(value).some(([key, text]) => is(key, text))
  )
}

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
      `MCP server '${server}' has plaintext credentials in config (${place}): consider ${SECRET_SCHEME} references`,
      "credentials"
    )
  }
  const args = itemsOf(entry.fields.args)
  for (const [i, { path, value }] of args.entries()) {
    if (!holdsCredential(optionBefore(args, i), value)) continue
    report.warn(
      path,
      `MCP server '${server}' has plaintext credentials in config (args[${i}]), and every process list shows them: prefer env, with ${SECRET_SCHEME} references`,
      "credentials"
    )
  }
  for (const { path, value } of args) {
    if (!value.includes(SECRET_SCHEME)) continue
    report.warn(path, `MCP server '${server}' gets a secret as an argument, which every process list shows: prefer env`)
  }
}
