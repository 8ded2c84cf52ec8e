import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import type { ServerResponse } from "node:http"
import type { CryptoKey as KeyObject } from "jose"
import { SignJWT, UnsecuredJWT, exportSPKI, importJWK } from "jose"
import * as NetworkGuardLayer from "../../../src/layers/connection/NetworkGuard.ts"
import * as RedactorLayer from "../../../src/layers/content/Redactor.ts"
import * as TokenVerifierLayer from "../../../src/layers/login/TokenVerifier.ts"
import * as SecretResolverLayer from "../../../src/layers/secret/SecretResolver.ts"
import {
  INTROSPECTION_AGE_MS,
  INTROSPECTIONS_MAX,
  INTROSPECTIONS_WAITING_MAX,
  ISSUER_KEYS_ANSWER_MS,
  ISSUER_RETRY_MS,
  OPEN_ENDED_KNOWN_MS,
  RENEWALS_BURST,
  WRONG_ASKED_BURST,
  WRONG_TOKENS_BURST
} from "../../../src/schemas/defaults/Clients.ts"
import type { IssuerConfig } from "../../../src/schemas/login/ClientsConfig.ts"
import { TokenVerifier, type Presented } from "../../../src/services/login/TokenVerifier.ts"
import { AUDIENCE, keyOf, testIssuer, type TestIssuer } from "../../support/issuer.ts"

const around = Layer.mergeAll(
  NetworkGuardLayer.layer(),
  SecretResolverLayer.layer({ env: {} }).pipe(Layer.provide(RedactorLayer.layer))
)

const verifierFor = (issuers: ReadonlyArray<Partial<IssuerConfig> & Pick<IssuerConfig, "issuer">>) =>
  Effect.map(
    Layer.build(
      TokenVerifierLayer.layer({
        config: { issuers: issuers.map((one) => ({ scopes: [], allowPrivate: false, ...one })) },
        resource: AUDIENCE
      }).pipe(Layer.provide(around))
    ),
    (context) => context.mapUnsafe.get(TokenVerifier.key) as TokenVerifier["Service"]
  )

const bearer = (token: string, more: Partial<Presented> = {}): Presented => ({
  scheme: "bearer",
  token,
  proof: undefined,
  method: "POST",
  url: AUDIENCE,
  ...more
})

const withIssuer = (
  use: (issuer: TestIssuer, verifier: TokenVerifier["Service"]) => Effect.Effect<void, unknown>,
  more: Partial<IssuerConfig> = {}
) =>
  Effect.gen(function* () {
    const issuer = yield* testIssuer
    yield* Effect.orDie(use(issuer, yield* verifierFor([{ issuer: issuer.issuer, ...more }])))
  })

const tokenOf = (issuer: TestIssuer, ...of: Parameters<TestIssuer["token"]>) =>
  Effect.promise(() => issuer.token(...of))

const refusal = (verifier: TokenVerifier["Service"], presented: Presented) => Effect.flip(verifier.verify(presented))

const SECOND = () => Math.floor(Date.now() / 1000)

describe("an access token", () => {
  it.live("lets in the person and the client that it names", () =>
    withIssuer(
      (issuer, verifier) =>
        Effect.gen(function* () {
          const said = {
            email: "ada@example.com",
            groups: ["staff"],
            realm_access: { roles: ["admin"] },
            scope: "mcp read"
          }
          const token = yield* tokenOf(issuer, said)
          const { identity, principal } = yield* verifier.verify(bearer(token))
          const { claims, ...read } = identity
          assert.deepInclude(claims, said)
          assert.deepStrictEqual(read, {
            client: "editor",
            person: { issuer: issuer.issuer, subject: "ada", name: "ada@example.com" },
            groups: ["staff"],
            roles: ["admin"],
            scopes: ["mcp", "read"]
          })
          assert.match(principal, /^ada@example\.com by editor [0-9a-f]{16}$/)
          assert.strictEqual(verifier.known(token)?.principal, principal)
        }),
      {
        claims: { person: "email", groups: "groups", roles: "realm_access.roles", client: "client_id" }
      }
    )
  )

  it.live("is checked once: the issuer is asked for its metadata and keys, and then no more", () =>
    withIssuer((issuer, verifier) =>
      Effect.gen(function* () {
        for (let i = 0; i < 5; i++) yield* verifier.verify(bearer(yield* tokenOf(issuer, { jti: String(i) })))
        assert.deepStrictEqual(issuer.asked, ["/.well-known/oauth-authorization-server", "/jwks"])
      })
    )
  )

  it.live("of a program that acts for itself names no person", () =>
    withIssuer((issuer, verifier) =>
      Effect.gen(function* () {
        const { identity } = yield* verifier.verify(bearer(yield* tokenOf(issuer, { sub: "editor" })))
        assert.isUndefined(identity.person)
      })
    )
  )
})

