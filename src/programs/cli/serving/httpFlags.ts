/** Flags that say who can reach the port of `--http`: its address, host names and web origins. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Flag from "effect/cli/Flag"
import { DOOR_NAMES_MAX } from "../../../schemas/defaults/Listener.ts"
import { SERVE_HOST } from "../../../schemas/defaults/Serve.ts"
import { addressFault, hostFault, isLoopback, originFault } from "../../../schemas/listener/HttpAccess.ts"
import type { ServeConfig } from "../../../schemas/listener/ServeConfig.ts"
import { resourceFault } from "../../../schemas/login/ClientsConfig.ts"
import type { HttpOptions } from "../../../services/listener/McpListener.ts"
import { UsageError } from "../command.ts"
import { complain, visible } from "../output.ts"

const several = (name: string, metavar: string, about: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(about), Flag.between(0, DOOR_NAMES_MAX))

export const originFlag = several(
  "allow-origin",
  "ORIGIN",
  "With --http: the web origin of a page that may connect from a browser, such as http://localhost:6274; may be repeated"
)

export const httpAccessFlags = {
  host: Flag.String("host").pipe(
    Flag.withMetavar("ADDRESS"),
    Flag.withDescription(
      `With --http: the address to listen on, ${SERVE_HOST} without it; 0.0.0.0 and :: mean all addresses`
    ),
    Flag.optional
  ),
  allowHost: several(
    "allow-host",
    "NAME",
    "With --http: a host name under which clients reach this, besides the address itself; may be repeated"
  ),
  allowOrigin: originFlag
}

export interface HttpAccessChoice {
  readonly host: Option.Option<string>
  readonly allowHost: ReadonlyArray<string>
  readonly allowOrigin: ReadonlyArray<string>
}

const checked = (
  http: boolean,
  flag: string,
  values: ReadonlyArray<string>,
  faultIn: (text: string) => string | undefined
): Effect.Effect<void, UsageError> => {
  if (values.length > 0 && !http) return new UsageError({ message: `--${flag} is for --http` })
  const wrong = values.find((value) => faultIn(value) !== undefined)
  if (wrong === undefined) return Effect.void
  return new UsageError({ message: `--${flag} "${visible(wrong)}" ${faultIn(wrong)}` })
}

export const resourceFlag = Flag.String("resource").pipe(
  Flag.withMetavar("URL"),
  Flag.withDescription(
    "With --http and clients that log in: the address of this server as they know it; clients.resource without it"
  ),
  Flag.optional
)

export const checkResource = (http: boolean, resource: Option.Option<string>) =>
  checked(http, "resource", Option.toArray(resource), resourceFault)

/** Checked before anything is read or started. */
export const checkOrigins = (http: boolean, origins: ReadonlyArray<string>): Effect.Effect<void, UsageError> =>
  checked(http, "allow-origin", origins, originFault)

export const checkHttpAccess = (http: boolean, { allowHost, allowOrigin, host }: HttpAccessChoice) =>
  Effect.andThen(
    checked(http, "host", Option.toArray(host), addressFault),
    Effect.andThen(checked(http, "allow-host", allowHost, hostFault), checkOrigins(http, allowOrigin))
  )

/** The flags add to what is configured; an address replaces the configured one. */
export const httpAccessOf = (
  choice: HttpAccessChoice,
  { host, hosts, origins }: Pick<ServeConfig, "host" | "hosts" | "origins">
): Required<Pick<HttpOptions, "address" | "hosts" | "origins">> => ({
  address: Option.getOrElse(choice.host, () => host),
  hosts: [...hosts, ...choice.allowHost],
  origins: [...origins, ...choice.allowOrigin]
})

export const warnOfNetwork = (address: string | undefined): Effect.Effect<void> =>
  address === undefined || isLoopback(address)
    ? Effect.void
    : complain(
        `at ${address} other machines can reach this, and everything, including tokens, goes over the network in plain text: put a proxy with TLS in front of it`
      )
