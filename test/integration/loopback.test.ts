import { assert, describe, it } from "@effect/vitest"
import { request } from "node:http"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import { openLoopback } from "../../src/layers/login/Authorizer/loopback.ts"
import type { AuthProblem } from "../../src/layers/login/Authorizer/problem.ts"

const STATE = "a-state-of-ours"

interface Answer {
  readonly status: number
  readonly text: string
  readonly headers: Record<string, unknown>
}

/** `undefined` where nobody answers. */
const get = (url: string, headers: Record<string, string> = {}, method = "GET"): Effect.Effect<Answer | undefined> =>
  Effect.callback((resume) => {
    const sent = request(url, { method, headers }, (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
      response.on("end", () =>
        resume(Effect.succeed({ status: response.statusCode ?? 0, text, headers: response.headers }))
      )
    })
    sent.on("error", () => resume(Effect.undefined))
    sent.end()
  })

const scenario = (name: string, body: () => Effect.Effect<void, AuthProblem, Scope.Scope>) =>
  it.live(name, () => Effect.scoped(body()))

describe("the address that a login leads back to", () => {
  scenario("is on this machine alone, and answers what carries our state, once", () =>
    Effect.gen(function* () {
      const { answered, redirectUri } = yield* openLoopback(0)
      assert.match(redirectUri, /^http:\/\/127\.0\.0\.1:\d+\/callback$/)
      const waiting = yield* Effect.forkChild(answered(STATE), { startImmediately: true })
      const first = yield* get(`${redirectUri}?state=${STATE}&code=c`)
      assert.strictEqual(first?.status, 200)
      assert.strictEqual((yield* Fiber.join(waiting)).get("code"), "c")
      assert.strictEqual((yield* get(`${redirectUri}?state=${STATE}&code=d`))?.status, 400)
    })
  )

  scenario("answers nobody else, and goes on waiting", () =>
    Effect.gen(function* () {
      const { answered, redirectUri } = yield* openLoopback(0)
      const waiting = yield* Effect.forkChild(answered(STATE), { startImmediately: true })
      const good = `${redirectUri}?state=${STATE}&code=c`
      const { origin } = new URL(redirectUri)
      for (const [status, url, headers, method] of [
        [400, redirectUri, {}, "GET"],
        [400, `${redirectUri}?state=other&code=evil`, {}, "GET"],
        [400, `${redirectUri}?state=${STATE}&state=${STATE}`, {}, "GET"],
        [404, `${origin}/other?state=${STATE}&code=evil`, {}, "GET"],
        [404, `${origin}/callback/..%2f?state=${STATE}&code=evil`, {}, "GET"],
        [404, good, {}, "POST"],
        [404, good, { host: "evil.example" }, "GET"]
      ] as const) {
        assert.strictEqual((yield* get(url, headers, method))?.status, status, `${method} ${url}`)
      }
      yield* get(good)
      assert.strictEqual((yield* Fiber.join(waiting)).get("code"), "c")
    })
  )

  scenario("says nothing of what was sent to it, and lets nothing be done with its page", () =>
    Effect.gen(function* () {
      const { answered, redirectUri } = yield* openLoopback(0)
      yield* Effect.forkChild(answered(STATE), { startImmediately: true })
      const evil = encodeURIComponent("<script>alert(1)</script>")
      for (const url of [`${redirectUri}?error=${evil}`, `${redirectUri}?state=${STATE}&error=${evil}`]) {
        const answer = yield* get(url)
        assert.notInclude(answer?.text, "script")
        assert.deepInclude(answer?.headers, {
          "cache-control": "no-store",
          "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
          "x-content-type-options": "nosniff",
          "referrer-policy": "no-referrer"
        })
      }
    })
  )

  scenario("is gone with its Scope", () =>
    Effect.gen(function* () {
      const uri = yield* Effect.scoped(Effect.map(openLoopback(0), ({ redirectUri }) => redirectUri))
      assert.isUndefined(yield* get(uri))
    })
  )

  scenario("says so when its port is taken", () =>
    Effect.gen(function* () {
      const { redirectUri } = yield* openLoopback(0)
      const taken = yield* Effect.result(openLoopback(Number(new URL(redirectUri).port)))
      assert.include(taken._tag === "Failure" ? taken.failure.detail : "", "EADDRINUSE")
    })
  )
})