describe("an access token is refused", () => {
  const refused: ReadonlyArray<readonly [string, RegExp, (issuer: TestIssuer) => Promise<string>]> = [
    [
      "that is not signed (alg none)",
      /no valid JWT|algorithm/,
      async (issuer) => new UnsecuredJWT({ iss: issuer.issuer, aud: AUDIENCE, sub: "ada", exp: SECOND() + 60 }).encode()
    ],
    [
      "that is signed with the public key as a shared secret",
      /algorithm/,
      async (issuer) => {
        const pem = await exportSPKI((await importJWK(issuer.key.jwk, "ES256", { extractable: true })) as KeyObject)
        return new SignJWT({ iss: issuer.issuer, aud: AUDIENCE, sub: "ada", exp: SECOND() + 60 })
          .setProtectedHeader({ alg: "HS256", kid: issuer.key.kid, typ: "at+jwt" })
          .sign(new TextEncoder().encode(pem))
      }
    ],
    [
      "that another key signed under the same name",
      /signature/,
      async (issuer) => issuer.token({}, {}, { ...(await keyOf("first")), kid: "first" })
    ],
    [
      "that brings its own key along",
      /signature|key/,
      async (issuer) => {
        const own = await keyOf("own")
        return issuer.token({}, { jwk: own.jwk, jku: "http://127.0.0.1:1/jwks" }, own)
      }
    ],
    [
      "that is meant for another audience",
      /another audience/,
      (issuer) => issuer.token({ aud: "https://other.example.com" })
    ],
    ["that has no audience", /'aud'|another audience/, (issuer) => issuer.token({ aud: undefined! })],
    [
      "of an issuer that is not configured",
      /issuer is not one/,
      (issuer) => issuer.token({ iss: "https://evil.example.com" })
    ],
    ["that has expired", /expired/, (issuer) => issuer.token({ exp: SECOND() - 60 })],
    ["that never expires", /'exp'/, (issuer) => issuer.token({ exp: undefined! })],
    ["that is not valid yet", /not valid yet/, (issuer) => issuer.token({ nbf: SECOND() + 600 })],
    ["that is an identity token or a proof", /no access token/, (issuer) => issuer.token({}, { typ: "dpop+jwt" })],
    ["that names no subject", /'sub'/, (issuer) => issuer.token({ sub: undefined! })],
    ["whose subject has line breaks", /subject/, (issuer) => issuer.token({ sub: "ada\nroot" })],
    [
      "with critical headers that nobody knows",
      /no valid JWT/,
      async (issuer) => {
        const [, payload, signature] = (await issuer.token()).split(".")
        const header = Buffer.from(JSON.stringify({ alg: "ES256", kid: "first", typ: "at+jwt", crit: ["x"], x: 1 }))
        return [header.toString("base64url"), payload, signature].join(".")
      }
    ],
    [
      "that is bound to a key, and comes without a proof",
      /bound to a key/,
      (issuer) => issuer.token({ cnf: { jkt: "x" } })
    ],
    [
      "that is bound to a certificate",
      /cannot be checked/,
      (issuer) => issuer.token({ cnf: { "x5t#S256": "bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2" } })
    ],
    ["that is too long", /not a token/, async () => `a.${"b".repeat(20_000)}.c`],
    ["that is no JWT where no issuer is asked", /no JWT/, async () => "an-opaque-token"]
  ]
  for (const [name, says, make] of refused) {
    it.live(name, () =>
      withIssuer((issuer, verifier) =>
        Effect.gen(function* () {
          const token = yield* Effect.promise(() => make(issuer))
          const error = yield* refusal(verifier, bearer(token))
          assert.strictEqual(error._tag, "TokenRefused")
          assert.match(error.message, says)
          assert.isUndefined(verifier.known(token))
          // It was made by nobody who could: the message says nothing of it.
          assert.notInclude(error.message, token)
        })
      )
    )
  }

  it.live("without the scopes that are needed, and says which", () =>
    withIssuer(
      (issuer, verifier) =>
        Effect.gen(function* () {
          const error = yield* refusal(verifier, bearer(yield* tokenOf(issuer, { scope: "read" })))
          assert.strictEqual(error._tag, "TokenRefused")
          if (error._tag !== "TokenRefused") return
          assert.strictEqual(error.fault, "insufficient_scope")
          assert.deepStrictEqual(error.scopes, ["mcp"])
        }),
      { scopes: ["mcp"] }
    )
  )

  it.live("of an issuer whose key has the same name as another issuer's", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* testIssuer, yield* testIssuer]
      const verifier = yield* verifierFor([{ issuer: one.issuer }, { issuer: other.issuer }])
      const forged = yield* tokenOf(one, {}, {}, other.key)
      assert.match((yield* refusal(verifier, bearer(forged))).message, /signature/)
      const own = yield* Effect.orDie(verifier.verify(bearer(yield* tokenOf(one))))
      const others = yield* Effect.orDie(verifier.verify(bearer(yield* tokenOf(other))))
      assert.notStrictEqual(own.principal, others.principal)
    })
  )

  it.live("with an e-mail address that the issuer has not verified", () =>
    withIssuer(
      (issuer, verifier) =>
        Effect.gen(function* () {
          const token = yield* tokenOf(issuer, { email: "boss@example.com", email_verified: false })
          assert.match((yield* refusal(verifier, bearer(token))).message, /not verified/)
        }),
      { claims: { person: "email", groups: "groups", roles: "roles", client: "client_id" } }
    )
  )
})

