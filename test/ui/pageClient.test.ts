/** A web page as an MCP client, in a real browser, which decides what the page may send and read. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Page } from "playwright-core"
import { listening, placeFor, real } from "../integration/serve/program.ts"
import { testIssuer } from "../support/issuer.ts"
import { launched, missing } from "./browser.ts"

const RESOURCE = "https://gateway.example.com/mcp"

/** A page at an origin of its own. */
const site = Effect.acquireRelease(
  Effect.callback<{ readonly origin: string; readonly close: () => void }>((resume) => {
    const server = createServer((_, response) => {
      response.setHeader("content-type", "text/html").end("<!doctype html><title>a client</title>")
    })
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      resume(Effect.succeed({ origin: `http://127.0.0.1:${port}`, close: () => void server.close() }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

/** What the page can read of the way to the login and of a call, as the SDK's clients go it. */
const connected = (page: Page, given: { readonly url: string; readonly metadata: string; readonly token: string }) =>
  page.evaluate(async ({ metadata, token, url }) => {
    const version = { "mcp-protocol-version": "2025-11-25" }
    const post = (body: object, more: Record<string, string>) =>
      fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...more },
        body: JSON.stringify({ jsonrpc: "2.0", ...body })
      })
    const clientInfo = { name: "page", version: "1" }
    const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo }
    const initialize = { id: 1, method: "initialize", params: hello }
    try {
      const refused = await post(initialize, version)
      const found = await fetch(metadata, { headers: version })
      const authorization = `Bearer ${token}`
      const session = (await post(initialize, { authorization })).headers.get("mcp-session-id")
      const params = { name: "mcp_all_echo", arguments: { message: "hello" } }
      const more = { authorization, "mcp-session-id": session ?? "", ...version }
      const called = await post({ id: 2, method: "tools/call", params }, more)
      return {
        challenge: refused.headers.get("www-authenticate"),
        issuers: ((await found.json()) as { authorization_servers: ReadonlyArray<string> }).authorization_servers,
        result: await called.text()
      }
    } catch (error) {
      return { failed: String(error) }
    }
  }, given)

describe.skipIf(missing !== undefined)("a web page as a client of serve --http", () => {
  it.live("whose origin is allowed finds the login and calls; the browser keeps everything from another one", () =>
    Effect.gen(function* () {
      const issuer = yield* testIssuer
      const [allowed, other] = [yield* site, yield* site]
      const place = yield* placeFor({
        mcp: {
          servers: { all: real("everything", ["stdio"]) },
          serve: { origins: [allowed.origin] },
          clients: { resource: RESOURCE, issuers: [{ issuer: issuer.issuer, scopes: ["mcp"] }] }
        }
      })
      const { url } = yield* listening(place)
      const token = yield* Effect.promise(() => issuer.token({ scope: "mcp" }))
      const metadata = new URL("/.well-known/oauth-protected-resource/mcp", url).href
      const browser = yield* launched
      const page = yield* Effect.promise(() => browser.newPage())
      const from = (origin: string) =>
        Effect.promise(async () => {
          await page.goto(origin)
          return connected(page, { url, metadata, token })
        })
      const { challenge, failed, issuers, result } = yield* from(allowed.origin)
      assert.isUndefined(failed)
      assert.include(challenge ?? "", 'resource_metadata="https://gateway.example.com/')
      assert.deepStrictEqual(issuers, [issuer.issuer])
      assert.include(result ?? "", "Echo: hello")
      assert.match((yield* from(other.origin)).failed ?? "", /Failed to fetch/)
    }).pipe(Effect.scoped)
  )
})
