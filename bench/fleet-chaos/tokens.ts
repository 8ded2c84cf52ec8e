/** The tokens of the clients of a run: some have one of the configuration, and all others log in at an issuer. */
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { AUDIENCE, testIssuer } from "../../test/support/issuer.ts"

const STATIC_MAX = 32
const LASTS_S = 30 * 24 * 3_600

export interface Tokens {
  /** By the names of the clients. */
  readonly all: ReadonlyMap<string, string>
  /** What the configuration says of them. */
  readonly serve: object
  readonly clients: object
}

export const makeTokens = async (count: number): Promise<Tokens> => {
  const issuer = await Effect.runPromise(Scope.provide(testIssuer, Scope.makeUnsafe()))
  const names = Array.from({ length: count }, (_, index) => `client-${index}`)
  const written = names.slice(0, STATIC_MAX).map((name) => ({ name, token: `the-token-of-${name}` }))
  const exp = Math.floor(Date.now() / 1_000) + LASTS_S
  const given = names
    .slice(STATIC_MAX)
    .map(async (name) => [name, await issuer.token({ sub: name, client_id: name, exp })] as const)
  return {
    all: new Map([...written.map(({ name, token }) => [name, token] as const), ...(await Promise.all(given))]),
    serve: { clients: written },
    clients: { resource: AUDIENCE, issuers: [{ issuer: issuer.issuer }] }
  }
}
