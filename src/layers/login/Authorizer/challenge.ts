/** Parses the `WWW-Authenticate` header of a refusal (RFC 6750, RFC 9449, RFC 9728). */
import { scopesOf } from "../../../schemas/login/Credentials.ts"
import { SCOPES_MAX } from "../../../schemas/defaults/Authorization.ts"

export interface Challenge {
  readonly scheme: "bearer" | "dpop"
  readonly error: string | undefined
  readonly scopes: ReadonlyArray<string>
  /** The address of the document in which the server describes itself. */
  readonly resourceMetadata: string | undefined
}

interface Given {
  readonly scheme: string
  readonly params: Map<string, string>
}

/** A name, with a value if it is a parameter. A name without a value begins the next challenge. */
const ITEM = /[\s,]*([!#$%&'*+.^_`|~0-9A-Za-z-]+)(?:[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*)))?/y

const parse = (header: string): ReadonlyArray<Given> => {
  const challenges: Array<Given> = []
  const items = new RegExp(ITEM)
  for (let item = items.exec(header); item !== null; item = items.exec(header)) {
    const [, name, quoted, plain] = item
    const value = quoted?.replace(/\\(.)/g, "$1") ?? plain
    const key = name!.toLowerCase()
    const last = challenges.at(-1)
    if (value === undefined) challenges.push({ scheme: key, params: new Map() })
    else if (last?.params.has(key) === false) last.params.set(key, value)
  }
  return challenges
}

/** The first challenge that a token answers. A challenge with parameters comes before one without. */
export const challengeOf = (header: string | null): Challenge | undefined => {
  const ours = parse(header ?? "").filter(({ scheme }) => scheme === "bearer" || scheme === "dpop")
  const given =
    ours.find(({ params }) => params.has("resource_metadata")) ?? ours.find(({ params }) => params.size > 0) ?? ours[0]
  if (given === undefined) return undefined
  return {
    scheme: given.scheme === "dpop" ? "dpop" : "bearer",
    error: given.params.get("error"),
    scopes: scopesOf(given.params.get("scope")).slice(0, SCOPES_MAX),
    resourceMetadata: given.params.get("resource_metadata")
  }
}

/** The server requires only a new proof, with the given nonce (RFC 9449 §9). */
export const wantsNonce = (header: string | null): boolean =>
  parse(header ?? "").some(({ params, scheme }) => scheme === "dpop" && params.get("error") === "use_dpop_nonce")
