import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { logIn, type LoginSdk, makeProvider, SDK_V1, SDK_V2 } from "../../support/loginClient.ts"
import { GATEWAY_CLIENT, ROBOT, oidcProvider, type OidcOptions } from "../../support/oidcProvider.ts"
import { freePort } from "../../support/freePort.ts"
import { listeningTo, placeFor, real, type Loose } from "./program.ts"
import { shared } from "../../support/shared.ts"

/** A gateway whose clients log in at this authorization server. */
const gatewayOf = Effect.fnUntraced(function* (issuer: string, port: number, issuerMore: object = {}) {
  const resource = `http://127.0.0.1:${port}/mcp`
  const place = yield* placeFor({
    mcp: {
      servers: { mem: real("memory"), all: real("everything", ["stdio"]) },
      clients: {
        resource,
        issuers: [{ issuer, scopes: ["mcp"], claims: { person: "email" }, ...issuerMore }]
      }
    }
  })
  const gateway = yield* listeningTo(place.home, ["--config", place.file, "--http", "--port", String(port)])
  return { ...gateway, home: place.home, resource }
})

/** The gateway and its authorization server. */
const running = Effect.fnUntraced(function* (options: Partial<OidcOptions> = {}, issuerMore: object = {}) {
  let person = "ada"
  const { issuer } = yield* oidcProvider({ person: () => person, ...options })
  const gateway = yield* gatewayOf(issuer, yield* freePort, issuerMore)
  return { ...gateway, issuer, comes: (name: string) => void (person = name) }
})

/** Logs in, and comes in with what it was given. */
const loggingIn = (url: string, sdk: LoginSdk, given = makeProvider()) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const { kept, provider } = await logIn(url, sdk, given)
      const client = sdk.make()
      await client.connect(sdk.transport(url, provider))
      return { client, kept }
    }),
    ({ client }) => Effect.promise(() => client.close())
  )

const callFor = (url: string, token: string | undefined, body: object = {}, more: Record<string, string> = {}) =>
  Effect.promise(async () => {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...more
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping", ...body })
    })
    return { status: response.status, text: await response.text(), headers: response.headers }
  })

const INITIALIZE = {
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } }
}

