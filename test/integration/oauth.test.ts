import { assert, describe, it } from "@effect/vitest"
import { statSync } from "node:fs"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { LoginFailed, type LoginPage } from "../../src/schemas/login/Login.ts"
import { Authorizer } from "../../src/services/login/Authorizer.ts"
import type { ServerConnector } from "../../src/services/connection/ServerConnector.ts"
import type { TokenStore } from "../../src/services/login/TokenStore.ts"
import { oauthServer, type OAuthFixture } from "../fixtures/oauthServer.ts"
import { callTool, textOf } from "../support/connector.ts"
import { agreeing, elsewhere, filesIn, folder, keptIn, logIn, open, protectedServer, world } from "../support/oauth.ts"

interface Scene {
  readonly fixture: OAuthFixture
  readonly directory: string
}

type Services = ServerConnector | Authorizer | TokenStore | Scope.Scope

/** With a person who agrees as soon as a server wants a login, or without anybody. */
const scenario = (
  name: string,
  body: (scene: Scene) => Effect.Effect<void, unknown, Services>,
  attended: boolean = false
) =>
  it.live(name, () =>
    Effect.gen(function* () {
      const fixture = yield* oauthServer
      const directory = yield* folder
      const show = attended ? { show: agreeing(fixture) } : {}
      yield* body({ fixture, directory }).pipe(Effect.scoped, Effect.provide(world({ directory, ...show })))
    }).pipe(Effect.scoped)
  )

const whoami = Effect.fnUntraced(function* (fixture: OAuthFixture) {
  const connection = yield* open(protectedServer(fixture.url))
  return textOf(yield* callTool(connection, "whoami"))
})

describe("OAuth: without a login", () => {
  scenario("a server says that it needs one, with the command", ({ fixture }) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(open(protectedServer(fixture.url)))
      assert.deepInclude(error, { _tag: "AuthRequired", status: 401, remedy: "login" })
      assert.include(error.message, "Run: mcp-live login safe")
    })
  )

  scenario("nobody is registered and no page is opened for it", ({ fixture }) =>
    Effect.gen(function* () {
      yield* Effect.flip(open(protectedServer(fixture.url)))
      const paths = fixture.requests.map(({ path }) => path)
      for (const path of ["/register", "/authorize", "/token"]) assert.notInclude(paths, path)
    })
  )

  scenario("a server that does not say in its refusal where its metadata is says it too", ({ fixture }) =>
    Effect.gen(function* () {
      fixture.state.challenge = () => undefined
      const error = yield* Effect.flip(open(protectedServer(fixture.url)))
      assert.deepInclude(error, { _tag: "AuthRequired", status: 401, remedy: "login" })
    })
  )

  scenario("a server that speaks no OAuth gets the words that it always got", ({ fixture }) =>
    Effect.gen(function* () {
      fixture.state.resourceDocument = () => undefined
      fixture.state.challenge = () => undefined
      const error = yield* Effect.flip(open(protectedServer(fixture.url)))
      assert.deepInclude(error, { _tag: "AuthRequired", status: 401 })
      assert.include(error.message, "set an Authorization header")
    })
  )

  scenario("an Authorization header of the configuration is all that is sent", ({ fixture }) =>
    Effect.gen(function* () {
      const config = protectedServer(fixture.url)
      const launch = {
        ...config.launch,
        kind: "http" as const,
        url: fixture.url,
        headers: { authorization: "Bearer own" }
      }
      yield* Effect.flip(open({ ...config, launch }))
      assert.deepStrictEqual(
        fixture.requests.filter(({ at }) => at === "issuer"),
        []
      )
      assert.isTrue(fixture.requests.every(({ headers }) => headers.authorization === "Bearer own"))
      const failed = yield* Effect.flip(
        Authorizer.use(({ login }) => login({ ...config, launch }, { show: () => Effect.void }))
      )
      assert.include(failed.message, "Authorization header")
    })
  )
})

