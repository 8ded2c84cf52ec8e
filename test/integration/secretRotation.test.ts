import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ContentSanitizerLayer from "../../src/layers/content/ContentSanitizer.ts"
import * as NetworkGuardLayer from "../../src/layers/connection/NetworkGuard.ts"
import * as RedactorLayer from "../../src/layers/content/Redactor.ts"
import * as SecretResolverLayer from "../../src/layers/secret/SecretResolver.ts"
import * as ServerConnectorLayer from "../../src/layers/connection/ServerConnector.ts"
import { httpServer } from "../fixtures/httpServer.ts"
import { httpConfig, open } from "../support/connector.ts"
import { fakeHost } from "../support/host.ts"

/** A connector with a provider whose values cost; it is a new one each time that it is asked. */
const setUp = () => {
  let asked = 0
  const providers = { dear: { read: () => Effect.sync(() => `value-number-${++asked}`), kept: true } }
  const layer = ServerConnectorLayer.layer.pipe(
    Layer.provide(NetworkGuardLayer.layer()),
    Layer.provide(Layer.mergeAll(SecretResolverLayer.layer({ env: {}, providers }), ContentSanitizerLayer.layer)),
    Layer.provide(RedactorLayer.layer),
    Layer.provide(fakeHost())
  )
  return { asked: () => asked, provided: Effect.provide(layer) }
}

const withKey = (url: string) =>
  httpConfig(url, "http", { launch: { kind: "http", url, headers: { "x-key": "Bearer secret://dear/key" } } })

describe("a secret that was changed where it is kept", () => {
  for (const status of ["401", "403"]) {
    it.live(`is asked for anew after its server has refused the old one by ${status}`, () => {
      const { asked, provided } = setUp()
      return Effect.gen(function* () {
        const { requests, url } = yield* httpServer(`${status}:*:1`)
        assert.strictEqual((yield* Effect.flip(open(withKey(url))))._tag, "AuthRequired")
        assert.strictEqual(requests.at(-1)?.headers["x-key"], "Bearer value-number-1")
        yield* open(withKey(url))
        assert.strictEqual(requests.at(-1)?.headers["x-key"], "Bearer value-number-2")
        assert.strictEqual(asked(), 2)
      }).pipe(provided, Effect.scoped)
    })
  }

  it.live("is not read again for other failures or for a working server", () => {
    const { asked, provided } = setUp()
    return Effect.gen(function* () {
      const { url } = yield* httpServer("500:*:1")
      assert.strictEqual((yield* Effect.flip(open(withKey(url))))._tag, "HttpFailed")
      yield* open(withKey(url))
      yield* open(withKey(url))
      assert.strictEqual(asked(), 1)
    }).pipe(provided, Effect.scoped)
  })
})
