/**
 * Which authorization server gets the operator's secrets where the configuration does not say: the first that is met. It is
 * written down before anything goes there, and stays so when tokens go, or a server whose first choice refuses us could
 * name a second one, and a third.
 */
import { NO_CREDENTIALS, type Credentials } from "../../../schemas/login/Credentials.ts"
import { entrustsSecrets, type OAuthConfig } from "../../../schemas/login/OAuthConfig.ts"
import type { Discovered } from "./discovery.ts"
import { refused, type AuthProblem } from "./problem.ts"

interface Configured {
  readonly oauth: OAuthConfig
}

const isOurs = ({ oauth }: Configured): boolean => entrustsSecrets(oauth) && oauth.issuer === undefined

/** Where secrets of the operator go may not be chosen anew by a server that changed its mind. */
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

/** Whether this is the first time, so that it has to be written down. */
export const isNowTrusted = (subject: Configured, current: Credentials | undefined): boolean =>
  isOurs(subject) && current?.authorization?.issuer === undefined

export const trusting = (
  current: Credentials | undefined,
  { authorizationServer: { issuer }, resource }: Discovered,
  clientId: string
): Credentials => ({ ...(current ?? NO_CREDENTIALS), authorization: { issuer, resource, clientId } })

/** What stays when everything else is forgotten. */
export const trustOf = (subject: Configured, current: Credentials | undefined): Credentials | undefined => {
  if (!isOurs(subject) || current?.authorization === undefined) return undefined
  const { tokens: _, ...authorization } = current.authorization
  return { ...NO_CREDENTIALS, authorization }
}
