/**
 * Answers of authorization servers that are too much: to be parsed, to be kept, to be withheld from others. And what comes
 * from another authorization server than the one that was asked.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { OAuthConfig } from "../../src/schemas/login/OAuthConfig.ts"
import { Authorizer } from "../../src/services/login/Authorizer.ts"
import type { ServerConnector } from "../../src/services/connection/ServerConnector.ts"
import type { TokenStore } from "../../src/services/login/TokenStore.ts"
import { oauthServer, type OAuthFixture } from "../fixtures/oauthServer.ts"
import { folder, keptIn, logIn, open, protectedServer, world } from "../support/oauth.ts"

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

const pathsAsked = ({ requests }: OAuthFixture) => requests.filter(({ at }) => at === "issuer").map(({ path }) => path)

const nothingKept = (directory: string) => assert.isFalse(existsSync(join(directory, "credentials")))

/** Keys that a parser makes an object of, within what is read of an answer. */
const wide = (count: number): Json => Object.fromEntries(Array.from({ length: count }, (_, n) => [n.toString(36), 1]))
const deep = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels))

describe("OAuth: answers that are not worth parsing", () => {
  const token = { access_token: "a".repeat(64), token_type: "Bearer" }
  for (const [what, body] of [
    ["of 110,000 names", { ...token, ...wide(110_000) }],
    ["of 5,000 names", { ...token, ...wide(5_000) }],
    ["of a list of 200,000 lists", { ...token, x: Array.from({ length: 200_000 }, () => []) }],
    ["that are nested 20 levels deep", { ...token, x: deep(20) }],
    ["of 300,000 characters", { ...token, x: "x".repeat(300_000) }]
  ] as const) {
    scenario(`tokens ${what} are refused, in words`, (fixture, directory) =>
      Effect.gen(function* () {
        fixture.state.onToken = () => ({ status: 200, body })
        const failed = yield* Effect.flip(logIn(fixture))
        assert.include(failed.message, "more than can be read")
        nothingKept(directory)
      })
    )
  }

  scenario("a refusal of 110,000 names is none of a login", (fixture) =>
    Effect.gen(function* () {
      fixture.state.onToken = () => ({ status: 400, body: { error: "invalid_grant", ...wide(110_000) } })
      assert.include((yield* Effect.flip(logIn(fixture))).message, "more than can be read")
    })
  )

  scenario("a registration of 110,000 names is refused", (fixture) =>
    Effect.gen(function* () {
      fixture.state.onRegister = (answer) => ({ ...answer, ...wide(110_000) })
      assert.include((yield* Effect.flip(logIn(fixture))).message, "more than can be read")
    })
  )

  for (const document of ["resourceDocument", "issuerDocument"] as const) {
    scenario(`metadata of 90,000 names is refused (${document})`, (fixture) =>
      Effect.gen(function* () {
        fixture.state[document] = (real) => ({ ...real, ...wide(90_000) })
        assert.include((yield* Effect.flip(logIn(fixture))).message, "more than can be read")
        assert.notInclude(pathsAsked(fixture), "/register")
      })
    )
  }

  scenario("what is as large as real metadata is read", (fixture) =>
    Effect.gen(function* () {
      const scopes_supported = Array.from({ length: 2_000 }, (_, n) => `https://api.example/auth/scope-${n}`)
      fixture.state.issuerDocument = (real) => ({ ...real, scopes_supported })
      assert.deepStrictEqual((yield* logIn(fixture)).scopes, ["read"])
    })
  )
})

