/** Finds credentials of a server that are plain text in its entry, or that other users can see. */
import { SECRET_SCHEME } from "../secret/SecretReference.ts"
import { isPlaintext, looksLikeCredential } from "./Credentials.ts"
import { itemsOf, type Located, type NamedText } from "./KeyPath.ts"
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

/** A credential in plain text: where it is, and what it is called. */
export interface PlainCredential extends Located<string> {
  readonly kind: "env" | "headers" | "url" | "args"
  /** Of the variable, header, parameter or option. */
  readonly name: string
  readonly place: string
}

/** All of an entry. */
export const plainCredentials = (entry: ServerEntry): ReadonlyArray<PlainCredential> => {
  const named = (kind: "env" | "headers", items: Iterable<NamedText>) =>
    [...items].map((item) => ({ ...item, kind, place: `${kind}.${item.name}` }))
  const { args: list, url } = entry.fields
  const candidates: ReadonlyArray<PlainCredential> = [
    ...named("env", entry.env.values()),
    ...named("headers", entry.headers.values()),
    ...queryOf(url?.value ?? "").map(
      ([name, value]) => ({ kind: "url", name, place: `url ?${name}`, path: url!.path, value }) as const
    )
  ]
  const args = itemsOf(list)
  return [
    ...candidates.filter(({ name, value }) => looksLikeCredential(name, value) && isPlaintext(value)),
    ...args.flatMap(({ path, value }, i): ReadonlyArray<PlainCredential> => {
      const before = optionBefore(args, i)
      if (!holdsCredential(before, value)) return []
      return [
        {
          kind: "args",
          name: (ASSIGNED.exec(value)?.[1] ?? before.replace(/^-+/, "")) || "url",
          place: `args[${i}]`,
          path,
          value
        }
      ]
    })
  ]
}

export const warnOfServerCredentials = (report: Report, server: string, entry: ServerEntry): void => {
  for (const { kind, path, place } of plainCredentials(entry)) {
    const advice =
      kind === "args"
        ? `, and every process list shows them: prefer env, with ${SECRET_SCHEME} references`
        : `: consider ${SECRET_SCHEME} references`
    report.warn(path, `MCP server '${server}' has plaintext credentials in config (${place})${advice}`, "credentials")
  }
  for (const { path, value } of itemsOf(entry.fields.args)) {
    if (!value.includes(SECRET_SCHEME)) continue
    report.warn(path, `MCP server '${server}' gets a secret as an argument, which every process list shows: prefer env`)
  }
}
