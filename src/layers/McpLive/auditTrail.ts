/**
 * Where a command reads the audit log: in the database of the fleet that the configuration names, or in files. The command
 * joins no fleet.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AuditTrail } from "../../services/call/AuditTrail.ts"
import type { SecretResolver } from "../../services/secret/SecretResolver.ts"
import type { GatewayConfig } from "../../schemas/config/GatewayConfig.ts"
import type { DatabaseAway, FleetRefused } from "../../schemas/fleet/FleetError.ts"
import { AuditUnreadable } from "../../schemas/call/AuditUnreadable.ts"
import * as RedactorLayer from "../content/Redactor.ts"
import * as SecretResolverLayer from "../secret/SecretResolver.ts"
import { fleetOf } from "./visitor.ts"

const DATABASE = "the database of the fleet"

const inFiles = Layer.unwrap(
  Effect.map(
    Effect.promise(() => import("../call/AuditTrail.ts")),
    ({ layer }) => layer()
  )
)

/** What the database of a fleet has, which fails as whatever cannot be read. */
export const reached = <A>(
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
      const found = yield* fleetOf(path)
      if (found === undefined) return inFiles
      const { fleet, secrets } = found
      const { reading } = yield* Effect.promise(() => import("../FleetLive.ts"))
      return reached(reading(fleet), secrets)
    })
  )
