import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import type * as Scope from "effect/Scope"
import type { OAuthConfig } from "../../src/schemas/login/OAuthConfig.ts"
import { Authorizer } from "../../src/services/login/Authorizer.ts"
import type { ServerConnector } from "../../src/services/connection/ServerConnector.ts"
import type { TokenStore } from "../../src/services/login/TokenStore.ts"
import { oauthServer, type OAuthFixture } from "../fixtures/oauthServer.ts"
import { callTool, textOf } from "../support/connector.ts"
import { elsewhere, filesIn, folder, keptIn, logIn, open, protectedServer, world } from "../support/oauth.ts"

type Services = ServerConnector | Authorizer | TokenStore | Scope.Scope
type Json = Record<string, unknown>

const scenario = (
  name: string,
  body: (fixture: OAuthFixture, directory: string) => Effect.Effect<void, unknown, Services>
) =>
  it.live(name, () =>
    Effect.gen(function* () {
      const fixture = yield* oauthServer
      const directory = yield* folder
      yield* body(fixture, directory).pipe(Effect.scoped, Effect.provide(world({ directory })))
    }).pipe(Effect.scoped)
  )

/** Nobody was shown a page, nobody was registered, no code and no secret went anywhere. */
const nothingSent = ({ requests, url }: OAuthFixture) => {
  const paths = requests.filter(({ at }) => at === "issuer").map(({ path }) => path)
  for (const path of ["/authorize", "/register", "/token"]) assert.notInclude(paths, path, url)
}

/** A login fails with these words before anything was sent. */
const refuses = (
  name: string,
  words: string,
  twist: (fixture: OAuthFixture) => void,
  auth?: (fixture: OAuthFixture) => OAuthConfig
) =>
  scenario(name, (fixture) =>
    Effect.gen(function* () {
      twist(fixture)
      const failed = yield* Effect.flip(logIn(fixture, protectedServer(fixture.url, auth?.(fixture))))
      assert.include(failed.message, words)
      nothingSent(fixture)
    })
  )

const inIssuer = (change: Json) => (fixture: OAuthFixture) => {
  fixture.state.issuerDocument = (document) => ({ ...document, ...change })
}

const inResource = (change: (fixture: OAuthFixture) => Json) => (fixture: OAuthFixture) => {
  fixture.state.resourceDocument = (document) => ({ ...document, ...change(fixture) })
}

const HOSTILE = [
  "javascript:alert(1)",
  "file:///etc/passwd",
  "calc.exe",
  "$(touch /tmp/pwned)",
  "ms-settings:privacy",
  "data:text/html,x",
  "https://10.0.0.1/authorize",
  "https://192.168.1.1/authorize",
  "https://169.254.169.254/latest/meta-data",
  "https://[::1]:1/authorize",
  "https://metadata.google.internal/authorize",
  "http://issuer.example/authorize",
  "https://user:password@issuer.example/authorize",
  "https://issuer.example/authorize#fragment",
  7,
  null,
  {}
]

describe("OAuth: endpoints that nobody may be sent to", () => {
  for (const endpoint of ["authorization_endpoint", "token_endpoint", "registration_endpoint", "revocation_endpoint"]) {
    for (const value of HOSTILE) {
      // The neighbours of a server on this machine are what it says.
      if (typeof value === "string" && value.includes("[::1]")) continue
      refuses(`${endpoint} ${JSON.stringify(value)}`, endpoint, inIssuer({ [endpoint]: value }))
    }
  }

  for (const value of HOSTILE.filter((each) => typeof each === "string" && !each.includes("[::1]"))) {
    scenario(`an authorization server at ${JSON.stringify(value)}`, (fixture) =>
      Effect.gen(function* () {
        inResource(() => ({ authorization_servers: [value] }))(fixture)
        const failed = yield* Effect.flip(logIn(fixture))
        assert.strictEqual(failed._tag, "LoginFailed")
        nothingSent(fixture)
        assert.isEmpty(fixture.requests.filter(({ at }) => at === "issuer"))
      })
    )
  }

  scenario("metadata of the server at such an address is not fetched: the usual places are", (fixture) =>
    Effect.gen(function* () {
      fixture.state.challenge = () => 'Bearer resource_metadata="http://169.254.169.254/latest"'
      assert.deepStrictEqual((yield* logIn(fixture)).scopes, ["read"])
    })
  )
})

