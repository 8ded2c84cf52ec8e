import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import type { Subject } from "../../../../src/layers/login/Authorizer/renewal.ts"
import { makeSession } from "../../../../src/layers/login/Authorizer/session.ts"
import type { Supplied } from "../../../../src/layers/login/Authorizer/suppliedAddresses.ts"
import { NO_CREDENTIALS, type Credentials } from "../../../../src/schemas/login/Credentials.ts"
import {
  AUTHORIZATION_RETRY_MS,
  CREDENTIALS_WATCH_MS,
  LOGIN_AGAIN_MS,
  LOGIN_WAIT_MS,
  RENEWAL_PREPARE_MS,
  RENEWALS_MAX,
  RENEWALS_WINDOW_MS,
  TOKEN_KEEP_MIN_MS
} from "../../../../src/schemas/defaults/Authorization.ts"
import { LoginFailed } from "../../../../src/schemas/login/Login.ts"
import { DEFAULT_OAUTH, type OAuthConfig } from "../../../../src/schemas/login/OAuthConfig.ts"
import { TokenStoreFailed } from "../../../../src/schemas/login/TokenStoreFailed.ts"
import { TokenStore } from "../../../../src/services/login/TokenStore.ts"

const ISSUER = "https://issuer.example"
const URL_ = new URL("https://a.example/mcp")
const IDENTITY = { server: "a", resource: URL_.href }

const kept = (accessToken: string, at: number, refreshToken?: string): Credentials => ({
  ...NO_CREDENTIALS,
  clients: { [ISSUER]: { clientId: "client" } },
  authorization: {
    issuer: ISSUER,
    resource: URL_.href,
    clientId: "client",
    tokens: {
      accessToken,
      tokenType: "Bearer",
      scopes: ["read"],
      obtainedAt: at,
      ...(refreshToken === undefined ? {} : { refreshToken })
    }
  }
})

const json = (status: number, body: unknown) => new Response(JSON.stringify(body), { status })

/** The authorization server's side: what each path answers, and how often it was asked. */
const issuer = (token: () => Response) => {
  const asked: Array<string> = []
  const refreshed: Array<string | null> = []
  const fetch = async (url: string | URL, init: RequestInit = {}) => {
    const { pathname } = new URL(url)
    asked.push(pathname)
    if (pathname === "/token") refreshed.push(new URLSearchParams(String(init.body)).get("refresh_token"))
    if (pathname.startsWith("/.well-known/oauth-protected-resource")) {
      return json(200, { resource: URL_.href, authorization_servers: [ISSUER] })
    }
    if (pathname.startsWith("/.well-known/")) return json(200, { issuer: ISSUER, token_endpoint: `${ISSUER}/token` })
    return token()
  }
  const check = (text: unknown) => URL.parse(String(text)) ?? "is not an address"
  const supplied: Supplied = { fetch, head: fetch, check, checkOwn: check }
  return { supplied, refreshed, tokenRequests: () => asked.filter((path) => path === "/token").length }
}

/** A store in memory, which can be told not to write. */
const memory = (start: Credentials | undefined) => {
  const state = { kept: start, writes: true, reads: 0 }
  const store = TokenStore.of({
    read: () =>
      Effect.sync(() => {
        state.reads++
        return state.kept
      }),
    modify: (_, change) =>
      Effect.flatMap(change(state.kept), ({ keep, value }) => {
        if (keep === undefined) return Effect.succeed(value)
        if (!state.writes) return Effect.fail(new TokenStoreFailed({ server: "a", detail: "the disk is full" }))
        state.kept = keep
        return Effect.succeed(value)
      }),
    remove: () => Effect.void,
    watch: () => Effect.succeed(Effect.never),
    encrypts: Effect.succeed(false)
  })
  return { state, store }
}

interface Given {
  readonly oauth?: OAuthConfig
  readonly credentials?: Credentials
  readonly token?: () => Response
  readonly logIn?: () => Effect.Effect<Credentials, LoginFailed>
  /** Tokens that the server takes. */
  readonly takes?: (token: string | null) => boolean
  /** Of the documents of the servers. */
  readonly fetch?: Supplied["fetch"]
}

