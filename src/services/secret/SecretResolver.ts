/** Resolves `secret://…` references to values, just before a server is started or connected to. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { SecretUnavailable } from "../../schemas/connection/ConnectError.ts"
import type { RegisterOptions } from "../content/Redactor.ts"

/** The owner of the key of an agent's model. It cannot be a server: no server name contains a line break. */
export const MODEL_OWNER = "model\n"

/** The owner of the token of an OpenClaw gateway. */
export const GATEWAY_OWNER = "gateway\n"

/** The owner of the tokens of our own MCP clients. */
export const CLIENTS_OWNER = "clients\n"

/** The owner of the headers for a collector of spans and metrics. */
export const TELEMETRY_OWNER = "telemetry\n"

/** The owner of the address of a fleet's database, and of the secret of its nodes. */
export const FLEET_OWNER = "fleet\n"

/** What a look at the secrets of an owner found. */
export interface Rotation {
  /** A value is another one than the owner got last. Said once. */
  readonly isOther: boolean
  /** What the owner got before and cannot be read now. Said until it can be read again. */
  readonly unread: ReadonlyArray<{ readonly reference: string; readonly detail: string }>
}

/** Resolves `secret://…` references to values, just before a server is started or connected to. */
export class SecretResolver extends Context.Service<
  SecretResolver,
  {
    /**
     * Replaces every reference in `text`; one may stand inside a longer string (`Bearer secret://env/TOKEN`). An unknown
     * provider, a malformed reference, and a missing or empty value are errors that name the reference; the text itself is
     * never used instead. A value is not searched for further references. Every value is registered with `Redactor` first,
     * under `owner`: `ownerOf` the server that gets it, or a constant such as `MODEL_OWNER`. Errors show the server's name
     * only.
     *
     * Values of providers that use a network or a command are cached (`SecretsConfig.ttlMs`), failures for at most 5 s;
     * simultaneous requests ask the provider once. `env` and `file` are read again each time. `early`: the value is only to be
     * masked, and `owner` does not get it yet.
     */
    readonly resolve: (
      owner: string,
      text: string,
      options?: { readonly early?: boolean }
    ) => Effect.Effect<Redacted.Redacted<string>, SecretUnavailable>
    /** Registers a credential that stands in the configuration of `owner` as plain text with `Redactor`. */
    readonly know: (owner: string, value: string, options?: RegisterOptions) => Effect.Effect<void>
    /** Drops the cached values of `owner`, because its server refused them: the next `resolve` reads them again. */
    readonly forget: (owner: string) => Effect.Effect<void>
    /**
     * Reads again what `owner` has asked for. Without `thorough`, only from providers whose values are not kept (`env`, `file`): the others
     * run a command or use a network. Without this method no rotation is noticed.
     */
    readonly rotated?: (owner: string, thorough: boolean) => Effect.Effect<Rotation>
  }
>()("mcp-live/services/SecretResolver") {}
