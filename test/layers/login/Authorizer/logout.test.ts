import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { logOut } from "../../../../src/layers/login/Authorizer/logout.ts"
import type { Subject } from "../../../../src/layers/login/Authorizer/renewal.ts"
import { NO_CREDENTIALS, type Credentials } from "../../../../src/schemas/login/Credentials.ts"
import { DEFAULT_OAUTH } from "../../../../src/schemas/login/OAuthConfig.ts"
import { TokenStoreFailed } from "../../../../src/schemas/login/TokenStoreFailed.ts"
import { TokenStore } from "../../../../src/services/login/TokenStore.ts"

const ISSUER = "https://issuer.example"
const URL_ = new URL("https://a.example/mcp")

const kept = (accessToken: string): Credentials => ({
  ...NO_CREDENTIALS,
  clients: { [ISSUER]: { clientId: "client" } },
  authorization: {
    issuer: ISSUER,
    resource: URL_.href,
    clientId: "client",
    tokens: { accessToken, tokenType: "Bearer", scopes: [], obtainedAt: 0 }
  }
})

/** What is read without the lock is `before`, and `under` is what is there when it is held. */
const scene = (before: Credentials, under: Credentials, writes = true) => {
  const revoked: Array<string | null> = []
  const steps: Array<string> = []
  const json = (body: unknown) => new Response(JSON.stringify(body))
  const fetch = async (url: string | URL, init: RequestInit = {}) => {
    const { pathname } = new URL(url)
    if (pathname === "/revoke") {
      steps.push("revoke")
      revoked.push(new URLSearchParams(String(init.body)).get("token"))
    }
    if (pathname.includes("protected-resource")) {
      return json({ resource: URL_.href, authorization_servers: [ISSUER] })
    }
    return json({ issuer: ISSUER, token_endpoint: `${ISSUER}/token`, revocation_endpoint: `${ISSUER}/revoke` })
  }
  const check = (text: unknown) => URL.parse(String(text)) ?? "is not an address"
  const subject: Subject = {
    server: "a",
    url: URL_,
    oauth: DEFAULT_OAUTH,
    supplied: { fetch, head: fetch, check, checkOwn: check },
    reveal: Effect.succeed,
    forget: Effect.void,
    tidy: (text) => text
  }
  const store = TokenStore.of({
    read: () => Effect.succeed(before),
    modify: (_, change) =>
      Effect.flatMap(change(under), ({ value }) =>
        writes ? Effect.succeed(value) : Effect.fail(new TokenStoreFailed({ server: "a", detail: "the disk is full" }))
      ),
    remove: () => Effect.sync(() => void steps.push("forget")),
    watch: () => Effect.succeed(Effect.never),
    encrypts: Effect.succeed(false)
  })
  return { outcome: logOut({ identity: { server: "a", resource: URL_.href }, store, subject }), revoked, steps }
}

describe("a logout", () => {
  it.effect("removes the tokens and then revokes the ones that were current under the lock", () =>
    Effect.gen(function* () {
      const { outcome, revoked, steps } = scene(kept("old"), kept("renewed"))
      assert.deepStrictEqual(yield* outcome, { known: true, revoked: true })
      assert.deepStrictEqual(revoked, ["renewed"])
      // Who renews them now would give life to what is about to be revoked.
      assert.deepStrictEqual(steps, ["forget", "revoke"])
    })
  )

  it.effect("removes and revokes the tokens also when nothing can be written", () =>
    Effect.gen(function* () {
      const { outcome, steps } = scene(kept("old"), kept("old"), false)
      assert.deepInclude(yield* outcome, { known: true, revoked: true })
      assert.deepStrictEqual(steps, ["forget", "revoke"])
    })
  )
})
