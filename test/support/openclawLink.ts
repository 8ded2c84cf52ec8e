/** The link to a gateway, with everything that it stands on. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as ContentSanitizer from "../../src/layers/content/ContentSanitizer.ts"
import * as GatewayLinkLayer from "../../src/layers/agent/GatewayLink.ts"
import * as NetworkGuard from "../../src/layers/connection/NetworkGuard.ts"
import * as Redactor from "../../src/layers/content/Redactor.ts"
import * as SecretResolver from "../../src/layers/secret/SecretResolver.ts"

/** At once, for ever: a test does not wait. */
export const atOnce = Schedule.spaced(Duration.millis(5))

export const linkLayer = (options: GatewayLinkLayer.Options, guard: NetworkGuard.Options = {}) =>
  GatewayLinkLayer.layer({ pauses: atOnce, ...options }).pipe(
    Layer.provide([NetworkGuard.layer(guard), ContentSanitizer.layer, SecretResolver.layer()]),
    Layer.provideMerge(Redactor.layer)
  )

/** Built for the caller's Scope. */
export const linkTo = (options: GatewayLinkLayer.Options, guard?: NetworkGuard.Options) =>
  Layer.build(linkLayer(options, guard))

/** Looks again and again until it is so: the test's own time is the limit. */
export const until = (isSo: () => boolean) =>
  Effect.gen(function* () {
    while (!isSo()) yield* Effect.sleep(5)
  })
