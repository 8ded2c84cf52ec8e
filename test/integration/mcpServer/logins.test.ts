/** Agent requests of clients that log in at a real authorization server. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { freePort } from "../../support/freePort.ts"
import { connected, ERAS } from "../../support/mcpClients.ts"
import { provider } from "../../support/modelProvider.ts"
import { oidcProvider, ROBOT } from "../../support/oidcProvider.ts"
import { listeningWith, model, ORDER, raw, type Result } from "./program.ts"

const tokenFor = (issuer: string, resource: string) =>
  Effect.promise(async () => {
    const response = await fetch(`${issuer}/token`, {
      method: "POST",
      headers: {
        authorization: `Basic ${Buffer.from(`${ROBOT.clientId}:${encodeURIComponent(ROBOT.clientSecret)}`).toString("base64")}`,
        "content-type": "application/x-www-form-urlencoded"
      },
      body: new URLSearchParams({ grant_type: "client_credentials", scope: "mcp", resource }).toString()
    })
    return ((await response.json()) as { readonly access_token: string }).access_token
  })

const listening = Effect.fnUntraced(function* (more: ReadonlyArray<string> = [], rules: ReadonlyArray<object> = []) {
  const { issuer } = yield* oidcProvider({ person: () => "ada" })
  const behind = yield* provider({ text: ["Yes."] })
  const port = yield* freePort
  const clients = { issuers: [{ issuer, scopes: ["mcp"] }], rules }
  const { program, url } = yield* listeningWith({
    args: ["--http", String(port), ...more],
    config: { ...model(behind.baseUrl), mcp: { clients } }
  })
  return { home: program.home, issuer, url }
})

describe("agent requests of clients that log in", () => {
  for (const era of ERAS) {
    it.live(`are answered for a token of the issuer (${era})`, () =>
      Effect.gen(function* () {
        const { issuer, url } = yield* listening()
        const client = yield* connected(era, { url, token: yield* tokenFor(issuer, url) })
        const answer = yield* Effect.promise(
          () =>
            client.request("tools/call", {
              name: ORDER,
              arguments: { message: "hello" }
            }) as unknown as Promise<Result>
        )
        assert.strictEqual(answer.structuredContent?.text, "Yes.")
      })
    )
  }

  it.live("no token is generated beside them; without one, a client is told where to log in", () =>
    Effect.gen(function* () {
      const { home, url } = yield* listening()
      const response = yield* Effect.promise(() => fetch(url, { method: "POST", body: "{}" }))
      assert.strictEqual(response.status, 401)
      assert.include(response.headers.get("www-authenticate"), "resource_metadata=")
      assert.isFalse(existsSync(join(home, "orders", "http-token")))
    })
  )

  it.live("whom no rule of clients lets in does not reach the agent", () =>
    Effect.gen(function* () {
      const status = Effect.fnUntraced(function* (who: string) {
        const { issuer, url } = yield* listening([], [{ who: [who] }])
        const headers = { authorization: `Bearer ${yield* tokenFor(issuer, url)}` }
        return (yield* Effect.promise(() => fetch(url, { method: "POST", headers, body: "{}" }))).status
      })
      assert.strictEqual(yield* status("client:somebody-else"), 403)
      assert.notStrictEqual(yield* status(`client:${ROBOT.clientId}`), 403)
    })
  )

  it.live("--resource is an address, and for --http", () =>
    Effect.gen(function* () {
      const said = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
        const { child, exited, stderr } = yield* raw({ args })
        child.stdin.end()
        assert.strictEqual(yield* Effect.promise(() => exited), 2)
        return stderr()
      })
      assert.include(yield* said(["--resource", "https://a.example/mcp"]), "--resource is for --http")
      assert.include(yield* said(["--http", "--resource", "a.example"]), "must be an address such as")
    })
  )

  it.live("a token for another resource is refused; --resource says what this one is called", () =>
    Effect.gen(function* () {
      const resource = "https://orders.example.com/mcp"
      const { issuer, url } = yield* listening(["--resource", resource])
      const asking = (token: string) =>
        Effect.promise(() => fetch(url, { method: "GET", headers: { authorization: `Bearer ${token}` } }))
      assert.strictEqual((yield* asking(yield* tokenFor(issuer, url))).status, 401)
      const own = yield* asking(yield* tokenFor(issuer, resource))
      assert.notStrictEqual(own.status, 401)
      const [, address] =
        /resource_metadata="([^"]+)"/.exec((yield* asking("no")).headers.get("www-authenticate")!) ?? []
      assert.include(address, "https://orders.example.com/")
    })
  )
})