describe("OAuth: documents that speak for others", () => {
  for (const resource of ["https://elsewhere.example/mcp", "http://127.0.0.1:9/mcp"]) {
    refuses(
      `metadata of ${resource}`,
      "another resource",
      inResource(() => ({ resource }))
    )
  }
  refuses(
    "metadata of a neighbour on the same host",
    "another resource",
    inResource(({ origin }) => ({ resource: `${origin}/mcp-other` }))
  )
  refuses(
    "an issuer that is not the one that was asked",
    "another issuer",
    inIssuer({ issuer: "https://evil.example" })
  )
  refuses("an issuer that is nobody", "another issuer", inIssuer({ issuer: undefined }))

  refuses(
    "metadata of another query of the same address",
    "another resource",
    inResource(({ url }) => ({ resource: `${url}?tenant=2` }))
  )

  /** What tokens were asked for, on the page and at the token endpoint. */
  const resourcesAsked = (fixture: OAuthFixture) =>
    fixture.requests
      .filter(({ path }) => path === "/authorize" || path === "/token")
      .map(({ form, path, query }) => (path === "/token" ? form : query).get("resource"))

  scenario("a server that names all of its origin gets a token for itself", (fixture) =>
    Effect.gen(function* () {
      inResource(({ origin }) => ({ resource: `${origin}/` }))(fixture)
      yield* logIn(fixture)
      assert.deepStrictEqual(resourcesAsked(fixture), [fixture.url, fixture.url])
    })
  )

  scenario("a server whose origin says something else of itself gets a token for itself", (fixture) =>
    Effect.gen(function* () {
      inResource(({ origin }) => ({ resource: `${origin}/` }))(fixture)
      fixture.state.originDocument = () => ({ resource: fixture.url, authorization_servers: [fixture.issuer] })
      yield* logIn(fixture)
      assert.deepStrictEqual(resourcesAsked(fixture), [fixture.url, fixture.url])
    })
  )

  for (const [what, own] of [
    ["with the server", true],
    ["alone", false]
  ] as const) {
    scenario(`an origin that is one resource by its own word, ${what}, is asked for as it writes itself`, (fixture) =>
      Effect.gen(function* () {
        const document = { resource: fixture.origin, authorization_servers: [fixture.issuer] }
        fixture.state.challenge = () => 'Bearer scope="read"'
        fixture.state.resourceDocument = () => (own ? document : undefined)
        fixture.state.originDocument = () => document
        yield* logIn(fixture)
        assert.deepStrictEqual(resourcesAsked(fixture), [fixture.origin, fixture.origin])
      })
    )
  }

  scenario("a document that speaks for another issuer is refused also when a server is connected", (fixture) =>
    Effect.gen(function* () {
      inIssuer({ issuer: "https://evil.example" })(fixture)
      const error = yield* Effect.flip(open(protectedServer(fixture.url)))
      assert.deepInclude(error, { _tag: "AuthRequired", remedy: "config" })
      assert.include(error.message, "another issuer")
    })
  )
})

describe("OAuth: PKCE", () => {
  refuses("is refused where it is not advertised", "PKCE", inIssuer({ code_challenge_methods_supported: undefined }))
  refuses("is refused where only `plain` is", "PKCE", inIssuer({ code_challenge_methods_supported: ["plain"] }))
  refuses("is refused where it is no list", "PKCE", inIssuer({ code_challenge_methods_supported: "S256" }))
})

describe("OAuth: what comes back", () => {
  const returning = (name: string, words: string, change: (redirect: URL) => void) =>
    scenario(name, (fixture) =>
      Effect.gen(function* () {
        const failed = yield* Effect.flip(
          Authorizer.use(({ login }) =>
            login(protectedServer(fixture.url), {
              show: ({ url }) =>
                Effect.promise(async () => {
                  const redirect = await fixture.redirect(url)
                  change(redirect)
                  return redirect.href
                })
            })
          )
        )
        assert.include(failed.message, words)
        assert.isEmpty(fixture.grants("authorization_code"))
        assert.notInclude(failed.message, "evil words")
      })
    )

  returning("with another state is not ours", "does not belong", ({ searchParams }) => searchParams.set("state", "x"))
  returning("without a state is not ours", "does not belong", ({ searchParams }) => searchParams.delete("state"))
  returning("with two states is not ours", "does not belong", ({ searchParams }) => searchParams.append("state", "x"))
  returning("from another issuer is not read", "does not come from", ({ searchParams }) =>
    searchParams.set("iss", "https://evil.example")
  )
  returning("from an issuer that only looks the same is not read", "does not come from", ({ searchParams }) =>
    searchParams.set("iss", `${searchParams.get("iss")}/`)
  )
  returning("without the issuer that was promised is not read", "does not come from", ({ searchParams }) =>
    searchParams.delete("iss")
  )
  returning("with an error of another issuer shows nothing of it", "does not come from", ({ searchParams }) => {
    searchParams.delete("code")
    searchParams.set("iss", "https://evil.example")
    searchParams.set("error", "access_denied")
    searchParams.set("error_description", "evil words")
  })
  returning("with two codes has none", "neither a code", ({ searchParams }) => searchParams.append("code", "x"))
  returning("with an error says which", "access_denied", ({ searchParams }) => {
    searchParams.delete("code")
    searchParams.set("error", "access_denied")
  })
})

