/**
 * Whose turns a new connection has. Its first bytes usually have the token, which is looked up before the request is parsed: so a client that
 * opens many connections waits for itself only. This lets nobody in; the request is authenticated like any other.
 */
import { authorizationIn } from "../../../../system/httpServer.ts"
import type { Recognize } from "../../../../system/connectionTurns.ts"
import type { TokenVerifier } from "../../../../services/login/TokenVerifier.ts"
import type { ClientQuotas } from "../requests/ClientQuota.ts"
import type { WhoHolds } from "./tokens.ts"

const BEARER = /^bearer +(?<token>\S+)$/i

/** Of the tokens of issuers, those that were checked before: no other one is checked here. */
export const makeRecognize =
  (
    whoHolds: WhoHolds,
    holders: ClientQuotas,
    verifier: Pick<TokenVerifier["Service"], "known"> | undefined
  ): Recognize =>
  (head) => {
    const authorization = authorizationIn(head)
    if (authorization === undefined) return undefined
    const token = BEARER.exec(authorization)?.groups?.["token"]
    if (token === undefined) return undefined
    const known = whoHolds(authorization, head) ?? verifier?.known(token)
    return known === undefined ? undefined : { whose: known.principal, rate: holders.of(known.principal).pace.rate }
  }