describe("OAuth: what is kept can be read again", () => {
  scenario("of 5,000 scopes that a token is given for, the first ones are kept", (fixture, directory) =>
    Effect.gen(function* () {
      fixture.state.onToken = () => {
        const scope = ["read", "y".repeat(10_000), ...Array.from({ length: 5_000 }, (_, n) => n.toString(36))].join(" ")
        return { status: 200, body: { access_token: "a".repeat(64), token_type: "Bearer", scope } }
      }
      const { scopes } = yield* logIn(fixture)
      assert.lengthOf(scopes, 128)
      assert.deepStrictEqual(keptIn(directory).authorization?.tokens?.scopes.slice(0, 3), ["read", "0", "1"])
    })
  )

  for (const [what, twist] of [
    ["a secret of 200,000 characters", { client_secret: "s".repeat(200_000) }],
    ["an id of 200,000 characters", { client_id: "s".repeat(200_000) }],
    ["a secret of several lines", { client_secret: "one\npassword: README.md" }]
  ] as const) {
    scenario(`a registration with ${what} is refused, and nothing is kept of it`, (fixture, directory) =>
      Effect.gen(function* () {
        fixture.state.onRegister = (answer) => ({ ...answer, ...twist })
        assert.include((yield* Effect.flip(logIn(fixture))).message, "cannot be used")
        nothingKept(directory)
        fixture.state.onRegister = (answer) => answer
        yield* logIn(fixture)
      })
    )
  }
})

describe("OAuth: two authorization servers", () => {
  scenario("the metadata of another one, at the address of the first, is refused", (fixture) =>
    Effect.gen(function* () {
      const other = yield* oauthServer
      fixture.state.issuerDocument = (document) => ({
        ...document,
        issuer: other.issuer,
        authorization_endpoint: `${other.issuer}/authorize`,
        token_endpoint: `${other.issuer}/token`
      })
      assert.include((yield* Effect.flip(logIn(fixture))).message, "another issuer")
      assert.isEmpty(other.requests)
    })
  )

  scenario("the answer of another one to a login is not exchanged, at neither", (fixture) =>
    Effect.gen(function* () {
      const other = yield* oauthServer
      const login = Authorizer.use((authorizer) =>
        authorizer.login(protectedServer(fixture.url), {
          show: ({ url }) =>
            Effect.promise(async () => {
              // The same client and address, and the same state: only who answers is another.
              other.state.clients = fixture.state.clients
              return (await other.redirect(url.replace(fixture.issuer, other.issuer))).href
            })
        })
      )
      assert.include((yield* Effect.flip(login)).message, "does not come from its authorization server")
      assert.lengthOf(other.codes, 1)
      for (const each of [fixture, other]) assert.isEmpty(each.grants("authorization_code"))
    })
  )

  for (const clientId of [undefined, "robot"]) {
    const what = clientId === undefined ? "that registered itself" : "that is configured"
    scenario(
      `a server that names another one later gets no token of the first there (a client ${what})`,
      (fixture, directory) =>
        Effect.gen(function* () {
          const other = yield* oauthServer
          const auth: OAuthConfig = { grant: "authorization_code", ...(clientId === undefined ? {} : { clientId }) }
          const config = protectedServer(fixture.url, auth)
          yield* Authorizer.use(({ login }) =>
            login(config, {
              show: ({ redirectUri, url }) => {
                for (const { state } of [fixture, other]) {
                  state.clients.set("robot", { secret: undefined, redirectUris: [redirectUri] })
                }
                return Effect.promise(() => fixture.agree(url))
              }
            })
          )
          const { accessToken, refreshToken } = keptIn(directory).authorization!.tokens!
          fixture.state.resourceDocument = (real) => ({ ...real, authorization_servers: [other.issuer] })
          fixture.expire()
          const error = yield* Effect.flip(open(config))
          assert.deepInclude(error, { _tag: "AuthRequired", remedy: "login" })
          assert.include(error.message, "another authorization server now")
          const sent = JSON.stringify(
            other.requests.map(({ form, headers, query }) => [[...form], headers, [...query]])
          )
          for (const value of [accessToken, refreshToken!]) assert.notInclude(sent, value)
          for (const path of ["/authorize", "/register", "/token"]) assert.notInclude(pathsAsked(other), path)
        })
    )
  }
})