describe("OAuth: secrets of the operator", () => {
  const config = ({ issuer }: OAuthFixture): OAuthConfig => ({
    grant: "client_credentials",
    issuer,
    clientId: "robot",
    clientSecret: "a-secret-of-the-operator"
  })
  const enrolled = (fixture: OAuthFixture) => {
    fixture.state.clients.set("robot", { secret: "a-secret-of-the-operator", redirectUris: [] })
    inIssuer({ token_endpoint_auth_methods_supported: ["client_secret_basic"] })(fixture)
  }

  scenario("go to the issuer that is configured", (fixture) =>
    Effect.gen(function* () {
      enrolled(fixture)
      const connection = yield* open(protectedServer(fixture.url, config(fixture)))
      assert.lengthOf(connection.catalogue.tools, 1)
      assert.strictEqual(fixture.grants("client_credentials")[0]?.form.get("resource"), fixture.url)
    })
  )

  scenario("go to no other, whatever the server says", (fixture) =>
    Effect.gen(function* () {
      enrolled(fixture)
      const auth = { ...config(fixture), issuer: "https://issuer.example" }
      const error = yield* Effect.flip(open(protectedServer(fixture.url, auth)))
      assert.deepInclude(error, { _tag: "AuthRequired", remedy: "config" })
      assert.include(error.message, "another authorization server")
      nothingSent(fixture)
    })
  )

  scenario("go to the first issuer that was met, and not to the next one", (fixture) =>
    Effect.gen(function* () {
      const other = yield* oauthServer
      for (const each of [fixture, other]) enrolled(each)
      const { issuer: _, ...auth } = config(fixture)
      yield* Effect.scoped(open(protectedServer(fixture.url, auth)))
      fixture.expire()
      inResource(() => ({ authorization_servers: [other.issuer] }))(fixture)
      const error = yield* Effect.flip(open(protectedServer(fixture.url, auth)))
      assert.include(error.message, "another authorization server than before")
      nothingSent(other)
    })
  )
})

