import { assert, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import { inFixtures } from "../fixtures/servers.ts"
import { identityOf } from "../../src/schemas/login/Credentials.ts"
import { Authorizer } from "../../src/services/login/Authorizer.ts"
import type { ServerConnector } from "../../src/services/connection/ServerConnector.ts"
import { TokenStore } from "../../src/services/login/TokenStore.ts"
import { oauthServer, type OAuthFixture } from "../fixtures/oauthServer.ts"
import { callTool, textOf } from "../support/connector.ts"
import { elsewhere, folder, keptIn, logIn, open, protectedServer, world } from "../support/oauth.ts"

interface Scene {
  readonly fixture: OAuthFixture
  readonly directory: string
}

type Services = ServerConnector | Authorizer | TokenStore | Scope.Scope

/** Somebody has logged in. */
const scenario = (name: string, body: (scene: Scene) => Effect.Effect<void, unknown, Services>) =>
  it.live(name, () =>
    Effect.gen(function* () {
      const fixture = yield* oauthServer
      const directory = yield* folder
      yield* logIn(fixture).pipe(
        Effect.andThen(body({ fixture, directory })),
        Effect.scoped,
        Effect.provide(world({ directory }))
      )
    }).pipe(Effect.scoped)
  )

const connect = (fixture: OAuthFixture) => open(protectedServer(fixture.url))

/** As if tokens had been given so long ago. */
const makeOlder = (fixture: OAuthFixture, ms: number) =>
  TokenStore.use(({ modify }) =>
    modify(identityOf("safe", new URL(fixture.url)), (kept) => {
      const { authorization } = kept!
      const { expiresAt, obtainedAt, ...rest } = authorization!.tokens!
      const tokens = { ...rest, expiresAt: expiresAt! - ms, obtainedAt: obtainedAt - ms }
      return Effect.succeed({ value: undefined, keep: { ...kept!, authorization: { ...authorization!, tokens } } })
    })
  )

const MANY = 10

const callMany = (connection: Effect.Success<ReturnType<typeof open>>, count: number = MANY) =>
  Effect.all(
    Array.from({ length: count }, () => callTool(connection, "whoami")),
    { concurrency: "unbounded" }
  )

// ---- processes -----------------------------------------------------------------------------------------------------

interface Client {
  /** Makes so many calls at once; how each of them ended. */
  readonly calls: (count: number) => Effect.Effect<ReadonlyArray<string>>
}

const CLIENT = inFixtures("oauthClient.ts")

/** Connected when it is there. */
const client = (directory: string, url: string): Effect.Effect<Client, never, Scope.Scope> =>
  Effect.gen(function* () {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => spawn(process.execPath, [CLIENT, directory, url], { stdio: ["pipe", "pipe", "inherit"] })),
      (started) => Effect.sync(() => void started.kill("SIGKILL"))
    )
    let text = ""
    const waiting: Array<(line: string) => void> = []
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk
      for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n")) {
        waiting.shift()?.(text.slice(0, end))
        text = text.slice(end + 1)
      }
    })
    const line = Effect.callback<string>((resume) => {
      waiting.push((said) => resume(Effect.succeed(said)))
    })
    assert.strictEqual(yield* line, "ready")
    return {
      calls: (count) =>
        Effect.suspend(() => {
          child.stdin.write(`${count}\n`)
          return Effect.map(line, (said) => JSON.parse(said) as ReadonlyArray<string>)
        })
    }
  })

// ---- once ----------------------------------------------------------------------------------------------------------

