/** The entrance of the page over real sockets: who is let in, and what everybody else is told. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ask, enter, SCRIPT, withPage } from "../../support/page.ts"

const none = { mcp: { servers: {} } }
const asked = (...given: Parameters<typeof ask>) => Effect.promise(() => ask(...given))

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
    }).pipe(Effect.scoped)
  )
})