describe("OAuth: a login", () => {
  scenario("lets calls through, in this process and in the next", ({ directory, fixture }) =>
    Effect.gen(function* () {
      const granted = yield* logIn(fixture)
      assert.deepInclude(granted, { issuer: fixture.issuer, scopes: ["read"], renewable: true, encrypted: false })
      assert.isAbove(granted.expiresAt ?? 0, Date.now())
      assert.include(yield* whoami(fixture), "called with access")
      // Another process has nothing but the folder.
      const again = yield* whoami(fixture).pipe(elsewhere(directory))
      assert.include(again, "called with access")
      assert.lengthOf(fixture.grants("authorization_code"), 1)
    })
  )

  scenario(
    "is not for a server that a client brought along, of whatever name and address",
    ({ fixture }) =>
      Effect.gen(function* () {
        yield* logIn(fixture)
        const pages = fixture.grants("authorization_code").length
        const brought = { ...protectedServer(fixture.url), session: "of an editor" }
        assert.strictEqual((yield* Effect.flip(open(brought)))._tag, "AuthRequired")
        assert.include(yield* whoami(fixture), "called with access")
        assert.lengthOf(fixture.grants("authorization_code"), pages)
      }),
    true
  )

  scenario("is kept where only this user can read it", ({ directory, fixture }) =>
    Effect.gen(function* () {
      yield* logIn(fixture)
      const files = filesIn(directory)
      assert.lengthOf(files, 1)
      assert.strictEqual(statSync(files[0]!).mode & 0o777, 0o600)
      assert.strictEqual(statSync(`${directory}/credentials`).mode & 0o777, 0o700)
    })
  )

  scenario("asks for what the server named, for this resource, with proof keys and a state", ({ fixture }) =>
    Effect.gen(function* () {
      const pages: Array<URL> = []
      yield* Authorizer.use(({ login }) =>
        login(protectedServer(fixture.url), {
          show: (page) => {
            pages.push(new URL(page.url))
            return agreeing(fixture)(page)
          }
        })
      )
      const { searchParams } = pages[0]!
      assert.strictEqual(searchParams.get("resource"), fixture.url)
      assert.strictEqual(searchParams.get("scope"), "read")
      assert.strictEqual(searchParams.get("code_challenge_method"), "S256")
      assert.match(searchParams.get("state") ?? "", /^[\w-]{43}$/)
      assert.match(searchParams.get("redirect_uri") ?? "", /^http:\/\/127\.0\.0\.1:\d+\/callback$/)
      assert.strictEqual(fixture.grants("authorization_code")[0]?.form.get("resource"), fixture.url)
    })
  )

  scenario("uses the client that it registered before, on the port that it is known by", ({ fixture }) =>
    Effect.gen(function* () {
      yield* logIn(fixture)
      yield* logIn(fixture)
      assert.lengthOf(
        fixture.requests.filter(({ path }) => path === "/register"),
        1
      )
      const uris = new Set(fixture.grants("authorization_code").map(({ form }) => form.get("redirect_uri")))
      assert.strictEqual(uris.size, 1)
    })
  )

  scenario(
    "at another authorization server registers there, and forgets nothing of the first",
    ({ directory, fixture }) =>
      Effect.gen(function* () {
        const other = yield* oauthServer
        const registered = (at: OAuthFixture) => at.requests.filter(({ path }) => path === "/register").length
        yield* logIn(fixture)
        const first = keptIn(directory).clients[fixture.issuer]
        fixture.state.resourceDocument = (document) => ({ ...document, authorization_servers: [other.issuer] })
        yield* logIn(fixture)
        assert.deepStrictEqual([registered(fixture), registered(other)], [1, 1])
        // Who we are at one is nobody's business at the other.
        assert.isTrue(
          other.requests.every(
            ({ form, query }) => ![form, query].some((each) => each.get("client_id") === first?.clientId)
          )
        )
        fixture.state.resourceDocument = (document) => document
        yield* logIn(fixture)
        assert.deepStrictEqual([registered(fixture), registered(other)], [1, 1])
        assert.deepStrictEqual(keptIn(directory).clients[fixture.issuer], first)
      })
  )

  scenario("can be read from what a person pastes", ({ fixture }) =>
    Effect.gen(function* () {
      const pasting = ({ url }: LoginPage) => Effect.promise(async () => (await fixture.redirect(url)).href)
      const granted = yield* Authorizer.use(({ login }) => login(protectedServer(fixture.url), { show: pasting }))
      assert.deepStrictEqual(granted.scopes, ["read"])
      assert.include(yield* whoami(fixture), "called with access")
    })
  )

  scenario("that fails leaves what was kept", ({ directory, fixture }) =>
    Effect.gen(function* () {
      yield* logIn(fixture)
      const before = keptIn(directory)
      fixture.state.onToken = () => ({ status: 400, body: { error: "invalid_grant" } })
      const failed = yield* Effect.flip(logIn(fixture))
      assert.include(failed.message, "invalid_grant")
      assert.deepStrictEqual(keptIn(directory), before)
      assert.include(yield* whoami(fixture), "called with access")
    })
  )

  scenario(
    "comes by itself where somebody can be asked",
    ({ fixture }) =>
      Effect.gen(function* () {
        assert.include(yield* whoami(fixture), "called with access")
        assert.lengthOf(fixture.grants("authorization_code"), 1)
      }),
    true
  )

  scenario(
    "is widened where a call needs more, and keeps the rights that it had",
    ({ fixture }) =>
      Effect.gen(function* () {
        fixture.state.callScopes = ["write"]
        assert.include(yield* whoami(fixture), "called with access")
        const scopes = fixture.requests
          .filter(({ path }) => path === "/authorize")
          .map(({ query }) => query.get("scope"))
        assert.deepStrictEqual(scopes, ["read", "read write"])
      }),
    true
  )

  scenario(
    "is not asked for again and again by a server that takes no token",
    ({ fixture }) =>
      Effect.gen(function* () {
        fixture.state.refreshable = false
        fixture.state.refusesAll = true
        for (let attempt = 0; attempt < 3; attempt++) {
          const error = yield* Effect.flip(open(protectedServer(fixture.url)))
          assert.deepInclude(error, { _tag: "AuthRequired", status: 401 })
        }
        assert.lengthOf(fixture.grants("authorization_code"), 1)
      }),
    true
  )

  scenario(
    "is not asked for again by a server that wants rights that were not given",
    ({ fixture }) =>
      Effect.gen(function* () {
        fixture.state.callScopes = ["root"]
        fixture.state.onAuthorize = (redirect) => {
          // The person agrees to less than was asked for.
          for (const code of fixture.codes.values()) code.scopes = ["read"]
          return redirect
        }
        const connection = yield* open(protectedServer(fixture.url))
        for (let call = 0; call < 3; call++) {
          const error = yield* Effect.flip(callTool(connection, "whoami"))
          assert.deepInclude(error, { _tag: "AuthRequired", status: 403 })
        }
        assert.lengthOf(fixture.grants("authorization_code"), 2)
      }),
    true
  )

  scenario(
    "is not asked for again and again by a server that wants other rights each time",
    ({ fixture }) =>
      Effect.gen(function* () {
        const connection = yield* open(protectedServer(fixture.url))
        for (let call = 0; call < 8; call++) {
          fixture.state.callScopes = [`right-${call}-a`, `right-${call}-b`]
          fixture.state.onAuthorize = (redirect) => {
            for (const code of fixture.codes.values()) code.scopes = ["read"]
            return redirect
          }
          yield* Effect.flip(callTool(connection, "whoami"))
        }
        assert.lengthOf(fixture.grants("authorization_code"), 1 + 3)
      }),
    true
  )

  it.live("is not asked for again at once when the person did not want it", () =>
    Effect.gen(function* () {
      const fixture = yield* oauthServer
      const directory = yield* folder
      let shown = 0
      const denying = ({ server }: LoginPage) => {
        shown++
        return new LoginFailed({ server, passing: false, detail: "no, thank you" })
      }
      const attempt = Effect.flip(open(protectedServer(fixture.url))).pipe(Effect.scoped)
      yield* Effect.gen(function* () {
        assert.include((yield* attempt).message, "no, thank you")
        yield* attempt
      }).pipe(Effect.provide(world({ directory, show: denying })))
      assert.strictEqual(shown, 1)
    }).pipe(Effect.scoped)
  )

  scenario("is good for the older transport as well, also when its token is renewed", ({ fixture }) =>
    Effect.gen(function* () {
      const config = protectedServer(`${fixture.origin}/sse`)
      const sse = {
        ...config,
        launch: { ...config.launch, kind: "sse" as const, url: `${fixture.origin}/sse`, headers: {} }
      }
      fixture.state.challenge = () => "Bearer"
      assert.deepInclude(yield* Effect.flip(open(sse)), { _tag: "AuthRequired", status: 401, remedy: "login" })
      yield* Authorizer.use(({ login }) => login(sse, { show: agreeing(fixture) }))
      const connection = yield* open(sse)
      assert.strictEqual(connection.info.transport, "sse")
      fixture.expire()
      assert.include(textOf(yield* callTool(connection, "whoami")), "called with access")
      assert.lengthOf(fixture.grants("refresh_token"), 1)
      fixture.expire()
      fixture.state.refreshTokens.clear()
      const error = yield* Effect.flip(callTool(connection, "whoami"))
      assert.deepInclude(error, { _tag: "AuthRequired", status: 401, remedy: "login" })
    })
  )

  scenario("that lacks rights says so, and the next one asks for them", ({ fixture }) =>
    Effect.gen(function* () {
      yield* logIn(fixture)
      fixture.state.callScopes = ["write"]
      const connection = yield* open(protectedServer(fixture.url))
      const error = yield* Effect.flip(callTool(connection, "whoami"))
      assert.deepInclude(error, { _tag: "AuthRequired", status: 403, remedy: "login" })
      assert.include(error.message, "more rights")
      assert.deepStrictEqual((yield* logIn(fixture)).scopes, ["read", "write"])
      assert.include(textOf(yield* callTool(connection, "whoami")), "called with access")
    })
  )

  scenario("reaches a connection that is open already", ({ directory, fixture }) =>
    Effect.gen(function* () {
      yield* logIn(fixture)
      const connection = yield* open(protectedServer(fixture.url))
      fixture.expire()
      fixture.state.refreshTokens.clear()
      const error = yield* Effect.flip(callTool(connection, "whoami"))
      assert.deepInclude(error, { _tag: "AuthRequired", remedy: "login" })
      yield* logIn(fixture).pipe(elsewhere(directory))
      yield* Authorizer.use(({ loggedIn }) => loggedIn(protectedServer(fixture.url)))
      assert.include(textOf(yield* callTool(connection, "whoami")), "called with access")
    })
  )
})

