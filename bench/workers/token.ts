/** Checks of tokens by the parts of the listener, without the network: the issuer is asked for its keys once. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { EventEmitter } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import { AUDIENCE, testIssuer } from "../../test/support/issuer.ts"
import * as NetworkGuardLayer from "../../src/layers/connection/NetworkGuard.ts"
import * as RedactorLayer from "../../src/layers/content/Redactor.ts"
import { makeLogins } from "../../src/layers/listener/McpListener/http/logins.ts"
import { makeTokens } from "../../src/layers/listener/McpListener/http/tokens.ts"
import * as CallerTokensLayer from "../../src/layers/login/CallerTokens.ts"
import * as TokenVerifierLayer from "../../src/layers/login/TokenVerifier.ts"
import * as SecretResolverLayer from "../../src/layers/secret/SecretResolver.ts"
import { CallerTokens } from "../../src/services/login/CallerTokens.ts"
import { TokenVerifier } from "../../src/services/login/TokenVerifier.ts"
import {
  AT_THE_DOOR,
  CONFIGURED,
  FIRST,
  FIRST_REQUESTS,
  OTHERS,
  REQUESTS,
  ROUNDS,
  TAKING_TURNS,
  VERIFY
} from "../cases/token.ts"
import { interleave } from "../lib/rounds.ts"

const bench = Effect.gen(function* () {
  const issuer = yield* testIssuer
  const made = yield* Layer.build(
    Layer.mergeAll(
      TokenVerifierLayer.layer({
        config: { issuers: [{ issuer: issuer.issuer, scopes: ["mcp"], allowPrivate: false }] },
        resource: AUDIENCE
      }).pipe(Layer.provide(Layer.mergeAll(NetworkGuardLayer.layer(), SecretResolverLayer.layer({ env: {} })))),
      CallerTokensLayer.layer
    ).pipe(Layer.provide(RedactorLayer.layer))
  )
  const verifier = Context.get(made, TokenVerifier)
  const { seen } = Context.get(made, CallerTokens)
  const scope = { scope: "mcp", groups: ["staff", "platform", "on-call"], email: "ada@example.com" }
  const tokenOf = (claims: object) => Effect.promise(() => issuer.token({ ...scope, ...claims }))
  const bearer = (token: string) =>
    ({ scheme: "bearer", token, proof: undefined, method: "POST", url: AUDIENCE }) as const
  const known = Effect.fnUntraced(function* (claims: object) {
    const token = yield* tokenOf(claims)
    const { expiresAt, identity } = yield* verifier.verify(bearer(token))
    seen(identity.person!, token, expiresAt)
    return token
  })
  for (let n = 0; n < OTHERS; n++) yield* known({ sub: `person-${n}` })
  const tokens = [yield* known({}), yield* known({ client_id: "laptop" })]

  const context = yield* Effect.context<never>()
  const run = ((effect: Effect.Effect<unknown>) => Effect.runForkWith(context)(effect)) as never
  const logins = makeLogins({ resource: AUDIENCE, verifier, seen }, run, (text) => text, Date.now)
  let entered = 0
  const admit = (token: string) => {
    const incoming = { method: "POST", url: "/mcp", headers: { authorization: `Bearer ${token}` } }
    const response = new EventEmitter()
    logins.admit(incoming as unknown as IncomingMessage, response as unknown as ServerResponse, () => entered++, "")
    response.emit("close")
  }
  const whoHolds = makeTokens([
    { principal: "laptop", agent: undefined, token: Redacted.make("a-token-of-the-laptop") }
  ])
  const fresh: Array<ReadonlyArray<string>> = []
  for (let block = 0; block < ROUNDS.rounds + ROUNDS.warmUp; block++) {
    const some: Array<string> = []
    for (let n = 0; n < FIRST_REQUESTS; n++) some.push(yield* tokenOf({ jti: `${block} ${n}` }))
    fresh.push(some)
  }
  const samples = yield* Effect.promise(() =>
    interleave(
      [
        { name: AT_THE_DOOR, block: async () => void Array.from({ length: REQUESTS }, () => admit(tokens[0]!)) },
        {
          name: TAKING_TURNS,
          block: async () => void Array.from({ length: REQUESTS }, (_, n) => admit(tokens[n % 2]!))
        },
        {
          name: VERIFY,
          block: async () => {
            for (let n = 0; n < REQUESTS; n++) Effect.runSyncWith(context)(verifier.verify(bearer(tokens[0]!)))
          }
        },
        {
          name: CONFIGURED,
          block: async () => {
            for (let n = 0; n < REQUESTS; n++) whoHolds("Bearer a-token-of-the-laptop", {})
          }
        },
        {
          name: FIRST,
          block: async () => {
            for (const token of fresh.pop()!) await Effect.runPromiseWith(context)(verifier.verify(bearer(token)))
          }
        }
      ],
      ROUNDS
    )
  )
  const all = (ROUNDS.rounds + ROUNDS.warmUp) * REQUESTS * 2
  if (entered !== all) throw new Error(`${entered} of ${all} requests were let in`)
  return samples
})

const samples = await Effect.runPromise(Effect.scoped(bench))
process.stdout.write(`${JSON.stringify(samples)}\n`, () => process.exit(0))