describe("OAuth: tokens that have run out", () => {
  scenario("are renewed once, however many calls are refused at once", ({ fixture }) =>
    Effect.gen(function* () {
      const connection = yield* connect(fixture)
      fixture.expire()
      const results = yield* callMany(connection)
      assert.isTrue(results.every((result) => textOf(result).includes("called with access")))
      assert.lengthOf(fixture.grants("refresh_token"), 1)
    })
  )

  scenario("are renewed once over all processes", ({ directory, fixture }) =>
    Effect.gen(function* () {
      const [one, two] = yield* Effect.all([client(directory, fixture.url), client(directory, fixture.url)], {
        concurrency: 2
      })
      for (let round = 1; round <= 3; round++) {
        fixture.expire()
        const outcomes = (yield* Effect.all([one.calls(MANY), two.calls(MANY)], { concurrency: 2 })).flat()
        assert.isTrue(
          outcomes.every((text) => text.includes("called with access")),
          outcomes.join("\n")
        )
        // A second use of the same refresh token would have ended everything.
        assert.lengthOf(fixture.grants("refresh_token"), round)
      }
    })
  )

  scenario("are renewed before they run out, without a refusal", ({ directory, fixture }) =>
    Effect.gen(function* () {
      fixture.state.lifetimeS = 70
      yield* logIn(fixture)
      fixture.state.lifetimeS = 3600
      yield* makeOlder(fixture, 50_000)
      const before = fixture.requests.length
      yield* Effect.scoped(Effect.flatMap(connect(fixture), (connection) => callTool(connection, "whoami"))).pipe(
        elsewhere(directory)
      )
      assert.lengthOf(fixture.grants("refresh_token"), 1)
      const later = fixture.requests.slice(before).filter(({ path }) => path === "/mcp")
      assert.isTrue(later.every(({ headers }) => headers.authorization !== undefined))
    })
  )

  scenario("are renewed to the end, though nobody waits for it any more", ({ directory, fixture }) =>
    Effect.gen(function* () {
      const connection = yield* connect(fixture)
      fixture.expire()
      let asked: () => void = () => {}
      let answer: () => void = () => {}
      const isAsked = new Promise<void>((resolve) => (asked = resolve))
      fixture.state.beforeToken = () => {
        asked()
        return new Promise<void>((resolve) => (answer = resolve))
      }
      const call = yield* Effect.forkChild(callTool(connection, "whoami"))
      yield* Effect.promise(() => isAsked)
      const old = keptIn(directory).authorization?.tokens?.refreshToken
      yield* Fiber.interrupt(call)
      fixture.state.beforeToken = async () => {}
      answer()
      assert.include(textOf(yield* callTool(connection, "whoami")), "called with access")
      assert.lengthOf(fixture.grants("refresh_token"), 1)
      assert.notStrictEqual(keptIn(directory).authorization?.tokens?.refreshToken, old)
    })
  )
})

// ---- failures ------------------------------------------------------------------------------------------------------

describe("OAuth: a renewal that fails", () => {
  for (const [failure, answer] of [
    ["500", { status: 500, body: { error: "server_error" } }],
    ["503 that speaks of the grant", { status: 503, body: { error: "invalid_grant" } }],
    ["429", { status: 429, body: {} }]
  ] as const) {
    scenario(`with ${failure} keeps what is known, and says that it passes`, ({ directory, fixture }) =>
      Effect.gen(function* () {
        const connection = yield* connect(fixture)
        const before = keptIn(directory)
        fixture.expire()
        fixture.state.onToken = () => answer
        const error = yield* Effect.flip(callTool(connection, "whoami"))
        assert.deepInclude(error, { _tag: "AuthRequired", remedy: "later" })
        assert.deepStrictEqual(keptIn(directory), before)
      })
    )
  }

  scenario("for a moment is made good by the next process that asks", ({ directory, fixture }) =>
    Effect.gen(function* () {
      const connection = yield* connect(fixture)
      fixture.expire()
      fixture.state.onToken = () => ({ status: 500, body: {} })
      yield* Effect.flip(callTool(connection, "whoami"))
      fixture.state.onToken = undefined
      const again = open(protectedServer(fixture.url)).pipe(
        Effect.flatMap((fresh) => callTool(fresh, "whoami")),
        Effect.scoped,
        elsewhere(directory)
      )
      assert.include(textOf(yield* again), "called with access")
    })
  )

  scenario("is not tried again at once for each call", ({ fixture }) =>
    Effect.gen(function* () {
      const connection = yield* connect(fixture)
      fixture.expire()
      fixture.state.onToken = () => ({ status: 500, body: {} })
      for (let call = 0; call < 5; call++) yield* Effect.flip(callTool(connection, "whoami"))
      assert.lengthOf(fixture.grants("refresh_token"), 1)
    })
  )

  scenario("for good asks for a login, and nobody tries the token again", ({ directory, fixture }) =>
    Effect.gen(function* () {
      const connection = yield* connect(fixture)
      fixture.expire()
      fixture.state.refreshTokens.clear()
      const error = yield* Effect.flip(callTool(connection, "whoami"))
      assert.deepInclude(error, { _tag: "AuthRequired", status: 401, remedy: "login" })
      assert.isUndefined(keptIn(directory).authorization?.tokens)
      // We are still known there.
      assert.isNotEmpty(Object.keys(keptIn(directory).clients))
      yield* Effect.flip(open(protectedServer(fixture.url))).pipe(elsewhere(directory))
      assert.lengthOf(fixture.grants("refresh_token"), 1)
    })
  )

  scenario("does not go on for ever with a server that takes no token", ({ fixture }) =>
    Effect.gen(function* () {
      const connection = yield* connect(fixture)
      fixture.state.refusesAll = true
      const error = yield* Effect.flip(callTool(connection, "whoami"))
      assert.deepInclude(error, { _tag: "AuthRequired", status: 401 })
      assert.include(error.message, "only just given")
      assert.lengthOf(fixture.grants("refresh_token"), 1)
    })
  )
})