describe("the keys of an issuer", () => {
  it.live("are read again when a token names a new one, and not for each token with an unknown one", () =>
    withIssuer((issuer, verifier) =>
      Effect.gen(function* () {
        yield* verifier.verify(bearer(yield* tokenOf(issuer)))
        const stranger = yield* Effect.promise(() => keyOf("unknown"))
        for (let i = 0; i < 20; i++) {
          const token = yield* tokenOf(issuer, { jti: String(i) }, {}, stranger)
          assert.match((yield* refusal(verifier, bearer(token))).message, /key that its issuer does not have/)
        }
        assert.isAtMost(issuer.asked.filter((path) => path === "/jwks").length, 2)
      })
    )
  )

  it.live("may be rotated", () =>
    Effect.gen(function* () {
      const issuer = yield* testIssuer
      const next = yield* Effect.promise(() => keyOf("next"))
      issuer.keys = [next.jwk]
      const verifier = yield* verifierFor([{ issuer: issuer.issuer }])
      yield* Effect.orDie(verifier.verify(bearer(yield* tokenOf(issuer, {}, {}, next))))
      assert.match(
        (yield* refusal(verifier, bearer(yield* tokenOf(issuer)))).message,
        /key that its issuer does not have/
      )
    })
  )

  const unusable: ReadonlyArray<readonly [string, (issuer: TestIssuer) => void]> = [
    [
      "that never end",
      (issuer) => {
        issuer.instead = ({ url }, response) => {
          if (url !== "/jwks") return false
          response.writeHead(200, { "content-type": "application/json" })
          const more = () => {
            while (response.write(`{"keys":[${'{"kty":"EC"},'.repeat(5_000)}`));
            response.once("drain", more)
          }
          more()
          return true
        }
      }
    ],
    [
      "that are very many",
      (issuer) => {
        issuer.keys = Array.from({ length: 1_000 }, () => issuer.key.jwk)
      }
    ],
    [
      "at an address inside of the network",
      (issuer) => {
        issuer.metadata = { jwks_uri: "http://10.0.0.1/jwks" }
      }
    ],
    [
      "behind a redirect that leads inside",
      (issuer) => {
        issuer.instead = ({ url }, response) => {
          if (url !== "/jwks") return false
          response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data" }).end()
          return true
        }
      }
    ],
    [
      "of metadata that another issuer signed (mix-up)",
      (issuer) => {
        issuer.metadata = { issuer: "https://login.example.com" }
      }
    ]
  ]
  for (const [name, spoil] of unusable) {
    it.live(`${name} let nobody in, and the reason is the operator's to read`, () =>
      withIssuer((issuer, verifier) =>
        Effect.gen(function* () {
          spoil(issuer)
          const error = yield* refusal(verifier, bearer(yield* tokenOf(issuer)))
          assert.strictEqual(error._tag, "IssuerAway")
          assert.include(error.message, issuer.issuer)
        })
      )
    )
  }

  it.live("that cannot be read let nobody in who is new; who is known stays in", () =>
    withIssuer((issuer, verifier) =>
      Effect.gen(function* () {
        const known = yield* tokenOf(issuer)
        yield* verifier.verify(bearer(known))
        yield* Effect.promise(() => issuer.shut())
        yield* verifier.verify(bearer(known))
        yield* Effect.promise(() => issuer.open())
      })
    )
  )

  it.live("of an issuer that is away: 503 for the client, and it is not asked for each request", () =>
    withIssuer((issuer, verifier) =>
      Effect.gen(function* () {
        yield* Effect.promise(() => issuer.shut())
        for (let i = 0; i < 5; i++) {
          const error = yield* refusal(verifier, bearer(yield* tokenOf(issuer, { jti: String(i) })))
          assert.strictEqual(error._tag, "IssuerAway")
        }
        yield* Effect.promise(() => issuer.open())
      })
    )
  )
})

