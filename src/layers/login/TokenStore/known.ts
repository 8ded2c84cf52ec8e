/**
 * The tokens of logins, as the redactor knows them: for as long as they are among the last few of their login. An authorization
 * server may give new ones every minute; what was replaced long ago goes the way of all that was released.
 */
import { LOGIN_SECRETS_KEPT } from "../../../schemas/defaults/Authorization.ts"
import { identityKey, secretsIn, type Credentials, type ServerIdentity } from "../../../schemas/login/Credentials.ts"
import type { Redactor } from "../../../services/content/Redactor.ts"

interface Generation {
  /** Nobody's name: no server may have these back. */
  readonly owner: string
  readonly secrets: ReadonlyArray<string>
}

export const makeKnown = ({ register, release }: Pick<Redactor["Service"], "register" | "release">) => {
  const logins = new Map<string, ReadonlyArray<Generation>>()
  let count = 0
  return (identity: ServerIdentity, credentials: Credentials): Credentials => {
    const key = identityKey(identity)
    const generations = logins.get(key) ?? []
    const secrets = secretsIn(credentials)
    const last = generations.at(-1)?.secrets ?? []
    if (secrets.length === last.length && secrets.every((secret, index) => secret === last[index])) return credentials
    const owner = `login\n${key}\n${count++}`
    for (const secret of secrets) register(secret, owner)
    const kept = [...generations, { owner, secrets }]
    for (const old of kept.slice(0, -LOGIN_SECRETS_KEPT)) release(old.owner)
    logins.set(key, kept.slice(-LOGIN_SECRETS_KEPT))
    return credentials
  }
}
