import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as NetworkGuardLayer from "../../../src/layers/connection/NetworkGuard.ts"
import * as RedactorLayer from "../../../src/layers/content/Redactor.ts"
import * as TokenVerifierLayer from "../../../src/layers/login/TokenVerifier.ts"
import * as SecretResolverLayer from "../../../src/layers/secret/SecretResolver.ts"
import { TokenVerifier } from "../../../src/services/login/TokenVerifier.ts"
import { AUDIENCE, keyOf, testIssuer, type TestIssuer, type TestKey } from "../../support/issuer.ts"

const REDIRECT = "https://gateway.example.com/login/callback"
const CLIENT = "the-pages"

/** A login that was begun, and an issuer that gives the ID token that the test says. */
const begun = Effect.gen(function* () {
  const issuer = yield* testIssuer
  const layer = TokenVerifierLayer.layer({
    config: {
      issuers: [
        {
          issuer: issuer.issuer,
          scopes: [],
          allowPrivate: false,
          login: { clientId: CLIENT, clientSecret: "s3cret" }
        } as never
      ]
    },
    resource: AUDIENCE
  }).pipe(
    Layer.provide([
      NetworkGuardLayer.layer(),
      SecretResolverLayer.layer({ env: {} }).pipe(Layer.provide(RedactorLayer.layer))
    ])
  )
  const verifier = (yield* Layer.build(layer)).mapUnsafe.get(TokenVerifier.key) as TokenVerifier["Service"]
  issuer.metadata = {
    authorization_endpoint: `${issuer.issuer}/authorize`,
    token_endpoint: `${issuer.issuer}/token`,
    authorization_response_iss_parameter_supported: true
  }
  const login = yield* verifier.login(issuer.issuer, REDIRECT)!
  const page = new URL(login.url)
  return { issuer, login, page, nonce: page.searchParams.get("nonce")! }
})

/** The issuer answers a code with this ID token. */
const answering = (issuer: TestIssuer, claims: object, header: object = {}, key?: TestKey) =>
  Effect.promise(async () => {
    const token = await issuer.token({ aud: CLIENT, ...claims }, { typ: "JWT", ...header }, key)
    issuer.instead = (incoming, response) => {
      if (incoming.url !== "/token") return false
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ id_token: token }))
      return true
    }
  })

const back = (issuer: TestIssuer, more: Record<string, string> = {}) =>
  new URLSearchParams({ code: "the-code", iss: issuer.issuer, ...more })

describe("the login of a person at their issuer", () => {
  it.live("asks with PKCE, state and nonce, and says who has logged in", () =>
    Effect.gen(function* () {
      const { issuer, login, nonce, page } = yield* begun
      assert.deepInclude(Object.fromEntries(page.searchParams), {
        client_id: CLIENT,
        redirect_uri: REDIRECT,
        scope: "openid",
        response_type: "code",
        code_challenge_method: "S256",
        state: login.state
      })
      yield* answering(issuer, { nonce, sub: "ada" })
      assert.strictEqual(yield* login.subject(back(issuer)), "ada")
    })
  )

  it.live("an ID token for another login, client, time or issuer, or of another key, is nobody", () =>
    Effect.gen(function* () {
      const { issuer, login, nonce } = yield* begun
      const other = yield* Effect.promise(() => keyOf("first"))
      for (const [claims, header, key] of [
        [{ nonce: "another" }],
        [{ nonce: undefined }],
        [{ nonce, aud: "another" }],
        [{ nonce, aud: [CLIENT, "another"], azp: "another" }],
        [{ nonce, iss: "https://evil.example" }],
        [{ nonce, exp: 1 }],
        [{ nonce, sub: undefined }],
        [{ nonce, sub: "" }],
        [{ nonce }, {}, other]
      ] as ReadonlyArray<[object, object?, TestKey?]>) {
        yield* answering(issuer, claims, header, key)
        const refused = yield* Effect.flip(login.subject(back(issuer)))
        assert.include(refused, "the issuer", JSON.stringify(claims))
      }
    })
  )

  it.live("an answer of another issuer, without the name of one, or without a code asks for no token", () =>
    Effect.gen(function* () {
      const { issuer, login, nonce } = yield* begun
      yield* answering(issuer, { nonce })
      const asked = issuer.asked.length
      const twice = back(issuer)
      twice.append("code", "another")
      for (const params of [
        back(issuer, { iss: "https://evil.example" }),
        new URLSearchParams({ code: "the-code" }),
        new URLSearchParams({ iss: issuer.issuer, error: "access_denied" }),
        twice
      ]) {
        yield* Effect.flip(login.subject(params))
      }
      assert.strictEqual(issuer.asked.length, asked)
    })
  )
})
