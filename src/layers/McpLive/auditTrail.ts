/**
 * Where a command reads the audit log, and what is kept of people: in the database of the fleet that the configuration names, or in files. The command
 * joins no fleet.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { ConfigSource } from "../../services/config/ConfigSource.ts"
import { AuditTrail } from "../../services/call/AuditTrail.ts"
import { PersonStores } from "../../services/call/PersonStores.ts"
import type { SecretResolver } from "../../services/secret/SecretResolver.ts"
import type { GatewayConfig } from "../../schemas/config/GatewayConfig.ts"
import type { DatabaseAway, FleetRefused } from "../../schemas/fleet/FleetError.ts"
import { AuditUnreadable } from "../../schemas/call/AuditUnreadable.ts"
import * as ConfigSourceLayer from "../config/ConfigSource.ts"
import * as RedactorLayer from "../content/Redactor.ts"
import * as SecretResolverLayer from "../secret/SecretResolver.ts"

const DATABASE = "the database of the fleet"

/** A configuration that cannot be read has no fleet: the files of this machine are there in any case. */
const fleetOf = (path: string | undefined) =>
  Effect.flatMap(ConfigSource, ({ load }) => Effect.option(load)).pipe(
    Effect.provide(ConfigSourceLayer.layer({ path })),
    Effect.map(Option.filter(({ fleet }) => fleet !== undefined))
  )

const inFiles = Layer.unwrap(
  Effect.map(
    Effect.promise(() => import("../call/AuditTrail.ts")),
    ({ layer }) => layer()
  )
)

/** What the database of a fleet has, which fails as whatever cannot be read. */
const reached = <A>(
  stores: Layer.Layer<A, FleetRefused | DatabaseAway, SecretResolver>,
  secrets: GatewayConfig["secrets"]
): Layer.Layer<A, AuditUnreadable> =>
  stores.pipe(
    Layer.provide(SecretResolverLayer.layer({ config: secrets })),
    Layer.provide(RedactorLayer.layer),
    Layer.catch(({ message }) =>
      Layer.effectContext<A, AuditUnreadable, never>(
        Effect.fail(new AuditUnreadable({ directory: DATABASE, detail: message }))
      )
    )
  )

/** `path`: of the configuration; the usual places without one. */
export const auditTrail = (path: string | undefined): Layer.Layer<AuditTrail, AuditUnreadable> =>
  Layer.unwrap(
    Effect.gen(function* (): Effect.fn.Return<Layer.Layer<AuditTrail, AuditUnreadable>> {
      const config = Option.getOrUndefined(yield* fleetOf(path))
      if (config?.fleet === undefined) return inFiles
      const { fleet, secrets } = config
      const { reading } = yield* Effect.promise(() => import("../FleetLive.ts"))
      return reached(reading(fleet), secrets)
    })
  )

const filesOfPeople = Layer.unwrap(
  Effect.map(
    Effect.promise(() =>
      Promise.all([import("../call/AuditTrail.ts"), import("../call/Approvals.ts"), import("../call/CallQuotas.ts")])
    ),
    ([trail, approvals, quotas]) => Layer.mergeAll(trail.layer(), approvals.layerStore(), quotas.layerStore())
  )
)

/** The same, for whoever forgets people. */
export const people = (path: string | undefined): Layer.Layer<PersonStores | AuditTrail, AuditUnreadable> =>
  Layer.unwrap(
    Effect.gen(function* (): Effect.fn.Return<Layer.Layer<PersonStores | AuditTrail, AuditUnreadable>> {
      const config = Option.getOrUndefined(yield* fleetOf(path))
      const { layer } = yield* Effect.promise(() => import("../call/PersonStores.ts"))
      if (config?.fleet === undefined) return Layer.provideMerge(layer, filesOfPeople)
      const { fleet, secrets } = config
      const live = yield* Effect.promise(() => import("../FleetLive.ts"))
      return Layer.provideMerge(layer, reached(live.people(fleet), secrets))
    })
  )
