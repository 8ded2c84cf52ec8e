/**
 * `auth` of a server entry, of the types that only the `{ servers }` form knows: it becomes the header that it stands for.
 * `type: "oauth"` is every form's, and stays.
 */
import { isObject } from "../../schemas/Json.ts"
import { kindOf, show } from "../../schemas/config/Fields.ts"
import { formatKeyPath } from "../../schemas/config/KeyPath.ts"
import { unknownKey } from "../../schemas/config/Report.ts"

/** Sent with every request. Both may be `secret://` references, or hold `${VARIABLES}`. */
export type MCPServerAuth =
  /** As `Authorization: Bearer …`. */
  | { readonly type: "bearer"; readonly token: string }
  /** As `X-API-Key: …`. */
  | { readonly type: "api-key"; readonly key: string }
  /** OAuth 2.1, with the keys of docs/oauth.md. */
  | { readonly type: "oauth"; readonly [key: string]: unknown }

export interface Translation {
  readonly value: unknown
  /** What is wrong, with the path where it was written. */
  readonly problems: ReadonlyArray<{ readonly path: string; readonly message: string }>
  /** Where a path of the translated value comes from. */
  readonly origins: ReadonlyMap<string, string>
}

const HEADERS: Readonly<Record<string, { readonly header: string; readonly secret: string; readonly before: string }>> =
  {
    bearer: { header: "Authorization", secret: "token", before: "Bearer " },
    "api-key": { header: "X-API-Key", secret: "key", before: "" }
  }

type Complain = (message: string, ...path: ReadonlyArray<string>) => void

/** The header that stands for `auth`, or `undefined` after a complaint. */
const readAuth = (auth: unknown, server: Record<string, unknown>, complain: Complain) => {
  if (!isObject(auth)) return complain(`must be an object, is ${kindOf(auth)}`)
  if (server["command"] !== undefined && server["url"] === undefined) {
    return complain('is for servers with a "url": a stdio server gets its credentials in "env"')
  }
  const type = auth["type"]
  const scheme = typeof type === "string" && Object.hasOwn(HEADERS, type) ? HEADERS[type] : undefined
  if (scheme === undefined) return complain(`must be "bearer", "api-key" or "oauth", is ${show(type)}`, "type")
  for (const key of Object.keys(auth)) {
    if (key !== "type" && key !== scheme.secret) complain(unknownKey(key, ["type", scheme.secret]), key)
  }
  const secret = auth[scheme.secret]
  if (typeof secret !== "string" || secret.trim() === "") {
    return complain(`must be a string that is not empty, is ${kindOf(secret)}`, scheme.secret)
  }
  const same = Object.keys(isObject(server["headers"]) ? server["headers"] : {}).find(
    (name) => name.toLowerCase() === scheme.header.toLowerCase()
  )
  if (same !== undefined) return complain(`gives the header ${scheme.header}, which "headers" also gives: keep one`)
  return { name: scheme.header, value: `${scheme.before}${secret}`, key: scheme.secret }
}

export const hasAuth = (server: unknown): server is Record<string, unknown> =>
  isObject(server) && server["auth"] !== undefined && !isOAuth(server["auth"])

const isOAuth = (auth: unknown): boolean => auth === "oauth" || (isObject(auth) && auth["type"] === "oauth")

/** `auth` of each entry of `servers` becomes a header; everything else stays as it is. */
export const translate = (config: unknown): Translation => {
  const servers = isObject(config) ? config["servers"] : undefined
  if (!isObject(config) || !isObject(servers)) return { value: config, problems: [], origins: new Map() }
  const problems: Array<Translation["problems"][number]> = []
  const origins = new Map<string, string>()
  const translated = Object.entries(servers).map(([id, server]) => {
    if (!hasAuth(server)) return [id, server] as const
    const { auth, ...rest } = server
    const place = ["servers", id]
    const header = readAuth(auth, server, (message, ...path) =>
      problems.push({ path: formatKeyPath([...place, "auth", ...path]), message })
    )
    if (header === undefined) return [id, rest] as const
    const headers = isObject(rest["headers"]) ? rest["headers"] : {}
    origins.set(formatKeyPath([...place, "headers", header.name]), formatKeyPath([...place, "auth", header.key]))
    return [id, { ...rest, headers: { ...headers, [header.name]: header.value } }] as const
  })
  return { value: { ...config, servers: Object.fromEntries(translated) }, problems, origins }
}
