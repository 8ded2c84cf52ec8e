import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as ContentSanitizerLayer from "../../../src/layers/content/ContentSanitizer.ts"
import * as RedactorLayer from "../../../src/layers/content/Redactor.ts"
import * as AccountLoginsLayer from "../../../src/layers/login/AccountLogins.ts"
import { heldByClient } from "../../../src/schemas/connection/Isolation.ts"
import { serverConfig } from "../../../src/schemas/connection/ServerConfig.ts"
import { ACCOUNT_PAGE_MS, ACCOUNT_PAGES_EACH_MAX } from "../../../src/schemas/defaults/Clients.ts"
import { AccountLogins } from "../../../src/services/login/AccountLogins.ts"
import { Authorizer } from "../../../src/services/login/Authorizer.ts"
import { makeBrowser } from "../../support/browser.ts"

const AT_SERVER = "http://127.0.0.1:1/authorize"

/** Its logins wait for the browser to come back with this state, and succeed then. */
const authorizer = Layer.succeed(Authorizer, {
  authorization: () => undefined,
  login: (_, { redirect, show }) =>
    Effect.gen(function* () {
      const answered = redirect!.answered("the-state")
      yield* show({ server: "tickets", url: AT_SERVER, issuer: "", scopes: [], redirectUri: redirect!.redirectUri })
      yield* answered
      return { issuer: "", scopes: [], expiresAt: undefined, renewable: false, bound: false, encrypted: false }
    }),
  logout: () => Effect.succeed({ known: false, revoked: undefined }),
  isLoggedIn: () => Effect.succeed(false),
  loggedIn: () => Effect.never
})

const written = serverConfig(
  "tickets <b>&",
  {
    kind: "http",
    url: "https://tickets.example/mcp",
    headers: {},
    auth: { grant: "authorization_code", per: "person" }
  },
  { share: false, isolate: "person" }
)
const serverOf = (subject: string, name = subject) => {
  const person = { issuer: "https://login.example.com", subject, name }
  return heldByClient(written, "person", { principal: name, session: "1", person })
}

/** The pages on a port, where browsers find them. */
const running = Effect.gen(function* () {
  let answers: AccountLogins["Service"]["answers"] = () => false
  const node = yield* Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<ReturnType<typeof createServer>>((resolve) => {
          const made = createServer((incoming, response) => {
            if (!answers(incoming, response)) response.writeHead(418).end()
          })
          made.listen(0, "127.0.0.1", () => resolve(made))
        })
    ),
    (made) =>
      Effect.sync(() => {
        made.closeAllConnections()
        made.close()
      })
  )
  const origin = `http://127.0.0.1:${(node.address() as AddressInfo).port}`
  const layer = AccountLoginsLayer.layer({ resource: `${origin}/mcp` }).pipe(
    Layer.provide([authorizer, Layer.provide(ContentSanitizerLayer.layer, RedactorLayer.layer)])
  )
  const logins = (yield* Layer.build(layer)).mapUnsafe.get(AccountLogins.key) as AccountLogins["Service"]
  answers = logins.answers
  return { logins, origin }
})

const open = (url: string, browser = makeBrowser()) => Effect.promise(() => browser.open(url))
const isAtServer = (at: URL) => at.href === AT_SERVER

