import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"
import { makeBrowser, type Browser } from "../../support/browser.ts"
import { listed, type TestClient } from "../../support/mcpClients.ts"
import { pageFor, running, willing } from "./accountsGateway.ts"
import type { Loose } from "./program.ts"

const call = (client: TestClient, name: string, args: Record<string, unknown> = {}) =>
  Effect.promise(() => client.call(name, args))

describe("serve --http: attacks on accounts at servers", () => {
  it.live("an address is used once, cannot be guessed, and is answered in a browser that clicked only", () =>
    Effect.gen(function* () {
      const { clientOf, next, port } = yield* running()
      const client = yield* clientOf("ada", "2025-11-25")
      const ada = willing(next, "ada")
      const url = yield* pageFor(client)
      const guessed = yield* Effect.promise(() =>
        makeBrowser().open(`http://127.0.0.1:${port}/login/${randomBytes(32).toString("base64url")}`)
      )
      assert.strictEqual(guessed.status, 404)
      const page = yield* Effect.promise(() => ada.browser.open(url))
      assert.strictEqual(page.status, 200)
      assert.include(page.headers.get("content-security-policy"), "frame-ancestors 'none'")
      assert.notInclude(page.text, "<script")
      const post = (browser: Browser, headers: Record<string, string>, seen = page) =>
        Effect.promise(() => browser.click(seen, headers))
      // From another page, and from a browser that never saw the form.
      assert.strictEqual((yield* post(ada.browser, { origin: "https://evil.example" })).status, 403)
      assert.strictEqual((yield* post(makeBrowser(), {})).status, 403)
      const fake = { ...page, text: page.text.replace(/value="[^"]*"/, 'value="guessed"') }
      assert.strictEqual((yield* post(ada.browser, {}, fake)).status, 403)
      // The browser of the click goes as far as the answer of the authorization server.
      const isBack = (at: URL) => at.pathname === "/login/callback"
      const back = yield* Effect.promise(() => ada.browser.click(page, {}, isBack))
      const open = (browser: Browser, at: string) => Effect.promise(() => browser.open(at))
      const changed = (name: string, value: string) => {
        const at = new URL(back.url)
        at.searchParams.set(name, value)
        return at.href
      }
      assert.strictEqual((yield* open(makeBrowser(), back.url)).status, 404)
      assert.strictEqual((yield* open(ada.browser, changed("state", "guessed"))).status, 404)
      assert.strictEqual((yield* open(ada.browser, `${back.url}&state=twice`)).status, 404)
      const mixed = yield* open(ada.browser, changed("iss", "https://evil.example"))
      assert.include(mixed.text, "Your account is not connected")
      assert.notInclude(mixed.text, "evil")
      // It is used up, and so is the address.
      assert.strictEqual((yield* open(ada.browser, back.url)).status, 404)
      assert.strictEqual((yield* open(ada.browser, url)).status, 404)
      const again = yield* pageFor(client)
      assert.notStrictEqual(again, url)
      assert.include((yield* Effect.promise(() => ada.connects(again))).text, "Your account is connected")
      assert.strictEqual((yield* open(ada.browser, again)).status, 404)
    })
  )

  it.live("where the issuer is asked, nobody connects their account for another person", () =>
    Effect.gen(function* () {
      const { clientOf, logged, next } = yield* running({ proves: true })
      const mallory = yield* clientOf("mallory", "2025-11-25")
      const url = yield* pageFor(mallory)
      // Mallory sends the address to Ada, who clicks.
      const ada = willing(next, "ada")
      const end = yield* Effect.promise(() => ada.connects(url))
      assert.strictEqual(end.status, 403)
      assert.include(end.text, "logged in as somebody else")
      yield* logged(/somebody else opened the page for mallory@example\.com/)
      assert.include(yield* Effect.promise(() => mallory.call("mcp_tickets_connect_account")), "/login/")
      // The person themselves is let through.
      const own = willing(next, "mallory")
      const mine = yield* pageFor(mallory)
      assert.include((yield* Effect.promise(() => own.connects(mine))).text, "Your account is connected")
      yield* listed(mallory, "tools/list", "mcp_tickets_whoami")
      assert.include(yield* Effect.promise(() => mallory.call("mcp_tickets_whoami")), "you are mallory-at-tickets")
    })
  )

  it.live("the same name at two issuers is two persons", () =>
    Effect.gen(function* () {
      const { clientOf, next } = yield* running({ two: true })
      const ada = willing(next, "ada")
      const mine = yield* clientOf("ada", "2025-11-25", ada.answers)
      const theirs = yield* clientOf("ada", "2025-11-25", undefined, true)
      yield* call(mine, "mcp_tickets_connect_account")
      yield* listed(mine, "tools/list", "mcp_tickets_whoami", "mcp_bird_env")
      assert.include(yield* call(mine, "mcp_tickets_whoami"), "you are ada-at-tickets")
      assert.include(yield* call(theirs, "mcp_tickets_connect_account"), "/login/")
      assert.include(yield* call(theirs, "mcp_tickets_whoami"), "/login/")
      yield* listed(theirs, "tools/list", "mcp_bird_env")
      const [own, other] = [
        yield* call(mine, "mcp_bird_env", { name: "WHOSE" }),
        yield* call(theirs, "mcp_bird_env", { name: "WHOSE" })
      ]
      assert.notStrictEqual(own.match(/[0-9a-f]{32}/)?.[0], other.match(/[0-9a-f]{32}/)?.[0])
    })
  )

  it.live("a name that leads elsewhere gets a sentence and no process; one with a line break is nobody's", () =>
    Effect.gen(function* () {
      const { clientOf, tokenOf, url } = yield* running()
      const root = yield* clientOf("../root", "2025-11-25")
      assert.include(yield* call(root, "mcp_bird_pid"), "it contains a slash")
      const token = yield* tokenOf("eve\nada")
      const response = yield* Effect.promise(() =>
        fetch(url, { method: "POST", headers: { authorization: `Bearer ${token}` }, body: "{}" })
      )
      assert.strictEqual(response.status, 401)
    })
  )

  it.live("an approval for the session, a task and a stream are those of their person only", () =>
    Effect.gen(function* () {
      const asked = { ada: 0, grace: 0 }
      const answers = (person: "ada" | "grace", more: object) => ({
        ...more,
        elicit: async () => {
          asked[person]++
          return { action: "accept", content: { decision: "session" } }
        }
      })
      const { clientOf, next, tokenOf, url } = yield* running({
        servers: (at) => ({
          tickets: { url: at.url, auth: { type: "oauth", per: "person" }, tools: { ask: ["note"] } }
        })
      })
      const [ada, grace] = [willing(next, "ada"), willing(next, "grace")]
      const first = yield* clientOf("ada", "2025-11-25", answers("ada", ada.answers))
      const second = yield* clientOf("grace", "2025-11-25", answers("grace", grace.answers))
      for (const client of [first, second]) {
        yield* call(client, "mcp_tickets_connect_account")
        yield* listed(client, "tools/list", "mcp_tickets_note")
      }
      yield* call(first, "mcp_tickets_note", { note: "one" })
      yield* call(first, "mcp_tickets_note", { note: "two" })
      assert.deepStrictEqual(asked, { ada: 1, grace: 0 })
      yield* call(second, "mcp_tickets_note", { note: "three" })
      assert.deepStrictEqual(asked, { ada: 1, grace: 1 })
      const made = (yield* Effect.promise(() =>
        first.request("tools/call", { name: "mcp_tickets_whoami", arguments: {}, task: {} })
      )) as Loose
      const taskId: string = made.task.taskId
      for (const method of ["tasks/get", "tasks/result", "tasks/cancel"]) {
        const stolen = yield* Effect.promise(() => second.request(method, { taskId }).then(() => "given", String))
        assert.notStrictEqual(stolen, "given")
      }
      const result = yield* Effect.promise(() => first.request("tasks/result", { taskId }))
      assert.include(JSON.stringify(result), "you are ada-at-tickets")
      // A stream of hers, with a token of somebody else.
      const [adas, graces] = [yield* tokenOf("ada"), yield* tokenOf("grace")]
      const send = (token: string, init: RequestInit, more: Record<string, string> = {}) =>
        Effect.promise(() =>
          fetch(url, {
            ...init,
            headers: {
              authorization: `Bearer ${token}`,
              accept: "application/json, text/event-stream",
              "content-type": "application/json",
              ...more
            }
          })
        )
      const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } }
      const begun = yield* send(adas, {
        method: "POST",
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })
      })
      const text = yield* Effect.promise(() => begun.text())
      const session = { "mcp-session-id": begun.headers.get("mcp-session-id")! }
      const event = /^id: (.+)$/m.exec(text)?.[1] ?? "1"
      const resumed = yield* send(graces, { method: "GET" }, { ...session, "last-event-id": event })
      assert.strictEqual(resumed.status, 404)
    })
  )
})