const setUp = Effect.fnUntraced(function* ({
  credentials,
  fetch,
  logIn,
  oauth = DEFAULT_OAUTH,
  takes = () => false,
  token
}: Given) {
  const { refreshed, supplied, tokenRequests } = issuer(token ?? (() => json(500, {})))
  const { state, store } = memory(credentials)
  const forgotten: Array<string> = []
  const subject: Subject = {
    server: "a",
    url: URL_,
    oauth,
    supplied: { ...supplied, ...(fetch === undefined ? {} : { fetch }) },
    reveal: Effect.succeed,
    forget: Effect.sync(() => void forgotten.push("a")),
    tidy: (text) => text
  }
  const session = makeSession({
    subject,
    identity: IDENTITY,
    store,
    fork: Effect.runForkWith(yield* Effect.context()),
    logIn
  })
  const presented: Array<string | null> = []
  const send = session.authorization.through(async (_: string | URL, init: RequestInit = {}) => {
    const sent = new Headers(init.headers).get("authorization")
    presented.push(sent)
    return { status: takes(sent) ? 200 : 401, headers: new Headers(), body: null }
  })
  const request = Effect.promise(() => send(URL_, { method: "POST", body: "{}" })).pipe(
    Effect.map(({ status }) => status)
  )
  return { forgotten, presented, refreshed, request, session, state, tokenRequests }
})

describe("a session without a token", () => {
  it.effect("does not ask the authorization server again before the retry time has passed", () =>
    Effect.gen(function* () {
      const { request, session, tokenRequests } = yield* setUp({ credentials: kept("old", 0, "refresh") })
      for (let attempt = 0; attempt < 3; attempt++) assert.strictEqual(yield* request, 401)
      assert.strictEqual(tokenRequests(), 1)
      assert.deepInclude(session.authorization.refusal(401), { remedy: "later" })
      yield* TestClock.adjust(AUTHORIZATION_RETRY_MS)
      yield* request
      assert.strictEqual(tokenRequests(), 2)
    })
  )

  it.effect("offers a login as remedy for 401, and none for 403", () =>
    Effect.gen(function* () {
      const { request, session } = yield* setUp({})
      yield* request
      assert.deepInclude(session.authorization.refusal(401), { remedy: "login" })
      assert.deepStrictEqual(session.authorization.refusal(403), {})
    })
  )

  it.effect("does not ask for a login again at once after it was declined", () =>
    Effect.gen(function* () {
      let asked = 0
      const { request } = yield* setUp({
        logIn: () => {
          asked++
          return new LoginFailed({ server: "a", passing: false, detail: "no" })
        }
      })
      yield* request
      yield* TestClock.adjust(LOGIN_AGAIN_MS - 1)
      yield* request
      assert.strictEqual(asked, 1)
      yield* TestClock.adjust(AUTHORIZATION_RETRY_MS)
      yield* request
      assert.strictEqual(asked, 2)
    })
  )

  it.effect("answers a request with 401 after a while if the login takes longer, and the login continues", () =>
    Effect.gen(function* () {
      const done = yield* Deferred.make<Credentials>()
      const { request, session } = yield* setUp({
        logIn: () => Deferred.await(done),
        takes: (token) => token === "Bearer new"
      })
      const [status] = yield* Effect.all([request, TestClock.adjust(LOGIN_WAIT_MS)], { concurrency: 2 })
      assert.strictEqual(status, 401)
      assert.deepInclude(session.authorization.refusal(401), { remedy: "later" })
      yield* Deferred.succeed(done, kept("new", 0))
      assert.strictEqual(yield* request, 200)
    })
  )
})

describe("whoever waits for a login", () => {
  it.effect("goes on at once when somebody has logged in, in this process, and not after a logout", () =>
    Effect.gen(function* () {
      const { request, session } = yield* setUp({})
      assert.strictEqual(yield* request, 401)
      const waiting = yield* Effect.forkChild(session.loggedIn, { startImmediately: true })
      session.accept(undefined)
      yield* Effect.yieldNow
      assert.isUndefined(waiting.pollUnsafe())
      session.accept(kept("new", 0))
      yield* Fiber.join(waiting)
    })
  )
})

describe("a session with the client_credentials grant", () => {
  const oauth: OAuthConfig = { grant: "client_credentials", clientId: "robot", clientSecret: "s3cret-s3cret" }

  it.effect("reads its secrets again after invalid_client, but not after a 503", () =>
    Effect.gen(function* () {
      const answers = [json(503, {}), json(401, { error: "invalid_client" })]
      const { forgotten, request, session } = yield* setUp({ oauth, token: () => answers.shift()! })
      yield* request
      assert.deepInclude(session.authorization.refusal(401), { remedy: "later" })
      assert.deepStrictEqual(forgotten, [])
      yield* TestClock.adjust(AUTHORIZATION_RETRY_MS)
      yield* request
      assert.deepInclude(session.authorization.refusal(401), { remedy: "config" })
      assert.deepStrictEqual(forgotten, ["a"])
    })
  )
})

