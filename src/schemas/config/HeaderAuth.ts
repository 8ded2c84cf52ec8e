/** `auth` of the types `bearer` and `api-key`, which becomes a header. `AuthEntry` reads `type: "oauth"`. */
import { isObject } from "../data/Json.ts"
import { API_KEY_KEYS, BEARER_KEYS } from "./AuthKeys.ts"
import { member } from "./Fields.ts"
import type { KeyPath, NamedText } from "./KeyPath.ts"
import { type Keys, readKeys } from "./ReadKeys.ts"
import type { Report } from "./Report.ts"

interface Scheme {
  readonly keys: Keys
  readonly header: string
  /** The key that holds the credential. */
  readonly secret: string
  /** The text before it. */
  readonly before: string
}

const SCHEMES: Readonly<Record<string, Scheme>> = {
  bearer: { keys: BEARER_KEYS, header: "Authorization", secret: "token", before: "Bearer " },
  "api-key": { keys: API_KEY_KEYS, header: "X-API-Key", secret: "key", before: "" }
}

/** How `auth` becomes a header; `undefined` for other types. */
export const headerScheme = (auth: unknown): Scheme | undefined => {
  const type = isObject(auth) ? member(auth, "type") : undefined
  return typeof type === "string" && Object.hasOwn(SCHEMES, type) ? SCHEMES[type] : undefined
}

/** The header, with the path where its credential was written; `headers` are those of the same entry, by lower-case name. */
export const readHeaderAuth = (
  report: Report,
  path: KeyPath,
  auth: Record<string, unknown>,
  scheme: Scheme,
  headers: ReadonlyMap<string, NamedText>
): NamedText | undefined => {
  const { before, header, secret } = scheme
  const place = [...path, secret]
  const value = readKeys(scheme.keys, report, path, auth)[secret]
  if (member(auth, secret) === undefined) report.error(place, "is missing")
  if (headers.has(header.toLowerCase())) {
    report.error(path, `sets the header ${header}, which "headers" also sets: keep one`)
  }
  return typeof value !== "string" ? undefined : { name: header, path: place, value: `${before}${value}` }
}