describe("OAuth: secrets of the operator, without an issuer", () => {
  const SECRET = "a-secret-of-the-operator"
  const robot: OAuthConfig = { grant: "client_credentials", clientId: "robot", clientSecret: SECRET }
  const person: OAuthConfig = { grant: "authorization_code", clientId: "robot", clientSecret: SECRET }

  const naming = (fixture: OAuthFixture, named: OAuthFixture) =>
    inResource(() => ({ authorization_servers: [named.issuer] }))(fixture)

  const takesSecrets = (fixture: OAuthFixture, secret: string, port = 0) => {
    fixture.state.clients.set("robot", { secret, redirectUris: [`http://127.0.0.1:${port}/callback`] })
    inIssuer({ token_endpoint_auth_methods_supported: ["client_secret_basic"] })(fixture)
  }

  scenario("go to no second one after the first did not know them, in this process or another", (fixture, directory) =>
    Effect.gen(function* () {
      const other = yield* oauthServer
      takesSecrets(fixture, "another secret")
      takesSecrets(other, SECRET)
      const connect = Effect.flip(Effect.scoped(open(protectedServer(fixture.url, robot))))
      assert.include((yield* connect).message, "invalid_client")
      assert.lengthOf(fixture.grants("client_credentials"), 1)
      assert.strictEqual(keptIn(directory).authorization?.issuer, fixture.issuer)
      naming(fixture, other)
      assert.include((yield* connect.pipe(elsewhere(directory))).message, "another authorization server than before")
      nothingSent(other)
    })
  )

  scenario("go to no second one after a login that came to nothing", (fixture) =>
    Effect.gen(function* () {
      const other = yield* oauthServer
      for (const each of [fixture, other]) takesSecrets(each, SECRET)
      const login = Authorizer.use((authorizer) =>
        authorizer.login(protectedServer(fixture.url, person), {
          show: ({ redirectUri, url }) =>
            Effect.promise(async () => {
              for (const each of [fixture, other]) takesSecrets(each, SECRET, Number(new URL(redirectUri).port))
              return (await (url.startsWith(fixture.issuer) ? fixture : other).redirect(url)).href
            })
        })
      )
      fixture.state.onToken = () => ({ status: 401, body: { error: "invalid_client" } })
      assert.include((yield* Effect.flip(login)).message, "invalid_client")
      naming(fixture, other)
      assert.include((yield* Effect.flip(login)).message, "another authorization server than before")
      nothingSent(other)
    })
  )

  scenario("go to no other one that was entrusted with them while the person was away", (fixture, directory) =>
    Effect.gen(function* () {
      const other = yield* oauthServer
      for (const each of [fixture, other]) takesSecrets(each, SECRET)
      const login = Authorizer.use((authorizer) =>
        authorizer.login(protectedServer(fixture.url, person), {
          show: ({ redirectUri, url }) =>
            Effect.gen(function* () {
              takesSecrets(fixture, SECRET, Number(new URL(redirectUri).port))
              naming(fixture, other)
              yield* Effect.ignore(Effect.scoped(open(protectedServer(fixture.url, robot)))).pipe(elsewhere(directory))
              return yield* Effect.promise(async () => (await fixture.redirect(url)).href)
            })
        })
      )
      assert.include((yield* Effect.flip(login)).message, "another authorization server than before")
      assert.isEmpty(fixture.grants("authorization_code"))
      assert.lengthOf(other.grants("client_credentials"), 1)
    })
  )

  scenario("go to no second one after a logout, which keeps nothing else", (fixture, directory) =>
    Effect.gen(function* () {
      const other = yield* oauthServer
      for (const each of [fixture, other]) takesSecrets(each, SECRET)
      const config = protectedServer(fixture.url, robot)
      const logout = Authorizer.use((authorizer) => authorizer.logout(config))
      yield* Effect.scoped(open(config))
      assert.deepStrictEqual(yield* logout, { known: true, revoked: true, remains: fixture.issuer })
      const { authorization } = keptIn(directory)
      assert.deepStrictEqual(authorization, { issuer: fixture.issuer, resource: fixture.url, clientId: "robot" })
      assert.deepInclude(yield* logout, { known: false, remains: fixture.issuer })
      naming(fixture, other)
      const error = yield* Effect.flip(open(config)).pipe(Effect.scoped, elsewhere(directory))
      assert.include(error.message, "another authorization server than before")
      nothingSent(other)
    })
  )

  scenario("leave nothing behind at a logout where the issuer is configured", (fixture, directory) =>
    Effect.gen(function* () {
      takesSecrets(fixture, SECRET)
      const config = protectedServer(fixture.url, { ...robot, issuer: fixture.issuer })
      yield* Effect.scoped(open(config))
      yield* Authorizer.use((authorizer) => authorizer.logout(config))
      assert.deepStrictEqual(filesIn(directory), [])
    })
  )
})