describe("AccountLogins", () => {
  it.effect("a person has one address while it waits, and other persons have others", () =>
    Effect.gen(function* () {
      const { logins } = yield* running
      const [first, again, other] = yield* Effect.forEach(
        [serverOf("ada"), serverOf("ada"), serverOf("grace", "ada")],
        (server) => logins.page(server)
      )
      assert.strictEqual(again!.url, first!.url)
      assert.notStrictEqual(other!.url, first!.url)
      assert.notInclude(first!.url, first!.id)
    })
  )

  it.effect("an address ends after some minutes, and whoever waits for it is told", () =>
    Effect.gen(function* () {
      const { logins } = yield* running
      const page = yield* logins.page(serverOf("ada"))
      yield* TestClock.adjust(ACCOUNT_PAGE_MS - 1)
      assert.strictEqual((yield* open(page.url)).status, 200)
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* open(page.url)).status, 404)
      assert.include((yield* Effect.flip(page.connected)).message, "nobody connected the account in time")
    })
  )

  it.effect("nobody is given an address of which not more than half its time is left", () =>
    Effect.gen(function* () {
      const { logins } = yield* running
      const first = yield* logins.page(serverOf("ada"))
      yield* TestClock.adjust(ACCOUNT_PAGE_MS / 2 - 1)
      assert.strictEqual((yield* logins.page(serverOf("ada"))).url, first.url)
      yield* TestClock.adjust(1)
      const second = yield* logins.page(serverOf("ada"))
      yield* TestClock.adjust(ACCOUNT_PAGE_MS / 2)
      assert.strictEqual((yield* open(first.url)).status, 404)
      assert.strictEqual((yield* open(second.url)).status, 200)
      assert.notStrictEqual((yield* logins.page(serverOf("ada"))).url, second.url)
    })
  )

  it.effect("whoever clicks has the time anew, and no more", () =>
    Effect.gen(function* () {
      const { logins, origin } = yield* running
      const clickedLate = Effect.fnUntraced(function* (name: string) {
        const browser = makeBrowser()
        const page = yield* logins.page(serverOf(name))
        yield* TestClock.adjust(ACCOUNT_PAGE_MS - 1)
        const seen = yield* open(page.url, browser)
        const seconds = Number(/Max-Age=(\d+)/.exec(seen.headers.get("set-cookie") ?? "")?.[1])
        assert.isAtLeast(seconds * 1_000, 2 * ACCOUNT_PAGE_MS)
        yield* Effect.promise(() => browser.click(seen, {}, isAtServer))
        return { page, back: open(`${origin}/login/callback?state=the-state&code=x`, browser) }
      })
      const ada = yield* clickedLate("ada")
      yield* TestClock.adjust(ACCOUNT_PAGE_MS - 1)
      assert.include((yield* ada.back).text, "Your account is connected")
      yield* ada.page.connected
      const grace = yield* clickedLate("grace")
      yield* TestClock.adjust(ACCOUNT_PAGE_MS)
      assert.strictEqual((yield* grace.back).status, 404)
      assert.include((yield* Effect.flip(grace.page.connected)).message, "nobody connected the account in time")
    })
  )

  it.effect("names are shown as they are, never as a part of the page", () =>
    Effect.gen(function* () {
      const { logins } = yield* running
      const page = yield* logins.page(serverOf("1", `ada"><script>alert(1)</script>\u202e`))
      const { headers, text } = yield* open(page.url)
      assert.notInclude(text, "<script")
      assert.notInclude(text, "<b>")
      assert.notInclude(text, "\u202e")
      assert.include(headers.get("content-security-policy"), "default-src 'none'")
      assert.strictEqual(headers.get("cache-control"), "no-store")
      assert.match(headers.get("set-cookie") ?? "", /HttpOnly; SameSite=Lax/)
    })
  )

  it.effect("two pages in one browser do not disturb each other", () =>
    Effect.gen(function* () {
      const { logins, origin } = yield* running
      const browser = makeBrowser()
      const [adas, graces] = [yield* logins.page(serverOf("ada")), yield* logins.page(serverOf("grace"))]
      const first = yield* open(adas.url, browser)
      yield* open(graces.url, browser)
      yield* Effect.promise(() => browser.click(first, {}, isAtServer))
      const done = yield* open(`${origin}/login/callback?state=the-state&code=x`, browser)
      assert.include(done.text, "Your account is connected")
      yield* adas.connected
    })
  )

  it.effect("whoever begins again and again has a few at a time: the oldest ends", () =>
    Effect.gen(function* () {
      const { logins } = yield* running
      const browser = makeBrowser()
      const began = yield* Effect.forEach(
        Array.from({ length: ACCOUNT_PAGES_EACH_MAX }),
        Effect.fnUntraced(function* () {
          const page = yield* logins.page(serverOf("ada"))
          const seen = yield* open(page.url, browser)
          yield* Effect.promise(() => browser.click(seen, {}, isAtServer))
          return page
        })
      )
      yield* logins.page(serverOf("ada"))
      assert.include((yield* Effect.flip(began[0]!.connected)).message, "another login took its place")
    })
  )

  it.effect("other paths are not its own, and no other method does anything", () =>
    Effect.gen(function* () {
      const { logins, origin } = yield* running
      const { url } = yield* logins.page(serverOf("ada"))
      assert.strictEqual((yield* open(`${origin}/mcp`)).status, 418)
      assert.strictEqual((yield* open(`${origin}/login/../x`)).status, 418)
      for (const path of ["/login/", "/login/callback", "/login/callback?state=", "/login/short"]) {
        assert.strictEqual((yield* open(origin + path)).status, 404)
      }
      const put = yield* Effect.promise(() => fetch(url, { method: "PUT" }))
      assert.strictEqual(put.status, 404)
      const large = yield* Effect.promise(() => fetch(url, { method: "POST", body: "x".repeat(100_000) }))
      assert.strictEqual(large.status, 403)
    })
  )
})
