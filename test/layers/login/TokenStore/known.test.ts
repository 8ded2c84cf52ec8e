import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as RedactorLayer from "../../../../src/layers/content/Redactor.ts"
import { makeKnown } from "../../../../src/layers/login/TokenStore/known.ts"
import { NO_CREDENTIALS, type Credentials } from "../../../../src/schemas/login/Credentials.ts"
import { LOGIN_SECRETS_KEPT } from "../../../../src/schemas/defaults/Authorization.ts"
import { SECRETS_RELEASED_MAX } from "../../../../src/schemas/defaults/Secrets.ts"
import { Redactor } from "../../../../src/services/content/Redactor.ts"

const IDENTITY = { server: "tickets", resource: "https://tickets.example/mcp" }
const REFRESH = "refresh-0123456789abcdef"
const accessOf = (index: number) => `access-${String(index).padStart(16, "0")}`
const credentials = (index: number): Credentials => ({
  ...NO_CREDENTIALS,
  authorization: {
    issuer: "https://issuer.example",
    resource: IDENTITY.resource,
    clientId: "client",
    tokens: { accessToken: accessOf(index), tokenType: "Bearer", refreshToken: REFRESH, scopes: [], obtainedAt: 1 }
  }
})

describe("tokens of a login as secrets", () => {
  it.effect("the last few are withheld from every server, those before are masked, and the oldest are forgotten", () =>
    Effect.gen(function* () {
      const redactor = yield* Redactor
      const known = makeKnown(redactor)
      const total = 2 * SECRETS_RELEASED_MAX
      for (let index = 0; index < total; index++) known(IDENTITY, credentials(index))
      for (let index = total - LOGIN_SECRETS_KEPT; index < total; index++) {
        assert.isTrue(redactor.holdsForeign(accessOf(index), "tickets"))
      }
      const replaced = accessOf(total - LOGIN_SECRETS_KEPT - 1)
      assert.isFalse(redactor.holdsForeign(replaced, "tickets"))
      assert.strictEqual(redactor.redact(replaced), "[REDACTED]")
      assert.isTrue(redactor.holdsForeign(REFRESH, "tickets"))
      assert.strictEqual(redactor.redact(accessOf(0)), accessOf(0))
    }).pipe(Effect.provide(RedactorLayer.layer))
  )

  it.effect("what is read again is known as it was", () =>
    Effect.gen(function* () {
      const redactor = yield* Redactor
      const known = makeKnown(redactor)
      known(IDENTITY, credentials(0))
      const version = redactor.version()
      for (let again = 0; again < 2 * LOGIN_SECRETS_KEPT; again++) known(IDENTITY, credentials(1 - (again % 2)))
      assert.strictEqual(redactor.version(), version + 1)
      for (const index of [0, 1]) assert.isTrue(redactor.holdsForeign(accessOf(index), "tickets"))
    }).pipe(Effect.provide(RedactorLayer.layer))
  )
})