describe("the log about an issuer", () => {
  const detailOf = (issuer: string, claims: object = {}) =>
    Effect.gen(function* () {
      const real = yield* testIssuer
      const verifier = yield* verifierFor([{ issuer }])
      return (yield* refusal(verifier, bearer(yield* tokenOf(real, { iss: issuer, ...claims })))).message
    })

  it.live("says why it cannot be reached", () =>
    Effect.gen(function* () {
      const gone = yield* testIssuer
      yield* Effect.promise(() => gone.shut())
      assert.match(yield* detailOf(gone.issuer), /metadata: connection refused/)
      assert.match(yield* detailOf("https://10.255.255.1"), /a private address.*"allowPrivate": true on this issuer/)
      yield* Effect.promise(() => gone.open())
    }).pipe(Effect.scoped)
  )

  it.live("says what it calls itself where that is something else, and which audience a token must have", () =>
    withIssuer((issuer, verifier) =>
      Effect.gen(function* () {
        issuer.metadata = { issuer: `${issuer.issuer}/` }
        const named = yield* refusal(verifier, bearer(yield* tokenOf(issuer)))
        assert.include(named.message, `calls itself "${issuer.issuer}/"`)
        const meant = yield* refusal(verifier, bearer(yield* tokenOf(issuer, { aud: "account" })))
        assert.strictEqual(meant.message, `it is meant for another audience than "${AUDIENCE}"`)
      })
    )
  )
})

describe("keys that cannot be read", () => {
  it.effect("for want of an answer are not asked for at each token either, and the log says so", () =>
    withIssuer((issuer, verifier) =>
      Effect.gen(function* () {
        const isAsked = yield* Deferred.make<void>()
        issuer.instead = ({ url }) => {
          if (url === "/jwks") Deferred.doneUnsafe(isAsked, Effect.void)
          return url === "/jwks"
        }
        const [one, other] = [yield* tokenOf(issuer, { jti: "1" }), yield* tokenOf(issuer, { jti: "2" })]
        const first = yield* Effect.forkChild(refusal(verifier, bearer(one)))
        yield* Deferred.await(isAsked)
        yield* TestClock.adjust(ISSUER_KEYS_ANSWER_MS)
        assert.include((yield* Fiber.join(first)).message, "keys: no answer in time")
        assert.include((yield* refusal(verifier, bearer(other))).message, "keys: no answer in time")
        assert.lengthOf(
          issuer.asked.filter((path) => path === "/jwks"),
          1
        )
      })
    )
  )

  it.live("at the private address that was written down for questions alone are not asked for", () =>
    Effect.gen(function* () {
      const [issuer, other] = [yield* testIssuer, yield* testIssuer]
      issuer.metadata = { jwks_uri: `${other.issuer}/jwks` }
      const verifier = yield* verifierFor([
        { issuer: issuer.issuer, introspection: { ...introspection, url: `${other.issuer}/introspect` } }
      ])
      other.opaque.set("good", { sub: "ada", client_id: "editor", aud: AUDIENCE })
      yield* Effect.orDie(verifier.verify(bearer("good")))
      assert.strictEqual((yield* refusal(verifier, bearer(yield* tokenOf(issuer))))._tag, "IssuerAway")
      assert.deepStrictEqual(other.asked, ["/introspect"])
    }).pipe(Effect.scoped)
  )

  it.live(
    "are not asked for at each token: whoever makes up tokens does not have us flood an issuer that is in trouble",
    () =>
      withIssuer((issuer, verifier) =>
        Effect.gen(function* () {
          issuer.instead = ({ url }, response) => url === "/jwks" && response.writeHead(500).end() === response
          for (let i = 0; i < 20; i++) {
            const error = yield* refusal(verifier, bearer(yield* tokenOf(issuer, { jti: String(i) })))
            assert.strictEqual(error._tag, "IssuerAway")
          }
          assert.lengthOf(
            issuer.asked.filter((path) => path === "/jwks"),
            1
          )
        })
      )
  )
})

