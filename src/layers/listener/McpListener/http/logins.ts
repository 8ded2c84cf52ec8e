/**
 * Clients that log in at an issuer: the listener as a protected resource. Whoever has no good token is told what the standards say, and no
 * more; the log says why, without the token. A stream whose token expires or is revoked ends within a quarter of a minute.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { IncomingMessage, ServerResponse } from "node:http"
import {
  CLIENT_STREAMS_CHECK_MS,
  REFUSALS_LOGGED_MS,
  REFUSALS_REMEMBERED_MAX
} from "../../../../schemas/defaults/Clients.ts"
import { LISTENER_NAME_MAX_CHARS } from "../../../../schemas/defaults/Listener.ts"
import type { Label } from "../../../../schemas/content/ServerText.ts"
import {
  challengeOf,
  isMetadataPath,
  metadataOf,
  type Refusal,
  type Resource
} from "../../../../schemas/listener/ResourceMetadata.ts"
import type { Logins as LoginOptions } from "../../../../services/listener/McpListener.ts"
import type { IssuerAway, TokenRefused, TokenUnchecked } from "../../../../schemas/login/TokenRefused.ts"
import type { Presented, Verified } from "../../../../services/login/TokenVerifier.ts"
import { SAFE_HEADERS } from "../../../../system/httpServer.ts"
import { again, tryEach } from "../../../../system/rounds.ts"
import { makeSeldom } from "../../../../system/seldom.ts"
import type { Run } from "../requests/running.ts"
import type { Bringing } from "./tokens.ts"
import { turnAway } from "./turnAway.ts"

export interface Logins {
  /** Whether it was a request for the metadata of the resource, which anybody may read; it is answered then. */
  readonly answersMetadata: (incoming: IncomingMessage, response: ServerResponse) => boolean
  /** Lets a client with a good token in, now or when it is checked; others are turned away. `instead`: what else lets a client in. */
  readonly admit: (
    incoming: IncomingMessage,
    response: ServerResponse,
    enter: (who: Bringing) => void,
    instead: string
  ) => void
}

const CREDENTIALS = /^(?<scheme>bearer|dpop) +(?<token>\S+)$/i

/** The issuers are in the metadata of the resource; this is for a person who reads an error. */
const wanted = (instead: string) =>
  instead === "" ? "log in at its authorization server" : `log in at its authorization server, or send ${instead}`

export const makeLogins = (
  { resource: address, seen, verifier }: LoginOptions,
  run: Run,
  label: Label,
  now: () => number
): Logins => {
  const { issuers, proofAlgorithms, scopes } = verifier
  const resource: Resource = { resource: address, issuers, scopes, proofAlgorithms }
  const document = JSON.stringify(metadataOf(resource))
  const { origin } = new URL(address)
  /** Requests under way, each with the token that let it in. */
  const open = new Map<ServerResponse, string>()
  const isDue = makeSeldom(REFUSALS_LOGGED_MS, REFUSALS_REMEMBERED_MAX, now)

  const whoIs = ({ agent, expiresAt, identity, principal }: Verified, token: string): Bringing => {
    const who = { principal, agent, identity }
    if (identity.person === undefined) return who
    seen?.(identity.person, token, expiresAt)
    return { ...who, bearer: { token: Redacted.make(token), expiresAt } }
  }

  const hold = (response: ServerResponse, token: string): void => {
    open.set(response, token)
    response.once("close", () => open.delete(response))
  }

  const check = Effect.suspend(() =>
    tryEach(new Set(open.values()), (token) =>
      Effect.map(verifier.isStillGood(token), (isGood) => {
        if (isGood) return
        for (const [response, own] of open) if (own === token) response.destroy()
      })
    )
  )
  run(again("looking for streams of clients whose tokens have ended", CLIENT_STREAMS_CHECK_MS, check))

  /** One line for each `kind` in a while: whoever sends bad tokens does not fill the log, from however many addresses. */
  const logged = (reason: string, kind = reason): void => {
    if (isDue(kind)) run(Effect.logWarning(`a client was not let in: ${label(reason, LISTENER_NAME_MAX_CHARS)}`))
  }

  const refused = (
    response: ServerResponse,
    refusal: Refusal | undefined,
    scheme: Presented["scheme"],
    message: string
  ) =>
    turnAway(response, refusal?.fault === "insufficient_scope" ? 403 : 401, message, {
      "www-authenticate": challengeOf(resource, refusal, scheme === "dpop" ? "DPoP" : "Bearer")
    })

  const notNow = (response: ServerResponse, { retryInMs }: IssuerAway | TokenUnchecked): void =>
    turnAway(response, 503, "Tokens cannot be checked now; try again later", {
      "retry-after": String(Math.ceil(retryInMs / 1000))
    })

  const turnedAway = (
    response: ServerResponse,
    scheme: Presented["scheme"],
    error: TokenRefused | IssuerAway | TokenUnchecked,
    instead: string
  ): void => {
    if (error._tag !== "TokenRefused") {
      logged(error.message, error._tag === "TokenUnchecked" ? error._tag : error.message)
      return notNow(response, error)
    }
    logged(`its token was refused: ${error.detail}`)
    const message =
      error.fault === "insufficient_scope"
        ? "This token has not all scopes that are needed here"
        : `This token is not accepted: ${wanted(instead)}`
    refused(response, { fault: error.fault, scopes: error.scopes }, scheme, message)
  }

  return {
    answersMetadata: ({ method, url = "" }, response) => {
      if (!isMetadataPath(url.split("?", 1)[0]!) || (method !== "GET" && method !== "HEAD")) return false
      const headers = {
        ...SAFE_HEADERS,
        "content-type": "application/json",
        "content-length": String(Buffer.byteLength(document))
      }
      response.writeHead(200, headers).end(method === "HEAD" ? undefined : document)
      return true
    },
    admit: (incoming, response, enter, instead) => {
      const { authorization, dpop } = incoming.headers
      const { scheme: given, token } = CREDENTIALS.exec(authorization ?? "")?.groups ?? {}
      if (given === undefined || token === undefined) {
        const message = authorization === undefined ? "A token is missing" : "This is no bearer token"
        return refused(response, undefined, "bearer", `${message}: ${wanted(instead)}`)
      }
      const scheme = given.toLowerCase() === "dpop" ? "dpop" : "bearer"
      const known = scheme === "bearer" ? verifier.known(token) : undefined
      if (known !== undefined) {
        hold(response, token)
        return enter(whoIs(known, token))
      }
      const from = incoming.socket.remoteAddress ?? ""
      const wrong = verifier.refusal(token, from)
      if (wrong !== undefined) return turnedAway(response, scheme, wrong, instead)
      const presented: Presented = {
        scheme,
        token,
        proof: typeof dpop === "string" ? dpop : undefined,
        method: incoming.method ?? "",
        url: `${origin}${(incoming.url ?? "").split("?", 1)[0]!}`,
        from
      }
      run(
        Effect.match(verifier.verify(presented), {
          onSuccess: (verified) => {
            if (response.destroyed) return
            hold(response, token)
            enter(whoIs(verified, token))
          },
          onFailure: (error) => turnedAway(response, scheme, error, instead)
        })
      )
    }
  }
}
