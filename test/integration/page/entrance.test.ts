/** The entrance of the page over real sockets: who is let in, and what everybody else is told. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Agent } from "node:http"
import { ask } from "../../support/ask.ts"
import { enter, SCRIPT, withPage } from "../../support/page.ts"
import { inFull } from "../../support/full.ts"

const none = { mcp: { servers: {} } }
const asked = (...given: Parameters<typeof ask>) => Effect.promise(() => ask(...given))
const entered = (address: string) => Effect.promise(() => enter(address))

const GUESSES = inFull(10_000, 1_000)

describe("the address of the page", () => {
  it.live("lets one browser in, once, and leads on to an address without a token", () =>
    Effect.gen(function* () {
      const { page } = yield* withPage(none)
      const address = yield* page.address({})
      assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}\/\?token=[\w-]{32}$/)
      const first = yield* asked(address)
      assert.strictEqual(first.status, 303)
      assert.strictEqual(first.headers["location"], new URL(address).pathname)
      const [set = ""] = first.headers["set-cookie"] as ReadonlyArray<string>
      assert.include(set, `Path=${new URL(address).pathname};`)
      assert.match(set, /; HttpOnly; SameSite=Strict$/)
      assert.notInclude(set, new URL(address).searchParams.get("token")!)
      const second = yield* asked(address)
      assert.strictEqual(second.status, 403)
      assert.include(second.text, "mcp-live ui")
      assert.notProperty(second.headers, "set-cookie")
    }).pipe(Effect.scoped)
  )

  it.live("leads a browser on that is let in already, also when it was used", () =>
    Effect.gen(function* () {
      const { page } = yield* withPage(none)
      const address = yield* page.address({})
      const { cookie } = yield* entered(address)
      const again = yield* asked(address, { cookie })
      assert.strictEqual(again.status, 303)
      assert.notProperty(again.headers, "set-cookie")
    }).pipe(Effect.scoped)
  )

  it.live("is not used up by a browser that only looks ahead, nor by HEAD", () =>
    Effect.gen(function* () {
      const { page } = yield* withPage(none)
      const address = yield* page.address({})
      assert.strictEqual((yield* asked(address, { "sec-purpose": "prefetch;prerender" })).status, 503)
      assert.strictEqual((yield* asked(address, {}, "HEAD")).status, 503)
      assert.strictEqual((yield* asked(address)).status, 303)
    }).pipe(Effect.scoped)
  )

  it.live(`still works after ${GUESSES} wrong guesses`, () =>
    Effect.gen(function* () {
      const { page } = yield* withPage(none)
      const address = yield* page.address({})
      const agent = new Agent({ maxSockets: 16 })
      const guess = (i: number) =>
        ask(address.replace(/token=.*/, `token=${String(i).padStart(32, "x")}`), {}, "GET", agent)
      const answers = yield* Effect.promise(() => Promise.all(Array.from({ length: GUESSES }, (_, i) => guess(i))))
      assert.isTrue(answers.every(({ status }) => status === 403))
      assert.strictEqual((yield* asked(address)).status, 303)
    }).pipe(Effect.scoped)
  )

  it.live(
    "that another site led to sets the cookie, and leads on by itself, because a redirect would come without it",
    () =>
      Effect.gen(function* () {
        const { page } = yield* withPage(none)
        const address = yield* page.address({})
        const cross = { "sec-fetch-site": "cross-site" }
        // An image, a script or a `fetch` of another page does not use it up.
        assert.strictEqual((yield* asked(address, { ...cross, "sec-fetch-mode": "no-cors" })).status, 403)
        const answer = yield* asked(address, { ...cross, "sec-fetch-mode": "navigate" })
        assert.strictEqual(answer.status, 200)
        assert.strictEqual(answer.headers["refresh"], `0; url=${new URL(address).pathname}`)
        assert.property(answer.headers, "set-cookie")
      }).pipe(Effect.scoped)
  )
})