const introspection = { clientId: "gateway", clientSecret: "a secret of the test" }

describe("a token that is no JWT", () => {
  it.live("is asked about over the connections that are there", () =>
    withIssuer(
      (issuer, verifier) =>
        Effect.gen(function* () {
          for (let count = 0; count < 10; count++) {
            issuer.opaque.set(`token${count}`, { sub: "ada", client_id: "editor", aud: AUDIENCE })
            yield* verifier.verify(bearer(`token${count}`))
          }
          assert.lengthOf(
            issuer.asked.filter((path) => path === "/introspect"),
            10
          )
          // The next question may come before a connection is free again.
          assert.isAtMost(issuer.connections, 2)
        }),
      { introspection }
    )
  )

  it.live("is good if its issuer says so, for this gateway", () =>
    withIssuer(
      (issuer, verifier) =>
        Effect.gen(function* () {
          issuer.opaque.set("good", { sub: "ada", client_id: "editor", aud: AUDIENCE, exp: SECOND() + 60 })
          issuer.opaque.set("elsewhere", { sub: "ada", client_id: "editor", aud: "https://other.example.com" })
          issuer.opaque.set("nameless", { sub: "ada", client_id: "editor" })
          assert.strictEqual((yield* verifier.verify(bearer("good"))).identity.person?.subject, "ada")
          assert.match((yield* refusal(verifier, bearer("elsewhere"))).message, /another audience/)
          assert.match((yield* refusal(verifier, bearer("nameless"))).message, /another audience/)
          assert.match((yield* refusal(verifier, bearer("unknown"))).message, /no issuer says/)
        }),
      { introspection }
    )
  )

  it.live("that was found bad is not asked about again", () =>
    withIssuer(
      (issuer, verifier) =>
        Effect.gen(function* () {
          for (let i = 0; i < 10; i++) yield* refusal(verifier, bearer("unknown"))
          assert.lengthOf(
            issuer.asked.filter((path) => path === "/introspect"),
            1
          )
        }),
      { introspection }
    )
  )

  it.effect("that was revoked is bad half a minute later, and one whose issuer is away stays good", () =>
    withIssuer(
      (issuer, verifier) =>
        Effect.gen(function* () {
          for (const token of ["revoked", "kept"]) {
            issuer.opaque.set(token, { sub: "ada", client_id: "editor", aud: AUDIENCE, exp: 600 })
            yield* verifier.verify(bearer(token))
          }
          issuer.opaque.delete("revoked")
          yield* TestClock.adjust(INTROSPECTION_AGE_MS)
          assert.isUndefined(verifier.known("revoked"))
          assert.isFalse(yield* verifier.isStillGood("revoked"))
          assert.match((yield* refusal(verifier, bearer("revoked"))).message, /no issuer says/)
          yield* Effect.promise(() => issuer.shut())
          yield* verifier.verify(bearer("kept"))
          yield* TestClock.adjust(600_000)
          assert.strictEqual((yield* refusal(verifier, bearer("kept")))._tag, "IssuerAway")
          yield* Effect.promise(() => issuer.open())
        }),
      { introspection }
    )
  )

  it.effect("and has no expiry is good as long as its issuer says so, and for some minutes while that is away", () =>
    withIssuer(
      (issuer, verifier) =>
        Effect.gen(function* () {
          const lasting = { sub: "ada", client_id: "editor", aud: AUDIENCE }
          issuer.opaque.set("lasting", lasting)
          assert.isTrue((yield* verifier.verify(bearer("lasting"))).isOpenEnded)
          issuer.opaque.set("limited", { ...lasting, exp: 600 })
          assert.isFalse((yield* verifier.verify(bearer("limited"))).isOpenEnded)
          for (let i = 0; i < 3; i++) {
            yield* TestClock.adjust(INTROSPECTION_AGE_MS)
            assert.isTrue(yield* verifier.isStillGood("lasting"))
            assert.isDefined(verifier.known("lasting"))
          }
          yield* Effect.promise(() => issuer.shut())
          yield* TestClock.adjust(INTROSPECTION_AGE_MS + OPEN_ENDED_KNOWN_MS - 1)
          yield* verifier.verify(bearer("lasting"))
          yield* TestClock.adjust(1)
          assert.strictEqual((yield* refusal(verifier, bearer("lasting")))._tag, "IssuerAway")
          yield* Effect.promise(() => issuer.open())
          issuer.opaque.delete("lasting")
          yield* TestClock.adjust(ISSUER_RETRY_MS)
          assert.isFalse(yield* verifier.isStillGood("lasting"))
        }),
      { introspection }
    )
  )

  it.effect("that was revoked is bad, however many tokens of strangers wait to be asked about", () =>
    withIssuer(
      (issuer, verifier) =>
        Effect.gen(function* () {
          issuer.opaque.set("revoked", { sub: "ada", client_id: "editor", aud: AUDIENCE, exp: 600 })
          issuer.opaque.set("endless", { sub: "ada", client_id: "editor", aud: AUDIENCE })
          for (const token of ["revoked", "endless"]) {
            yield* verifier.verify(bearer(token))
            issuer.opaque.delete(token)
          }
          const taken = yield* Deferred.make<void>()
          let held = 0
          // The issuer is slow for strangers.
          issuer.instead = ({ url }) => {
            if (url !== "/introspect") return false
            if (++held === INTROSPECTIONS_MAX) Deferred.doneUnsafe(taken, Effect.void)
            return held <= INTROSPECTIONS_MAX
          }
          for (let i = 0; i < INTROSPECTIONS_WAITING_MAX + 8; i++) {
            yield* Effect.forkScoped(Effect.exit(verifier.verify(bearer(`stranger-${i}`))))
          }
          yield* Deferred.await(taken)
          yield* TestClock.adjust(INTROSPECTION_AGE_MS)
          for (const token of ["revoked", "endless"]) {
            assert.match((yield* refusal(verifier, bearer(token))).message, /no issuer says/)
          }
        }).pipe(Effect.scoped),
      { introspection }
    )
  )

  it.live("a JWT that was revoked is bad, where the issuer can be asked", () =>
    withIssuer(
      (issuer, verifier) =>
        Effect.gen(function* () {
          const token = yield* tokenOf(issuer)
          assert.match((yield* refusal(verifier, bearer(token))).message, /not active/)
        }),
      { introspection }
    )
  )
})

