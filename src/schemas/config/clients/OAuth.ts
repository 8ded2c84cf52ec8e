/** Credentials of a registered OAuth client, which clients write under several names. */
import { isObject } from "../../data/Json.ts"
import { membersOf } from "../Fields.ts"
import type { Giving, Taking } from "./Format.ts"

/** Our keys of `auth`, and what the client calls them. */
export type OAuthNames = Partial<
  Record<"clientId" | "clientSecret" | "scopes" | "redirectPort" | "redirectUri", string>
>

/** The port of an address to which a login redirects on this machine. */
const portOf = (value: unknown): unknown => {
  const url = typeof value === "string" ? URL.parse(value) : null
  return url === null || url.port === "" ? undefined : Number(url.port)
}

export const takeOAuth = ({ get, put, remark }: Taking, key: string, names: OAuthNames): void => {
  const given = get(key)
  if (!isObject(given) || given["enabled"] === false) return
  put(["auth", "type"], "oauth", [key])
  for (const [theirs, value] of membersOf(given)) {
    const own = Object.entries(names).find(([, name]) => name === theirs)?.[0]
    if (own === "redirectUri") put(["auth", "redirectPort"], portOf(value), [key, theirs])
    else if (own !== undefined) put(["auth", own], value, [key, theirs])
    else if (theirs !== "enabled") {
      remark([key, theirs], "was left out: mcp-live finds this out from the server, see docs/oauth.md")
    }
  }
}

/** One text with spaces, or one by one. */
const scopesAs = (value: unknown, inOneText: boolean): unknown => {
  const scopes = (Array.isArray(value) ? value : [value]).flatMap((scope) => String(scope).split(" "))
  return inOneText ? scopes.join(" ") : scopes
}

/**
 * Clients log in by themselves where a server asks for it, so an empty `auth` needs no word. `scope`, as in the protocol, is one
 * text. `elsewhere` are keys that the client has outside of this object.
 */
export const giveOAuth = (
  { get, lose, put, texts }: Giving,
  key: string | undefined,
  names: OAuthNames,
  elsewhere: ReadonlyArray<string> = []
): void => {
  const auth = get("auth")
  if (!isObject(auth)) return
  const written: Record<string, unknown> = {}
  for (const [own, value] of membersOf(auth)) {
    const theirs = Object.hasOwn(names, own) ? names[own as keyof OAuthNames] : undefined
    if (own === "type" || elsewhere.includes(own)) continue
    if (own === "redirectPort" && names.redirectUri !== undefined) {
      written[names.redirectUri] = `http://localhost:${String(value)}/oauth/callback`
    } else if (key === undefined || theirs === undefined) lose(`auth.${own}`)
    else written[theirs] = texts(own === "scopes" ? scopesAs(value, theirs === "scope") : value)
  }
  if (key !== undefined && Object.keys(written).length > 0) put(key, written)
}