describe("a session that has no known issuer yet", () => {
  const oauth: OAuthConfig = { grant: "client_credentials", clientId: "robot", clientSecret: "s3cret-s3cret" }

  it.effect("stores the issuer before it sends its secrets there", () =>
    Effect.gen(function* () {
      let known: unknown
      const { request, state } = yield* setUp({
        oauth,
        token: () => {
          known = state.kept?.authorization
          return json(401, { error: "invalid_client" })
        }
      })
      yield* request
      assert.deepStrictEqual(known, { issuer: ISSUER, resource: URL_.href, clientId: "robot" })
    })
  )

  it.effect("sends no secrets when the issuer cannot be stored", () =>
    Effect.gen(function* () {
      const { request, session, state, tokenRequests } = yield* setUp({ oauth, token: () => json(500, {}) })
      state.writes = false
      yield* request
      assert.strictEqual(tokenRequests(), 0)
      const { detail, remedy } = session.authorization.refusal(401)
      assert.strictEqual(remedy, "later")
      assert.include(detail, "the disk is full")
    })
  )
})

describe("a session whose tokens cannot be written", () => {
  it.effect("continues with its new tokens, and uses each refresh token once", () =>
    Effect.gen(function* () {
      let count = 0
      const { refreshed, request, state, tokenRequests } = yield* setUp({
        credentials: kept("old", -1, "refresh-0"),
        token: () =>
          json(200, { access_token: `new-${++count}`, token_type: "Bearer", refresh_token: `refresh-${count}` }),
        takes: (token) => token === `Bearer new-${count}`
      })
      state.writes = false
      assert.strictEqual(yield* request, 200)
      assert.strictEqual(yield* request, 200)
      // Also when the file is looked at again.
      yield* TestClock.adjust(CREDENTIALS_WATCH_MS)
      assert.strictEqual(yield* request, 200)
      assert.strictEqual(tokenRequests(), 1)
      assert.strictEqual(state.kept?.authorization?.tokens?.accessToken, "old")
      state.writes = true
      count = 5
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* request, 200)
      assert.strictEqual(state.kept?.authorization?.tokens?.accessToken, "new-6")
      assert.deepStrictEqual(refreshed, ["refresh-0", "refresh-1"])
    })
  )

  it.effect("does not bring back credentials that were removed by a logout", () =>
    Effect.gen(function* () {
      const { refreshed, request, session, state } = yield* setUp({
        credentials: kept("old", -1, "refresh-0"),
        token: () => json(200, { access_token: "new", token_type: "Bearer", refresh_token: "refresh-1" })
      })
      state.writes = false
      yield* request
      assert.deepStrictEqual(refreshed, ["refresh-0"])
      state.writes = true
      state.kept = undefined
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* request, 401)
      assert.deepInclude(session.authorization.refusal(401), { remedy: "login" })
      assert.deepStrictEqual(refreshed, ["refresh-0"])
      assert.isUndefined(state.kept)
    })
  )

  it.effect("does not bring back removed credentials by a renewal right after the logout", () =>
    Effect.gen(function* () {
      let takes = true
      const { refreshed, request, state } = yield* setUp({
        credentials: kept("old", -1, "refresh-0"),
        token: () => json(200, { access_token: "new", token_type: "Bearer", refresh_token: "refresh-1" }),
        takes: (token) => takes && token === "Bearer new"
      })
      state.writes = false
      assert.strictEqual(yield* request, 200)
      state.writes = true
      // Within the time in which the file is not looked at again for a request.
      state.kept = undefined
      takes = false
      assert.strictEqual(yield* request, 401)
      assert.deepStrictEqual(refreshed, ["refresh-0"])
      assert.isUndefined(state.kept)
    })
  )
})