describe("a token that is bound to a key (DPoP)", () => {
  const bound = Effect.fnUntraced(function* (issuer: TestIssuer) {
    const { calculateJwkThumbprint, exportJWK, generateKeyPair } = yield* Effect.promise(() => import("jose"))
    const pair = yield* Effect.promise(() => generateKeyPair("ES256", { extractable: true }))
    const jwk = yield* Effect.promise(() => exportJWK(pair.publicKey))
    const jkt = yield* Effect.promise(() => calculateJwkThumbprint(jwk))
    const token = yield* tokenOf(issuer, { cnf: { jkt } })
    const { createHash } = yield* Effect.promise(() => import("node:crypto"))
    const ath = createHash("sha256").update(token).digest("base64url")
    const proof = (claims: Record<string, unknown> = {}, header: Record<string, unknown> = {}) =>
      Effect.promise(() =>
        new SignJWT({ htm: "POST", htu: AUDIENCE, ath, jti: crypto.randomUUID(), iat: SECOND(), ...claims })
          .setProtectedHeader({ alg: "ES256", typ: "dpop+jwt", jwk, ...header })
          .sign(pair.privateKey)
      )
    return { token, proof, pair }
  })
  const presented = (token: string, proof: string | undefined) => bearer(token, { scheme: "dpop", proof })

  it.live("is good with a proof, which counts once", () =>
    withIssuer((issuer, verifier) =>
      Effect.gen(function* () {
        const { proof, token } = yield* bound(issuer)
        const one = yield* proof()
        yield* verifier.verify(presented(token, one))
        assert.match((yield* refusal(verifier, presented(token, one))).message, /used before/)
        yield* verifier.verify(presented(token, yield* proof()))
        assert.isUndefined(verifier.known(token))
      })
    )
  )

  it.live("is refused with the proof for another method, address or token, an old one, or one of another key", () =>
    withIssuer((issuer, verifier) =>
      Effect.gen(function* () {
        const { proof, token } = yield* bound(issuer)
        const other = yield* bound(issuer)
        const says = (made: string | undefined) =>
          Effect.map(refusal(verifier, presented(token, made)), ({ message }) => message)
        assert.match(yield* says(undefined), /missing/)
        assert.match(yield* says(yield* proof({ htm: "GET" })), /another method/)
        assert.match(yield* says(yield* proof({ htu: "https://other.example.com/mcp" })), /another address/)
        assert.match(yield* says(yield* proof({ ath: "x" })), /another token/)
        assert.match(yield* says(yield* proof({ iat: SECOND() - 600 })), /too old/)
        assert.match(yield* says(yield* proof({}, { typ: "jwt" })), /no valid signature/)
        assert.match(yield* says(yield* other.proof()), /another token|another key/)
      })
    )
  )
})

