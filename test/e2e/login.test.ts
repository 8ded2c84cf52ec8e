import { assert, describe, it } from "@effect/vitest"
import { existsSync, readdirSync } from "node:fs"
import { createServer, type AddressInfo } from "node:net"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { oauthServer, type OAuthFixture } from "../fixtures/oauthServer.ts"
import { runHere } from "./here.ts"
import { configFile, run, start } from "./program.ts"
import { isFull } from "../support/full.ts"

interface Scene {
  readonly fixture: OAuthFixture
  /** Options of the program: the configuration, and a data directory of its own. */
  readonly config: ReadonlyArray<string>
  readonly env: Record<string, string>
  readonly home: string
}

const scenario = (name: string, body: (scene: Scene) => Effect.Effect<void, unknown, Scope.Scope>) =>
  it.live(name, () =>
    Effect.gen(function* () {
      const fixture = yield* oauthServer
      const file = yield* configFile({ mcpServers: { tickets: { url: fixture.url }, local: { command: "true" } } })
      const home = join(dirname(file), "home")
      // Without a screen no browser is opened on the machine of who runs the tests.
      const env = { MCP_LIVE_HOME: home, DISPLAY: "", WAYLAND_DISPLAY: "" }
      yield* body({ fixture, config: ["--config", file], env, home })
    }).pipe(Effect.scoped)
  )

/** In `npm run test:more` alone: what differs from another one by a flag. */
const withFlag: typeof scenario = (name, body) => {
  if (isFull) scenario(name, body)
}

/** The address stands on a line of its own, whole. */
const PAGE = /(?<=\n)http:\/\/127\.0\.0\.1:\d+\/authorize\?\S+(?=\n)/

/** A person whose browser is elsewhere: copies the address, logs in, pastes where they were sent to. */
const logInByHand = Effect.fnUntraced(function* ({ config, env, fixture }: Scene, ...flags: ReadonlyArray<string>) {
  const program = yield* start(["login", "tickets", "--no-browser", ...flags, ...config], { env })
  const [page] = yield* program.until(PAGE)
  program.type((yield* Effect.promise(() => fixture.redirect(page))).href)
  return yield* program.exited
})

type Started = Effect.Success<ReturnType<typeof start>>

/** A client of `serve --url` gets the server's tools, and no token is told. */
const whoServes = Effect.fnUntraced(function* (
  env: Record<string, string>,
  fixture: OAuthFixture,
  meanwhile: (program: Started) => Effect.Effect<void, unknown> = () => Effect.void
) {
  const program = yield* start(["serve", "--url", fixture.url], { env })
  const say = (message: object) => program.type(JSON.stringify({ jsonrpc: "2.0", ...message }))
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "e2e", version: "0" } }
  say({ id: 1, method: "initialize", params })
  yield* program.until(/"serverInfo"/)
  say({ method: "notifications/initialized" })
  yield* meanwhile(program)
  say({ id: 2, method: "tools/call", params: { name: "whoami", arguments: {} } })
  yield* program.until(/called with access/)
  program.signal("SIGTERM")
  const { code, stderr, stdout } = yield* program.exited
  assert.strictEqual(code, 0, stderr)
  noToken(fixture, stdout + stderr)
})

/** One that nobody listens on. */
const freePort = Effect.callback<number>((resume) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo
    server.close(() => resume(Effect.succeed(port)))
  })
})

const noToken = ({ state }: OAuthFixture, text: string) => {
  for (const token of [...state.accessTokens.keys(), ...state.refreshTokens.keys()]) assert.notInclude(text, token)
}