describe("serve --http: clients that log in", () => {
  /** For tests that need nothing else of it. */
  const usual = shared(running())

  for (const [name, sdk] of Object.entries({ "SDK v2": SDK_V2, "SDK v1": SDK_V1 })) {
    it.live(`${name} finds the login by itself, and calls`, () =>
      Effect.gen(function* () {
        const { url } = yield* usual
        const { client } = yield* loggingIn(url, sdk)
        const { content } = yield* Effect.promise(() =>
          client.callTool({ name: "mcp_all_echo", arguments: { message: "hi" } })
        ) as Effect.Effect<Loose>
        assert.include(content[0].text, "Echo: hi")
      })
    )

    it.live(`${name} asks for more scopes when the gateway needs more than it has`, () =>
      Effect.gen(function* () {
        const { issuer } = yield* oidcProvider({ person: () => "ada", scope: "mcp admin", refresh: false })
        const port = yield* freePort
        const before = yield* gatewayOf(issuer, port, { scopes: ["mcp"] })
        const provider = makeProvider()
        yield* Effect.scoped(loggingIn(before.url, sdk, provider))
        assert.strictEqual(provider.kept.tokens.scope, "mcp")
        yield* Effect.promise(() => before.stop())
        // The authorization server has noted the scopes that the client was registered with: it registers again.
        provider.kept.client = undefined
        const { url } = yield* gatewayOf(issuer, port, { scopes: ["mcp", "admin"] })
        yield* loggingIn(url, sdk, provider)
        assert.strictEqual(provider.kept.tokens.scope, "mcp admin")
      })
    )
  }

  it.live("the metadata of the resource names the issuer; a refusal says where it is, and nothing more", () =>
    Effect.gen(function* () {
      const { issuer, resource, url } = yield* usual
      const none = yield* callFor(url, undefined)
      assert.strictEqual(none.status, 401)
      const challenge = none.headers.get("www-authenticate") ?? ""
      const [, address] = /resource_metadata="([^"]+)"/.exec(challenge) ?? []
      assert.include(challenge, 'scope="mcp"')
      assert.notInclude(challenge, "error=")
      const document = yield* Effect.promise(async () => (await fetch(address!)).json()) as Effect.Effect<Loose>
      assert.strictEqual(document.resource, resource)
      assert.deepStrictEqual(document.authorization_servers, [issuer])
      const wrong = yield* callFor(url, "eyJhbGciOiJub25lIn0.e30.")
      assert.strictEqual(wrong.status, 401)
      assert.include(wrong.headers.get("www-authenticate"), 'error="invalid_token"')
      assert.notInclude(wrong.text, "eyJ")
    })
  )

  it.live("a token in the address lets nobody in", () =>
    Effect.gen(function* () {
      const { url } = yield* usual
      const { kept } = yield* loggingIn(url, SDK_V1)
      const answer = yield* callFor(`${url}?access_token=${kept.tokens.access_token}`, undefined, INITIALIZE)
      assert.strictEqual(answer.status, 401)
    })
  )

  it.live(
    "the token of one person does not open the session of another, nor that of another client of the same person",
    () =>
      Effect.gen(function* () {
        const { comes, url } = yield* usual
        const ada = yield* loggingIn(url, SDK_V1)
        const begun = yield* callFor(url, ada.kept.tokens.access_token, INITIALIZE)
        const session = begun.headers.get("mcp-session-id")!
        comes("eve")
        const eve = yield* loggingIn(url, SDK_V1)
        const stolen = yield* callFor(
          url,
          eve.kept.tokens.access_token,
          { method: "tools/list" },
          { "mcp-session-id": session }
        )
        assert.strictEqual(stolen.status, 404)
        comes("ada")
        const other = yield* loggingIn(url, SDK_V1)
        const again = yield* callFor(
          url,
          other.kept.tokens.access_token,
          { method: "tools/list" },
          { "mcp-session-id": session }
        )
        assert.strictEqual(again.status, 404)
      })
  )

  it.live("a token that is no JWT is good if the issuer says so", () =>
    Effect.gen(function* () {
      const { url } = yield* running({ format: "opaque" }, { introspection: GATEWAY_CLIENT })
      const { kept } = yield* loggingIn(url, SDK_V1)
      assert.notInclude(kept.tokens.access_token, ".")
      assert.strictEqual((yield* callFor(url, kept.tokens.access_token, INITIALIZE)).status, 200)
    })
  )

  it.live("a program that acts for itself is let in; without the scope that is needed, it is told which (403)", () =>
    Effect.gen(function* () {
      const { issuer, resource, url } = yield* running({ scope: "mcp admin" }, { scopes: ["mcp", "admin"] })
      const tokenFor = (scope: string) =>
        Effect.promise(async () => {
          const response = await fetch(`${issuer}/token`, {
            method: "POST",
            headers: { authorization: `Basic ${btoa(`${ROBOT.clientId}:${encodeURIComponent(ROBOT.clientSecret)}`)}` },
            body: new URLSearchParams({ grant_type: "client_credentials", scope, resource })
          })
          return ((await response.json()) as Loose).access_token as string
        })
      assert.strictEqual((yield* callFor(url, yield* tokenFor("mcp admin"), INITIALIZE)).status, 200)
      const refused = yield* callFor(url, yield* tokenFor("mcp"), INITIALIZE)
      assert.strictEqual(refused.status, 403)
      assert.include(refused.headers.get("www-authenticate"), 'error="insufficient_scope"')
      assert.include(refused.headers.get("www-authenticate"), 'scope="mcp admin"')
    })
  )

  it.live("the record of a call names the person", () =>
    Effect.gen(function* () {
      const { home, stop, url } = yield* running()
      const { client } = yield* loggingIn(url, SDK_V1)
      yield* Effect.promise(() => client.callTool({ name: "mcp_all_echo", arguments: { message: "hi" } }))
      yield* Effect.promise(() => stop())
      const record = readdirSync(join(home, "audit"))
        .flatMap((name) => readFileSync(join(home, "audit", name), "utf8").split("\n"))
        .find((line) => line.includes('"tool":"echo"'))
      assert.match(JSON.parse(record!).client, /^ada@example\.com by /)
    })
  )
})
