/** What the nodes of a fleet store together, in its database. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import { type DatabaseAway, FleetRefused } from "../../schemas/fleet/FleetError.ts"
import type { Database } from "../../services/fleet/Database.ts"
import type { StoreServices } from "../../services/fleet/Joined.ts"
import * as ApprovalStoreLayer from "../fleet/ApprovalStore.ts"
import * as CallPlacesLayer from "../fleet/CallPlaces.ts"
import * as CallTokensLayer from "../fleet/CallTokens.ts"
import * as ConversationStoreLayer from "../fleet/ConversationStore.ts"
import * as CredentialStoreLayer from "../fleet/CredentialStore.ts"
import * as LeasesLayer from "../fleet/Leases.ts"
import * as PageLogoutsLayer from "../fleet/PageLogouts.ts"
import * as PinStoreLayer from "../fleet/PinStore.ts"
import * as QuotaStoreLayer from "../fleet/QuotaStore.ts"
import * as ResultTextsLayer from "../fleet/ResultTexts.ts"

export interface Options {
  /** The name of this node. */
  readonly node: string
  /** The secret that all nodes have. */
  readonly secret: Redacted.Redacted<string>
  /** How many nodes there are now. */
  readonly nodes: () => number
}

const decided = ({ node, secret }: Pick<Options, "node" | "secret">) =>
  Layer.mergeAll(ApprovalStoreLayer.layer, PinStoreLayer.layer, CredentialStoreLayer.layer({ secret })).pipe(
    Layer.provideMerge(LeasesLayer.layer({ node }))
  )

/** Without the database there is nothing of it. */
const refusing = <A, R>(layer: Layer.Layer<A, DatabaseAway, R>): Layer.Layer<A, FleetRefused, R> =>
  Layer.catchTag(layer, "DatabaseAway", ({ message }) =>
    Layer.unwrap(Effect.fail(new FleetRefused({ detail: message })) as Effect.Effect<Layer.Layer<A>, FleetRefused>)
  )

/** What people decide, and the logins. */
export const kept = (options: Pick<Options, "node" | "secret">) => refusing(decided(options))

export const stores = ({ node, nodes, secret }: Options): Layer.Layer<StoreServices, FleetRefused, Database> =>
  refusing(
    Layer.mergeAll(
      CallTokensLayer.layer({ nodes }),
      CallPlacesLayer.layer({ node, nodes }),
      QuotaStoreLayer.layer,
      ResultTextsLayer.layer,
      PageLogoutsLayer.layer,
      ConversationStoreLayer.layer
    ).pipe(Layer.provideMerge(decided({ node, secret })))
  )
