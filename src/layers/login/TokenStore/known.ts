/**
 * Registers the tokens of logins with the redactor, as long as they are among the last few of their login. An authorization server may give new
 * ones every minute; old ones are released.
 *
 * An authorization server chooses its tokens, and a hostile one may choose ordinary words. Only tokens that look random are registered: other
 * ones would be masked in the text of other servers.
 */
import * as Effect from "effect/Effect"
import { LOGIN_SECRETS_KEPT } from "../../../schemas/defaults/Authorization.ts"
import { identityKey, secretsIn, type Credentials, type ServerIdentity } from "../../../schemas/login/Credentials.ts"
import { looksRandom } from "../../../schemas/secret/RandomLook.ts"
import type { Redactor } from "../../../services/content/Redactor.ts"

interface Generation {
  /** Not the name of a server: no server may see these. */
  readonly owner: string
  readonly secrets: ReadonlyArray<string>
}

const warning = (server: string) =>
  `MCP server '${server}': its authorization server gave a token or a client secret that does not look random. It is used, but it is not masked, and not withheld from other servers`

export const makeKnown = ({ register, release }: Pick<Redactor["Service"], "register" | "release">) => {
  const logins = new Map<string, ReadonlyArray<Generation>>()
  const warned = new Set<string>()
  let count = 0

  const know = (key: string, secrets: ReadonlyArray<string>): void => {
    const generations = logins.get(key) ?? []
    const last = generations.at(-1)?.secrets ?? []
    if (secrets.length === last.length && secrets.every((secret, index) => secret === last[index])) return
    const owner = `login\n${key}\n${count++}`
    for (const secret of secrets) register(secret, owner)
    const kept = [...generations, { owner, secrets }]
    for (const old of kept.slice(0, -LOGIN_SECRETS_KEPT)) release(old.owner)
    logins.set(key, kept.slice(-LOGIN_SECRETS_KEPT))
  }

  return (identity: ServerIdentity, credentials: Credentials): Effect.Effect<Credentials> =>
    Effect.gen(function* () {
      const key = identityKey(identity)
      const { chosen, own } = secretsIn(credentials)
      const random = chosen.filter(looksRandom)
      know(key, [...random, ...own])
      if (random.length < chosen.length && !warned.has(key)) {
        warned.add(key)
        yield* Effect.logWarning(warning(identity.server))
      }
      return credentials
    })
}
