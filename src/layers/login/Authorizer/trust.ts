/**
 * Which authorization server gets the secrets of the operator if the configuration does not say: the first one that the server names. It is
 * recorded before anything is sent there, and stays recorded without tokens: otherwise a server could name a second one after the first has
 * refused us, and a third.
 */
import { NO_CREDENTIALS, type Credentials } from "../../../schemas/login/Credentials.ts"
import { entrustsSecrets, type OAuthConfig } from "../../../schemas/login/OAuthConfig.ts"
import type { Discovered } from "./discovery.ts"
import { refused, type AuthProblem } from "./problem.ts"

interface Configured {
  readonly oauth: OAuthConfig
}

const isOurs = ({ oauth }: Configured): boolean => entrustsSecrets(oauth) && oauth.issuer === undefined

/** A server may not change the authorization server that gets the secrets of the operator. */
export const strangeIssuer = (
  subject: Configured,
  { authorizationServer }: Discovered,
  current: Credentials | undefined
): AuthProblem | undefined => {
  const known = current?.authorization?.issuer
  return !isOurs(subject) || known === undefined || known === authorizationServer.issuer
    ? undefined
    : refused(
        'it names another authorization server than before: say with "issuer" in "auth" which one gets our secrets'
      )
}

/** Whether the authorization server is new and has to be recorded. */
export const isNowTrusted = (subject: Configured, current: Credentials | undefined): boolean =>
  isOurs(subject) && current?.authorization?.issuer === undefined

export const trusting = (
  current: Credentials | undefined,
  { authorizationServer: { issuer }, resource }: Discovered,
  clientId: string
): Credentials => ({ ...(current ?? NO_CREDENTIALS), authorization: { issuer, resource, clientId } })

/** What stays when all other credentials are forgotten. */
export const trustOf = (subject: Configured, current: Credentials | undefined): Credentials | undefined => {
  if (!isOurs(subject) || current?.authorization === undefined) return undefined
  const { tokens: _, ...authorization } = current.authorization
  return { ...NO_CREDENTIALS, authorization }
}