describe("OAuth: the rights of a program", () => {
  const robot = ({ issuer }: OAuthFixture, scopes?: ReadonlyArray<string>): OAuthConfig => ({
    grant: "client_credentials",
    issuer,
    clientId: "robot",
    clientSecret: "a-secret-of-the-operator",
    scopes
  })
  const enrolled = (fixture: OAuthFixture) => {
    fixture.state.clients.set("robot", { secret: "a-secret-of-the-operator", redirectUris: [] })
    inIssuer({ token_endpoint_auth_methods_supported: ["client_secret_basic"] })(fixture)
  }
  const scopesAsked = (fixture: OAuthFixture) =>
    fixture.grants("client_credentials").map(({ form }) => form.get("scope"))

  scenario("are those of its configuration, whatever a call is said to need", (fixture) =>
    Effect.gen(function* () {
      enrolled(fixture)
      fixture.state.callScopes = ["admin", "delete-everything"]
      const connection = yield* open(protectedServer(fixture.url, robot(fixture, ["read"])))
      const error = yield* Effect.flip(callTool(connection, "whoami"))
      assert.deepInclude(error, { _tag: "AuthRequired", status: 403, remedy: "config" })
      assert.include(error.message, 'add them to "scopes" in "auth" (admin delete-everything)')
      assert.deepStrictEqual(scopesAsked(fixture), ["read"])
    })
  )

  scenario("are those of its configuration, whatever a refusal names", (fixture) =>
    Effect.gen(function* () {
      enrolled(fixture)
      fixture.state.challenge = () => 'Bearer scope="admin"'
      inResource(() => ({ scopes_supported: ["admin", "everything"] }))(fixture)
      const connection = yield* open(protectedServer(fixture.url, robot(fixture, ["read"])))
      fixture.expire()
      yield* callTool(connection, "whoami")
      assert.deepStrictEqual(scopesAsked(fixture), ["read", "read"])
    })
  )

  scenario("may be as many as its configuration says", (fixture) =>
    Effect.gen(function* () {
      enrolled(fixture)
      fixture.state.callScopes = ["write"]
      const connection = yield* open(protectedServer(fixture.url, robot(fixture, ["read", "write"])))
      assert.include(textOf(yield* callTool(connection, "whoami")), "called with access")
      assert.deepStrictEqual(scopesAsked(fixture), ["read write"])
    })
  )

  scenario("are not more for having been given more once", (fixture) =>
    Effect.gen(function* () {
      enrolled(fixture)
      fixture.state.callScopes = ["write"]
      fixture.state.onToken = () => {
        const token = { scopes: ["read", "extra"], resource: fixture.url, family: { revoked: false } }
        fixture.state.accessTokens.set("generous", token)
        fixture.state.onToken = undefined
        return { status: 200, body: { access_token: "generous", token_type: "Bearer", scope: "read extra" } }
      }
      const connection = yield* open(protectedServer(fixture.url, robot(fixture, ["read", "write"])))
      assert.include(textOf(yield* callTool(connection, "whoami")), "called with access")
      assert.deepStrictEqual(scopesAsked(fixture), ["read write", "read write"])
    })
  )

  it.live("are chosen by the server if none are configured, with a warning", () =>
    Effect.gen(function* () {
      const fixture = yield* oauthServer
      enrolled(fixture)
      fixture.state.callScopes = ["admin"]
      const warnings: Array<string> = []
      const log = Logger.make(({ logLevel, message }) => {
        if (logLevel === "Warn") warnings.push(String(message))
      })
      yield* Effect.gen(function* () {
        const connection = yield* open(protectedServer(fixture.url, robot(fixture)))
        assert.include(textOf(yield* callTool(connection, "whoami")), "called with access")
      }).pipe(Effect.scoped, Effect.provide(world({ directory: yield* folder, log })))
      assert.deepStrictEqual(scopesAsked(fixture), ["read", "read admin"])
      assert.lengthOf(warnings, 2)
      assert.match(warnings[1] ?? "", /'safe' chooses the rights .*\(admin\).*"scopes" in "auth"/)
    }).pipe(Effect.scoped)
  )
})

describe("OAuth: tokens that are bound to a key (DPoP)", () => {
  const auth: OAuthConfig = { grant: "authorization_code", dpop: true }

  scenario("are asked for with a proof; one that is not bound is not kept", (fixture) =>
    Effect.gen(function* () {
      const failed = yield* Effect.flip(logIn(fixture, protectedServer(fixture.url, auth)))
      assert.include(failed.message, "bound to no key")
      assert.match(String(fixture.grants("authorization_code")[0]?.headers["dpop"]), /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/)
    })
  )

  refuses(
    "are not asked for where our algorithm is not taken",
    "DPoP",
    inIssuer({ dpop_signing_alg_values_supported: ["RS256"] }),
    () => auth
  )

  scenario("stand for nothing where an unbound one was kept before", (fixture) =>
    Effect.gen(function* () {
      yield* logIn(fixture)
      const before = fixture.requests.length
      const error = yield* Effect.flip(open(protectedServer(fixture.url, auth)))
      assert.deepInclude(error, { _tag: "AuthRequired", remedy: "login" })
      assert.isTrue(fixture.requests.slice(before).every(({ headers }) => headers.authorization === undefined))
    })
  )
})

describe("OAuth: tokens that are none", () => {
  for (const [what, body] of [
    ["with a line break", { access_token: "a\r\nx-evil: 1", token_type: "Bearer" }],
    ["with a space", { access_token: "a b", token_type: "Bearer" }],
    ["of another kind", { access_token: "abc", token_type: "mac" }],
    ["without a kind", { access_token: "abc" }],
    ["that are a list", ["abc"]],
    ["that are far too long", { access_token: "a".repeat(100_000), token_type: "Bearer" }]
  ] as const) {
    scenario(`${what} are not kept`, (fixture) =>
      Effect.gen(function* () {
        fixture.state.onToken = () => ({ status: 200, body })
        const failed = yield* Effect.flip(logIn(fixture))
        assert.match(failed.message, /no token|not a token|not asked for/)
        assert.isTrue(fixture.requests.every(({ headers }) => headers.authorization === undefined))
      })
    )
  }
})