describe("a browser that was let in", () => {
  it.live("gets the page and its files, and may cache files with a hash in their names", () =>
    Effect.gen(function* () {
      const { page } = yield* withPage(none)
      const { cookie, url } = yield* entered(yield* page.address({}))
      const index = yield* asked(url, { cookie })
      assert.deepStrictEqual([index.status, index.headers["content-type"]], [200, "text/html; charset=utf-8"])
      assert.strictEqual(index.headers["cache-control"], "no-store")
      const script = yield* asked(url + SCRIPT, { cookie })
      assert.strictEqual(script.headers["content-type"], "text/javascript; charset=utf-8")
      assert.strictEqual(script.headers["cache-control"], "private, max-age=31536000, immutable")
      assert.strictEqual(script.text, "document.title = 'here'")
      assert.strictEqual((yield* asked(url + SCRIPT, { cookie }, "HEAD")).text, "")
      for (const name of [
        "parts.json",
        "assets",
        "nothing.js",
        "../../package.json",
        "%2e%2e/package.json",
        "index.html/"
      ]) {
        assert.strictEqual((yield* asked(`${url}${name}`, { cookie })).status, 404, name)
      }
      assert.strictEqual((yield* asked(url, { cookie }, "POST")).status, 405)
    }).pipe(Effect.scoped)
  )

  it.live("is one by its cookie: without it, with another, or outside of the folder there is nothing", () =>
    Effect.gen(function* () {
      const { page } = yield* withPage(none)
      const { cookie, origin, url } = yield* entered(yield* page.address({}))
      const [name] = cookie.split("=")
      for (const given of ["", `${name}=`, `${name}=${"x".repeat(43)}`, cookie.toUpperCase(), `other${cookie}`]) {
        for (const path of ["", SCRIPT, "nothing.js"]) {
          assert.strictEqual((yield* asked(url + path, { cookie: given })).status, 401, given)
        }
      }
      const other = `/${"x".repeat(22)}/`
      for (const path of ["/", `/${SCRIPT}`, "/?token=x", new URL(url).pathname.slice(0, -1), other, other + SCRIPT]) {
        assert.strictEqual((yield* asked(origin + path, { cookie })).status, 404, path)
      }
      const address = new URL(yield* page.address({}))
      assert.strictEqual((yield* asked(`${origin}${other}${address.search}`)).status, 404)
      assert.strictEqual((yield* asked(address.href)).status, 303)
      // Another program of this machine can add a cookie of that name.
      assert.strictEqual((yield* asked(url, { cookie: `${name}=toss; ${cookie}; ${name}=toss` })).status, 200)
    }).pipe(Effect.scoped)
  )

  it.live("of one gateway is a stranger to another, of the same configuration or not", () =>
    Effect.gen(function* () {
      const one = yield* withPage(none)
      const beside = yield* withPage(none, { dataDirectory: one.dataDirectory })
      const other = yield* withPage(none)
      const { cookie } = yield* entered(yield* one.page.address({}))
      for (const { page } of [beside, other]) {
        const address = new URL(yield* page.address({}))
        address.search = ""
        const renamed = cookie.replace(/\d+=/, `${address.port}=`)
        assert.strictEqual((yield* asked(address.href, { cookie })).status, 401)
        assert.strictEqual((yield* asked(address.href, { cookie: renamed })).status, 401)
      }
    }).pipe(Effect.scoped)
  )
})

describe("every answer", () => {
  it.live("forbids what the page does not need, and lets no other page read it", () =>
    Effect.gen(function* () {
      const { page } = yield* withPage(none)
      const address = yield* page.address({})
      const { cookie, origin, url } = yield* entered(address)
      const answers = [
        yield* asked(yield* page.address({})),
        yield* asked(url, { cookie }),
        yield* asked(url + SCRIPT, { cookie, origin }),
        yield* asked(url),
        yield* asked(origin),
        yield* asked(address),
        yield* asked(url, { cookie, origin: "https://evil.example" })
      ]
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [303, 200, 200, 401, 404, 403, 403]
      )
      for (const { headers } of answers) {
        const policy = String(headers["content-security-policy"])
        assert.include(policy, "default-src 'none'; script-src 'self'; style-src 'self';")
        assert.notMatch(policy, /unsafe|\*|https?:/)
        assert.include(policy, "frame-ancestors 'none'")
        assert.strictEqual(headers["x-content-type-options"], "nosniff")
        assert.strictEqual(headers["referrer-policy"], "no-referrer")
        for (const name of ["opener", "resource"])
          assert.strictEqual(headers[`cross-origin-${name}-policy`], "same-origin")
        assert.isEmpty(Object.keys(headers).filter((name) => name.startsWith("access-control-")))
      }
    }).pipe(Effect.scoped)
  )
})

describe("a request", () => {
  it.live(
    "for a name that is not this machine's is refused, and uses no token: a page may have been made to lead here",
    () =>
      Effect.gen(function* () {
        const { page } = yield* withPage(none)
        const { cookie, url } = yield* entered(yield* page.address({}))
        const address = yield* page.address({})
        const { port } = new URL(url)
        for (const host of [`evil.example:${port}`, "127.0.0.1", "127.0.0.1:1", `127.0.0.1.evil.example:${port}`]) {
          assert.strictEqual((yield* asked(url, { cookie, host })).status, 403, host)
          assert.strictEqual((yield* asked(address, { host })).status, 403, host)
        }
        assert.strictEqual((yield* asked(address)).status, 303)
      }).pipe(Effect.scoped)
  )

  it.live("of another page is refused, also of one at another port of this machine", () =>
    Effect.gen(function* () {
      const { page } = yield* withPage(none)
      const { cookie, url } = yield* entered(yield* page.address({}))
      for (const origin of ["https://evil.example", "http://127.0.0.1:1", "http://localhost", "null"]) {
        assert.strictEqual((yield* asked(url, { cookie, origin })).status, 403, origin)
        assert.strictEqual((yield* asked(url, { cookie, origin }, "POST")).status, 403, origin)
        assert.strictEqual((yield* asked(url, { cookie, origin }, "OPTIONS")).status, 403, origin)
      }
      for (const site of ["cross-site", "same-site"]) {
        assert.strictEqual((yield* asked(url + SCRIPT, { cookie, "sec-fetch-site": site })).status, 403, site)
      }
      assert.strictEqual((yield* asked(url + SCRIPT, { cookie, "sec-fetch-site": "same-origin" })).status, 200)
    }).pipe(Effect.scoped)
  )
})