describe("mcp-live login", () => {
  scenario("says what was granted and until when, and no token; calls work from then on", (scene) =>
    Effect.gen(function* () {
      const { config, env, fixture } = scene
      const { code, stderr, stdout } = yield* logInByHand(scene)
      assert.strictEqual(code, 0, stderr)
      assert.include(stdout, `Logged in at 'tickets' through ${fixture.issuer}.`)
      assert.include(stdout, "Scopes: read")
      assert.match(stdout, /^Valid: for 60 minutes \(until 20\d\d-.*Z\), renewed automatically$/m)
      noToken(fixture, stdout + stderr)
      const called = yield* run(["call", "mcp_tickets_whoami", ...config], { env })
      assert.strictEqual(called.code, 0, called.stderr)
      assert.include(called.stdout, "called with access")
    })
  )

  scenario(
    "takes an address, for which no configuration is read; serve --url has what it was granted",
    ({ env, fixture }) =>
      Effect.gen(function* () {
        const program = yield* start(["login", fixture.url, "--no-browser"], { env })
        const [page] = yield* program.until(PAGE)
        program.type((yield* Effect.promise(() => fixture.redirect(page))).href)
        const { code, stderr, stdout } = yield* program.exited
        assert.strictEqual(code, 0, stderr)
        assert.include(stdout, `Logged in at '${fixture.url}'`)
        yield* whoServes(env, fixture)
      })
  )

  scenario("is asked for by serve --url as soon as the server wants one", ({ env, fixture }) =>
    Effect.gen(function* () {
      yield* whoServes(env, fixture, (program) =>
        Effect.gen(function* () {
          const [page] = yield* program.until(PAGE)
          const { href } = yield* Effect.promise(() => fixture.redirect(page))
          yield* Effect.promise(() => fetch(href))
        })
      )
    })
  )

  withFlag("with --json prints one document and nothing else", (scene) =>
    Effect.gen(function* () {
      const { stdout } = yield* logInByHand(scene, "--json")
      const document = JSON.parse(stdout) as Record<string, unknown>
      assert.deepInclude(document, { server: "tickets", issuer: scene.fixture.issuer, renewable: true, bound: false })
      assert.match(String(document["expiresAt"]), /^20\d\d-/)
      noToken(scene.fixture, stdout)
    })
  )

  withFlag("is done when the browser of this machine comes back, also with --no-browser", ({ config, env, fixture }) =>
    Effect.gen(function* () {
      const program = yield* start(["login", "tickets", "--no-browser", ...config], { env })
      const [page] = yield* program.until(PAGE)
      yield* Effect.promise(() => fixture.agree(page))
      assert.strictEqual((yield* program.exited).code, 0)
    })
  )

  withFlag("uses the port that it is told", ({ config, env }) =>
    Effect.gen(function* () {
      const port = yield* freePort
      const program = yield* start(["login", "tickets", "--no-browser", "--port", `${port}`, ...config], { env })
      const [page] = yield* program.until(PAGE)
      assert.strictEqual(new URL(page).searchParams.get("redirect_uri"), `http://127.0.0.1:${port}/callback`)
    })
  )

  scenario("says why it failed, and exits with 1", (scene) =>
    Effect.gen(function* () {
      const { config, env } = scene
      const program = yield* start(["login", "tickets", "--no-browser", ...config], { env })
      yield* program.until(PAGE)
      program.type("http://127.0.0.1:1/callback?code=x&state=y")
      const { code, stderr } = yield* program.exited
      assert.include(stderr, "what was pasted does not belong to this login")
      assert.strictEqual(code, 1)
      assert.isFalse(
        existsSync(join(scene.home, "credentials")) && readdirSync(join(scene.home, "credentials")).length > 0
      )
    })
  )

  scenario("knows which server is meant", ({ config, env }) =>
    Effect.gen(function* () {
      const misspelt = yield* runHere(["login", "tickts", ...config], { env })
      assert.include(misspelt.stderr, "there is no server 'tickts'; did you mean 'tickets'?")
      assert.strictEqual(misspelt.code, 2)
      const stdio = yield* runHere(["login", "local", ...config], { env })
      assert.include(stdio.stderr, "it runs on this machine")
      assert.strictEqual(stdio.code, 1)
    })
  )

  scenario("is asked for by a server that nobody is logged in at", ({ config, env }) =>
    Effect.gen(function* () {
      const { stdout } = yield* runHere(["status", ...config], { env })
      assert.include(stdout, "Run: mcp-live login tickets")
    })
  )

  scenario("reaches a gateway that runs already", (scene) =>
    Effect.gen(function* () {
      const gateway = yield* start(["start", ...scene.config], { env: scene.env, stdin: "" })
      yield* gateway.until(/tickets.*needs a login/)
      yield* logInByHand(scene)
      yield* gateway.until(/\[tickets\] ready/)
    })
  )
})

describe("mcp-live logout", () => {
  scenario("revokes and forgets", (scene) =>
    Effect.gen(function* () {
      const { config, env, home } = scene
      yield* logInByHand(scene)
      const { code, stdout } = yield* run(["logout", "tickets", ...config], { env })
      assert.include(
        stdout,
        "Logged out of 'tickets': everything that was stored is deleted. The authorization server has revoked the login"
      )
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(readdirSync(join(home, "credentials")), [])
      const again = yield* runHere(["logout", "tickets", "--json", ...config], { env })
      assert.deepStrictEqual(JSON.parse(again.stdout), { server: "tickets", known: false, revoked: null })
    })
  )

  scenario("says which authorization server stays the one that gets the secrets of the configuration", (scene) =>
    Effect.gen(function* () {
      const { fixture } = scene
      fixture.state.clients.set("robot", { secret: "a-secret-of-the-operator", redirectUris: [] })
      fixture.state.issuerDocument = (document) => ({
        ...document,
        token_endpoint_auth_methods_supported: ["client_secret_basic"]
      })
      const auth = {
        type: "oauth",
        grant: "client_credentials",
        clientId: "robot",
        clientSecret: "secret://env/ROBOT_SECRET"
      }
      const config = ["--config", yield* configFile({ mcpServers: { tickets: { url: fixture.url, auth } } })]
      const env = { ...scene.env, ROBOT_SECRET: "a-secret-of-the-operator" }
      const called = yield* runHere(["call", "mcp_tickets_whoami", ...config], { env })
      assert.strictEqual(called.code, 0, called.stderr)
      const { stdout } = yield* run(["logout", "tickets", ...config], { env })
      assert.include(stdout, `deleted, except that the secrets of its configuration go to ${fixture.issuer} only`)
      const again = yield* runHere(["logout", "tickets", "--json", ...config], { env })
      assert.deepInclude(JSON.parse(again.stdout), { known: false, revoked: null, remains: fixture.issuer })
    })
  )
})
