/** The database layer of a node of a fleet, at a database of the test. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as DatabaseLayer from "../../src/layers/fleet/Database.ts"
import type { FleetRefused } from "../../src/schemas/fleet/FleetError.ts"
import { Database } from "../../src/services/fleet/Database.ts"

export const PEERS_SECRET = "the secret that the nodes of the tests share"

/** The layer of a node; `url` is that of `newDatabase`. */
export const databaseLayer = (url: string, options: Partial<DatabaseLayer.Options> = {}) =>
  DatabaseLayer.layer({
    url: Redacted.make(url),
    node: "node-1",
    secret: Redacted.make(PEERS_SECRET),
    version: "0.0.0-test",
    ...options
  })

/** One node's view of the database, for the Scope. */
export const openDatabase = (
  url: string,
  options: Partial<DatabaseLayer.Options> = {}
): Effect.Effect<Database["Service"], FleetRefused, Scope.Scope> =>
  Effect.map(Layer.build(Layer.fresh(databaseLayer(url, options))), (context) => Context.get(context, Database))