describe("OAuth: a logout", () => {
  scenario("revokes both tokens and forgets everything", ({ directory, fixture }) =>
    Effect.gen(function* () {
      yield* logIn(fixture)
      const outcome = yield* Authorizer.use(({ logout }) => logout(protectedServer(fixture.url)))
      assert.deepStrictEqual(outcome, { known: true, revoked: true })
      assert.deepStrictEqual(filesIn(directory), [])
      const hints = fixture.requests
        .filter(({ path }) => path === "/revoke")
        .map(({ form }) => form.get("token_type_hint"))
      assert.deepStrictEqual(hints, ["refresh_token", "access_token"])
      assert.deepInclude(yield* Effect.flip(open(protectedServer(fixture.url))), { remedy: "login" })
    })
  )

  scenario("forgets also where nobody can be told", ({ directory, fixture }) =>
    Effect.gen(function* () {
      yield* logIn(fixture)
      fixture.state.issuerDocument = () => undefined
      const outcome = yield* Authorizer.use(({ logout }) => logout(protectedServer(fixture.url)))
      assert.deepStrictEqual(outcome, { known: true, revoked: false })
      assert.deepStrictEqual(filesIn(directory), [])
    })
  )

  scenario("by another process holds for a connection that is open, and for the next", ({ directory, fixture }) =>
    Effect.gen(function* () {
      const config = protectedServer(fixture.url)
      yield* logIn(fixture)
      const connection = yield* open(config)
      assert.include(textOf(yield* callTool(connection, "whoami")), "called with access")
      // Nobody but us knows of it: the token itself would still be taken.
      fixture.state.issuerDocument = (document) => ({ ...document, revocation_endpoint: undefined })
      yield* Authorizer.use(({ logout }) => logout(config)).pipe(elsewhere(directory))
      const error = yield* Effect.flip(Effect.forever(callTool(connection, "whoami")))
      const before = fixture.requests.length
      assert.deepInclude(error, { _tag: "AuthRequired", status: 401, remedy: "login" })
      yield* Effect.flip(callTool(connection, "whoami"))
      assert.deepInclude(yield* Effect.flip(open(config)), { _tag: "AuthRequired", remedy: "login" })
      assert.isTrue(fixture.requests.slice(before).every(({ headers }) => headers.authorization === undefined))
    })
  )

  scenario("of nobody is no error", ({ fixture }) =>
    Effect.gen(function* () {
      const outcome = yield* Authorizer.use(({ logout }) => logout(protectedServer(fixture.url)))
      assert.deepStrictEqual(outcome, { known: false, revoked: undefined })
    })
  )
})