describe("many wrong tokens from one address", () => {
  const THERE = { from: "192.0.2.1" }

  /** Of the same form as a good one, and no two are the same. */
  const forged = (token: string, n: number): string => {
    const [head, claims] = token.split(".")
    return `${head}.${claims}.${Buffer.alloc(64, `${n} `).toString("base64url")}`
  }

  /** Until one is not checked. */
  const flooded = Effect.fnUntraced(function* (verifier: TokenVerifier["Service"], wrong: (n: number) => string) {
    for (let n = 0; n <= WRONG_TOKENS_BURST * 2; n++) {
      const error = yield* refusal(verifier, bearer(wrong(n), THERE))
      if (error._tag === "TokenUnchecked") return n
    }
    return assert.fail("all were checked")
  })

  it.effect("are not checked any more; whoever is known, or comes from elsewhere, does not notice", () =>
    withIssuer((issuer, verifier) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.now())
        const [known, fresh, expired] = yield* Effect.all([
          tokenOf(issuer),
          tokenOf(issuer, { sub: "new" }),
          tokenOf(issuer, { exp: SECOND() - 3_600 })
        ])
        yield* verifier.verify(bearer(known, THERE))
        // To look at one takes no try away.
        for (let n = 0; n < WRONG_TOKENS_BURST * 2; n++) assert.isUndefined(verifier.refusal(fresh, THERE.from))
        assert.strictEqual(yield* flooded(verifier, (n) => forged(fresh, n)), WRONG_TOKENS_BURST)
        // All of that is seen before anything is checked.
        assert.deepInclude(verifier.refusal(fresh, THERE.from), { _tag: "TokenUnchecked", from: THERE.from })
        assert.strictEqual(verifier.refusal(expired, THERE.from)?.message, "it has expired")
        assert.strictEqual(verifier.refusal(forged(fresh, 0), THERE.from)?._tag, "TokenRefused")
        assert.isUndefined(verifier.refusal(known, THERE.from))
        assert.isUndefined(verifier.refusal(fresh, "192.0.2.2"))
        assert.isDefined(verifier.known(known))
        yield* verifier.verify(bearer(known, THERE))
        // What costs nothing to find out is said as before: its client renews its login.
        assert.strictEqual((yield* refusal(verifier, bearer(expired, THERE))).message, "it has expired")
        assert.strictEqual((yield* refusal(verifier, bearer(forged(fresh, 0), THERE)))._tag, "TokenRefused")
        assert.strictEqual((yield* refusal(verifier, bearer(fresh, THERE)))._tag, "TokenUnchecked")
        yield* verifier.verify(bearer(fresh, { from: "192.0.2.2" }))
        yield* TestClock.adjust("1 second")
        yield* verifier.verify(bearer(yield* tokenOf(issuer, { sub: "later" }), THERE))
      })
    )
  )

  it.effect("leave the next token of a person and client who were let in a chance, as behind a reverse proxy", () =>
    withIssuer((issuer, verifier) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.now())
        yield* verifier.verify(bearer(yield* tokenOf(issuer), THERE))
        const stranger = yield* tokenOf(issuer, { sub: "mallory" })
        yield* flooded(verifier, (n) => forged(stranger, n))
        const [renewed, otherClient] = yield* Effect.all([
          tokenOf(issuer, { jti: "renewed" }),
          tokenOf(issuer, { client_id: "other" })
        ])
        assert.isUndefined(verifier.refusal(renewed, THERE.from))
        yield* verifier.verify(bearer(renewed, THERE))
        assert.strictEqual((yield* refusal(verifier, bearer(otherClient, THERE)))._tag, "TokenUnchecked")
        // Whoever knows their names uses up only that.
        yield* Effect.forEach(Array.from({ length: RENEWALS_BURST }), (_, n) =>
          refusal(verifier, bearer(forged(renewed, n), THERE))
        )
        const error = yield* refusal(verifier, bearer(yield* tokenOf(issuer, { jti: "again" }), THERE))
        assert.strictEqual(error._tag, "TokenUnchecked")
        yield* verifier.verify(bearer(renewed, THERE))
      })
    )
  )

  it.effect("are refused at first sight where no signature and no issuer is needed for that", () =>
    withIssuer((issuer, verifier) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.now())
        for (const [token, why] of [
          [yield* tokenOf(issuer, { exp: SECOND() - 3_600 }), "it has expired"],
          [
            yield* tokenOf(issuer, { aud: "https://other.example.com/mcp" }),
            `it is meant for another audience than "${AUDIENCE}"`
          ],
          [yield* tokenOf(issuer, { iss: "https://other.example.com" }), "its issuer is not one of the configuration"],
          [yield* tokenOf(issuer, {}, { typ: "id+jwt" }), "it is no access token"],
          ["opaque", "it is no JWT, and no issuer is asked about other tokens"],
          ["a.b.c", "it is no valid JWT"],
          ["white space", "it is not a token"]
        ] as const) {
          assert.strictEqual(verifier.refusal(token, THERE.from)?.message, why)
          assert.strictEqual((yield* refusal(verifier, bearer(token, THERE))).message, why)
        }
        // Nothing that was needed for a check was read.
        assert.isEmpty(issuer.asked)
      })
    )
  )

  it.effect("that wait for a slow issuer leave room for the first of another address", () =>
    withIssuer(
      (issuer, verifier) =>
        Effect.gen(function* () {
          issuer.opaque.set("honest", { sub: "ada", client_id: "editor", aud: AUDIENCE, exp: 600 })
          const all = yield* Deferred.make<void>()
          const held: Array<ServerResponse> = []
          issuer.instead = ({ url }, response) => {
            if (url !== "/introspect" || held.length >= INTROSPECTIONS_MAX) return false
            if (held.push(response) === INTROSPECTIONS_MAX) Deferred.doneUnsafe(all, Effect.void)
            return true
          }
          for (let n = 0; n < WRONG_TOKENS_BURST; n++) {
            yield* Effect.forkScoped(Effect.exit(verifier.verify(bearer(`stranger-${n}`, THERE))))
          }
          yield* Deferred.await(all)
          const honest = yield* Effect.forkScoped(verifier.verify(bearer("honest", { from: "192.0.2.2" })), {
            startImmediately: true
          })
          for (const response of held) response.destroy()
          assert.strictEqual((yield* Fiber.join(honest)).identity.person?.subject, "ada")
          // It was the next one, before those that came earlier.
          assert.isAtMost(issuer.asked.filter((path) => path === "/introspect").length, INTROSPECTIONS_MAX * 3)
        }).pipe(Effect.scoped),
      { introspection }
    )
  )

  it.effect("that an issuer is asked about have a smaller budget, and take nothing from that of JWTs", () =>
    withIssuer(
      (issuer, verifier) =>
        Effect.gen(function* () {
          const made = Array.from({ length: WRONG_TOKENS_BURST }, (_, n) => `stranger-${n}`)
          yield* Effect.forEach(made, (token) => Effect.exit(verifier.verify(bearer(token, THERE))), { concurrency: 8 })
          assert.lengthOf(
            issuer.asked.filter((path) => path === "/introspect"),
            WRONG_ASKED_BURST
          )
          assert.strictEqual(verifier.refusal("one more", THERE.from)?._tag, "TokenRefused")
          assert.strictEqual(verifier.refusal("one-more", THERE.from)?._tag, "TokenUnchecked")
          const jwt = yield* tokenOf(issuer, { iat: 0, exp: 3_600 })
          assert.isUndefined(verifier.refusal(jwt, THERE.from))
        }),
      { introspection }
    )
  )

  it.effect("that only an issuer can judge are not asked about any more", () =>
    withIssuer(
      (issuer, verifier) =>
        Effect.gen(function* () {
          yield* TestClock.setTime(Date.now())
          const asked = yield* flooded(verifier, (n) => `wrong-${n}`)
          assert.strictEqual(issuer.asked.filter((path) => path === "/introspect").length, asked)
        }),
      { introspection }
    )
  )
})
