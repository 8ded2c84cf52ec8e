/** Who holds a token. How long it takes to say so tells nothing of the tokens there are. */
import * as Redacted from "effect/Redacted"
import { timingSafeEqual } from "node:crypto"
import type { ClientToken } from "../../../../services/listener/McpListener.ts"
import { digestOf } from "../../../../system/httpServer.ts"

export interface Who {
  readonly principal: string
  readonly agent: string | undefined
}

export type WhoHolds = (authorization: string | undefined) => Who | undefined

const BEARER = /^bearer +(?<token>\S+)$/i

export const makeTokens = (tokens: ReadonlyArray<ClientToken>): WhoHolds => {
  const known = tokens.map(({ agent, principal, token }) => ({
    digest: digestOf(Redacted.value(token) as string),
    who: { principal, agent }
  }))
  return (authorization = "") => {
    const token = BEARER.exec(authorization)?.groups?.["token"]
    const given = digestOf(token ?? "")
    let found: Who | undefined
    for (const { digest, who } of known) if (timingSafeEqual(digest, given)) found = who
    // Whoever has none does not hold an empty one.
    return token === undefined ? undefined : found
  }
}
