/** Who holds a token. How long it takes to say so tells nothing about the tokens that there are. */
import * as Redacted from "effect/Redacted"
import { timingSafeEqual } from "node:crypto"
import type { Identity } from "../../../../schemas/login/Identity.ts"
import type { ClientToken } from "../../../../services/listener/McpListener.ts"
import { digestOf } from "../../../../system/httpServer.ts"

/** An access token that the door has checked. */
export interface Bearer {
  readonly token: Redacted.Redacted
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

export interface Who {
  readonly principal: string
  readonly agent: string | undefined
  /** What the issuer of its token says of it; nothing for a token of the configuration. */
  readonly identity?: Identity | undefined
}

/** A person, with the access token of this request. */
export interface Bringing extends Who {
  readonly bearer?: Bearer | undefined
}

/** `connection` is the one that the header came on. */
export type WhoHolds = (authorization: string | undefined, connection: object) => Who | undefined

interface Known {
  readonly authorization: string
  readonly who: Who
}

const BEARER = /^bearer +(?<token>\S+)$/i

export const makeTokens = (tokens: ReadonlyArray<ClientToken>): WhoHolds => {
  const known = tokens.map(({ agent, principal, token }) => ({
    digest: digestOf(Redacted.value(token) as string),
    who: { principal, agent }
  }))
  // The time of this comparison tells a client only what its own connection sent before.
  const shown = new WeakMap<object, Known>()
  return (authorization = "", connection) => {
    const before = shown.get(connection)
    if (before?.authorization === authorization) return before.who
    const token = BEARER.exec(authorization)?.groups?.["token"]
    const given = digestOf(token ?? "")
    let found: Who | undefined
    for (const { digest, who } of known) if (timingSafeEqual(digest, given)) found = who
    // No token is not an empty token.
    if (token === undefined || found === undefined) return undefined
    shown.set(connection, { authorization, who: found })
    return found
  }
}
