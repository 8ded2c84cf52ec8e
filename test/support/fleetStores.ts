/** The stores of a node of a fleet, at a database of the test; each use is a node of its own. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as ApprovalStoreLayer from "../../src/layers/fleet/ApprovalStore.ts"
import * as CallPlacesLayer from "../../src/layers/fleet/CallPlaces.ts"
import * as CallTokensLayer from "../../src/layers/fleet/CallTokens.ts"
import * as ConversationStoreLayer from "../../src/layers/fleet/ConversationStore.ts"
import * as CredentialStoreLayer from "../../src/layers/fleet/CredentialStore.ts"
import * as LeasesLayer from "../../src/layers/fleet/Leases.ts"
import * as PinStoreLayer from "../../src/layers/fleet/PinStore.ts"
import * as ResultTextsLayer from "../../src/layers/fleet/ResultTexts.ts"
import { databaseLayer, PEERS_SECRET } from "./fleetDatabase.ts"

/** Nothing is logged but what a test captures. */
export const quiet = Logger.layer([])

export const storesOf = (url: string, node: string, nodes = 1) =>
  Layer.mergeAll(
    ApprovalStoreLayer.layer,
    PinStoreLayer.layer,
    CredentialStoreLayer.layer({ secret: Redacted.make(PEERS_SECRET) }),
    // On a machine that has much else to do, the database takes its time.
    CallTokensLayer.layer({ nodes: () => nodes, waitMs: 60_000 }),
    CallPlacesLayer.layer({ node, nodes: () => nodes, waitMs: 60_000 })
  ).pipe(
    Layer.provideMerge(LeasesLayer.layer({ node })),
    Layer.provideMerge(databaseLayer(url, { node })),
    Layer.orDie,
    Layer.provide(quiet),
    Layer.fresh
  )

export const resultsOf = (url: string, node: string) =>
  ResultTextsLayer.layer.pipe(
    Layer.provide(databaseLayer(url, { node })),
    Layer.orDie,
    Layer.provide(quiet),
    Layer.fresh
  )

export const conversationsOf = (url: string, node: string) =>
  ConversationStoreLayer.layer.pipe(
    Layer.provide(LeasesLayer.layer({ node })),
    Layer.provideMerge(databaseLayer(url, { node })),
    Layer.orDie,
    Layer.provide(quiet),
    Layer.fresh
  )

/** Waits until it is so; the test's own timeout is the limit. */
export const until = <E, R>(isSo: Effect.Effect<boolean, E, R>): Effect.Effect<void, E, R> =>
  Effect.flatMap(isSo, (holds) => (holds ? Effect.void : Effect.andThen(Effect.sleep(5), until(isSo))))
