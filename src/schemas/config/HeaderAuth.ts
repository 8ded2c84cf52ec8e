/** `auth` of the types `bearer` and `api-key`: it is the header that it stands for. `AuthEntry` reads `type: "oauth"`. */
import { isObject } from "../data/Json.ts"
import * as Field from "./Fields.ts"
import type { KeyPath } from "./KeyPath.ts"
import { type Report, unknownKey } from "./Report.ts"
import type { NamedText } from "./ServerEntry.ts"

interface Scheme {
  readonly header: string
  /** The key that holds the credential. */
  readonly secret: string
  /** What stands before it. */
  readonly before: string
}

const SCHEMES: Readonly<Record<string, Scheme>> = {
  bearer: { header: "Authorization", secret: "token", before: "Bearer " },
  "api-key": { header: "X-API-Key", secret: "key", before: "" }
}

/** How `auth` becomes a header; `undefined` where it is of another type. */
export const headerScheme = (auth: unknown): Scheme | undefined => {
  const type = isObject(auth) ? Field.member(auth, "type") : undefined
  return typeof type === "string" && Object.hasOwn(SCHEMES, type) ? SCHEMES[type] : undefined
}

/** The header, named by where its credential was written; `headers` are those of the same entry, by their names in lower case. */
export const readHeaderAuth = (
  report: Report,
  path: KeyPath,
  auth: Record<string, unknown>,
  scheme: Scheme,
  headers: ReadonlyMap<string, NamedText>
): NamedText | undefined => {
  const { before, header, secret } = scheme
  for (const [key] of Field.membersOf(auth)) {
    if (key !== "type" && key !== secret) report.error([...path, key], unknownKey(key, ["type", secret]))
  }
  const place = [...path, secret]
  const value = Field.text(report, place, Field.member(auth, secret))
  if (headers.has(header.toLowerCase())) {
    report.error(path, `gives the header ${header}, which "headers" also gives: keep one`)
  }
  return value === undefined ? undefined : { name: header, path: place, value: `${before}${value}` }
}
