/**
 * What a command uses of the fleet that its configuration names, without joining it: the database, in the place of files of this machine.
 * Without a fleet nothing of it is loaded.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { ConfigError } from "../../schemas/config/ConfigError.ts"
import type { GatewayConfig } from "../../schemas/config/GatewayConfig.ts"
import type { FleetConfig } from "../../schemas/fleet/FleetConfig.ts"
import type { ApprovalStore } from "../../services/call/ApprovalStore.ts"
import type { PinStore } from "../../services/call/PinStore.ts"
import { ConfigSource } from "../../services/config/ConfigSource.ts"
import type { CredentialStore } from "../../services/login/CredentialStore.ts"
import type { SecretResolver } from "../../services/secret/SecretResolver.ts"
import * as ConfigSourceLayer from "../config/ConfigSource.ts"
import * as RedactorLayer from "../content/Redactor.ts"
import * as SecretResolverLayer from "../secret/SecretResolver.ts"

/** What people decide, and the logins: one for all nodes. */
export type Decisions = ApprovalStore | PinStore | CredentialStore

interface OfFleet extends Pick<GatewayConfig, "file" | "secrets"> {
  readonly fleet: FleetConfig
}

/** A configuration that cannot be read has no fleet: the files of this machine are there in any case. */
export const fleetOf = (path: string | undefined): Effect.Effect<OfFleet | undefined> =>
  Effect.flatMap(ConfigSource, ({ load }) => Effect.option(load)).pipe(
    Effect.provide(ConfigSourceLayer.layer({ path })),
    Effect.map((loaded) => {
      const { file, fleet, secrets } = Option.getOrUndefined(loaded) ?? {}
      return file === undefined || fleet === undefined || secrets === undefined ? undefined : { file, fleet, secrets }
    })
  )

/** In the database of that fleet. */
export const decisionsOf = ({
  file,
  fleet
}: Pick<OfFleet, "file" | "fleet">): Layer.Layer<Decisions, ConfigError, SecretResolver> =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("../FleetLive.ts")),
      ({ decisions }) => decisions(fleet)
    )
  ).pipe(
    Layer.catchTag("FleetRefused", ({ detail }) =>
      Layer.unwrap(
        Effect.fail(new ConfigError({ issues: [{ file, line: 0, path: "fleet", message: detail }] })) as Effect.Effect<
          Layer.Layer<Decisions>,
          ConfigError
        >
      )
    )
  )

/** `shared` if the configuration at `path` names a fleet, else `own`. */
export const sharedOr = <A, R, R2>(
  path: string | undefined,
  shared: Layer.Layer<A, never, R | Decisions>,
  own: Layer.Layer<A, never, R2>
): Layer.Layer<A, ConfigError, Exclude<R, Decisions> | R2> =>
  Layer.unwrap(
    Effect.map(fleetOf(path), (found): Layer.Layer<A, ConfigError, Exclude<R, Decisions> | R2> => {
      if (found === undefined) return own
      const secrets = SecretResolverLayer.layer({ config: found.secrets }).pipe(Layer.provide(RedactorLayer.layer))
      return Layer.provide(shared, Layer.provide(decisionsOf(found), secrets))
    })
  )