describe("a session whose tokens are changed by another process", () => {
  it.effect("stops sending removed tokens within the time of the watch", () =>
    Effect.gen(function* () {
      const { presented, request, session, state } = yield* setUp({
        credentials: kept("old", 0),
        takes: (token) => token === "Bearer old"
      })
      assert.strictEqual(yield* request, 200)
      state.kept = undefined
      yield* TestClock.adjust(CREDENTIALS_WATCH_MS)
      assert.strictEqual(yield* request, 401)
      assert.deepStrictEqual(presented, ["Bearer old", null])
      assert.deepInclude(session.authorization.refusal(401), { remedy: "login" })
    })
  )

  it.effect("sends the new tokens, and reads the store once per interval", () =>
    Effect.gen(function* () {
      const { presented, request, state } = yield* setUp({ credentials: kept("old", 0), takes: () => true })
      for (let count = 0; count < 5; count++) yield* request
      assert.strictEqual(state.reads, 1)
      state.kept = kept("other", 0)
      yield* TestClock.adjust(CREDENTIALS_WATCH_MS)
      yield* request
      assert.strictEqual(state.reads, 2)
      assert.deepStrictEqual(presented.slice(-2), ["Bearer old", "Bearer other"])
    })
  )
})

describe("a session whose authorization server does not answer", () => {
  it.effect("gives up its renewal before the lock counts as abandoned", () =>
    Effect.gen(function* () {
      const { request, session, tokenRequests } = yield* setUp({
        credentials: kept("old", -1, "refresh"),
        fetch: () => new Promise(() => {})
      })
      // Somebody may wait less long for it: the renewal is what must end.
      yield* Effect.all([request, TestClock.adjust(LOGIN_WAIT_MS)], { concurrency: 2 })
      yield* TestClock.adjust(RENEWAL_PREPARE_MS - LOGIN_WAIT_MS)
      assert.include(session.authorization.refusal(401).detail, "takes too long")
      assert.strictEqual(tokenRequests(), 0)
    })
  )
})

describe("a session whose tokens expire soon", () => {
  const lifetime = (expires: number) => {
    let count = 0
    return () =>
      json(200, { access_token: `new-${++count}`, token_type: "Bearer", refresh_token: "refresh", expires_in: expires })
  }

  for (const expires of [1, 1e-300, 29]) {
    it.effect(`renews them at most once per minimum time, for any number of requests (expires_in: ${expires})`, () =>
      Effect.gen(function* () {
        const { request, tokenRequests } = yield* setUp({
          credentials: kept("old", -60_000, "refresh"),
          token: lifetime(expires),
          takes: (token) => token?.startsWith("Bearer new") === true
        })
        for (let call = 0; call < 20; call++) assert.strictEqual(yield* request, 200)
        assert.strictEqual(tokenRequests(), 1)
        yield* TestClock.adjust(TOKEN_KEEP_MIN_MS - 1)
        yield* request
        assert.strictEqual(tokenRequests(), 1)
        yield* TestClock.adjust(1)
        for (let call = 0; call < 20; call++) assert.strictEqual(yield* request, 200)
        assert.strictEqual(tokenRequests(), 2)
      })
    )
  }

  it.effect("renews expired tokens also when the clock was set back", () =>
    Effect.gen(function* () {
      const { request, tokenRequests } = yield* setUp({
        credentials: {
          ...kept("old", 0),
          authorization: {
            ...kept("old", 0).authorization!,
            tokens: { ...kept("old", 86_400_000, "refresh").authorization!.tokens!, expiresAt: 1 }
          }
        },
        token: lifetime(3600),
        takes: () => true
      })
      assert.strictEqual(yield* request, 200)
      assert.strictEqual(tokenRequests(), 1)
    })
  )
})

describe("a session whose server takes each token once", () => {
  it.effect("renews a few times at once, and then makes requests wait until the window has passed", () =>
    Effect.gen(function* () {
      let count = 0
      const taken = new Set<string | null>()
      const { request, tokenRequests } = yield* setUp({
        credentials: kept("old", -60_000, "refresh"),
        token: () => json(200, { access_token: `new-${++count}`, token_type: "Bearer", refresh_token: "refresh" }),
        takes: (token) => token !== "Bearer old" && !taken.has(token) && taken.add(token) !== undefined
      })
      for (let call = 0; call < RENEWALS_MAX; call++) assert.strictEqual(yield* request, 200)
      assert.strictEqual(tokenRequests(), RENEWALS_MAX)
      const waiting = yield* Effect.forkChild(request)
      yield* TestClock.adjust(RENEWALS_WINDOW_MS - 1)
      assert.strictEqual(tokenRequests(), RENEWALS_MAX)
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* Fiber.join(waiting), 200)
      assert.strictEqual(tokenRequests(), RENEWALS_MAX + 1)
    })
  )
})
