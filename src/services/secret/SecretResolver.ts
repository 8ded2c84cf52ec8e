/** Turns `secret://…` references into values, just before a spawn or a connect. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { SecretUnavailable } from "../../schemas/connection/ConnectError.ts"
import type { RegisterOptions } from "../content/Redactor.ts"

/** Who owns the key of an agent's own model. It is no server: no server's name holds a line break. */
export const MODEL_OWNER = "model\n"

/** Who owns the token of an OpenClaw gateway. */
export const GATEWAY_OWNER = "gateway\n"

/** Who owns the tokens of our own MCP clients. */
export const CLIENTS_OWNER = "clients\n"

/** Turns `secret://…` references into values, just before a server is started or connected to. */
export class SecretResolver extends Context.Service<
  SecretResolver,
  {
    /**
     * Replaces every reference in `text`, which may stand inside a longer string (`Bearer secret://env/TOKEN`).
     * Fails closed: an unknown provider, a malformed reference, a missing or an empty value is an error that names the
     * reference, never a fall back to the text. What a reference gives is not searched for further references.
     * Every value that is handed out is known to `Redactor` first, as one of `owner`: `ownerOf` the server that it is for,
     * or one that no server can have, as `MODEL_OWNER`. Errors show the server's name only.
     *
     * Values of providers that are asked over a network or by a command are kept for a while (`SecretsConfig.ttlMs`), a
     * failure for no longer than 5 s; however many ask at once, the provider is asked once. `env` and `file` are read anew.
     */
    readonly resolve: (owner: string, text: string) => Effect.Effect<Redacted.Redacted<string>, SecretUnavailable>
    /** A credential of `owner` that stands in its configuration as it is: known to `Redactor` from now on, as any other. */
    readonly know: (owner: string, value: string, options?: RegisterOptions) => Effect.Effect<void>
    /** What was kept of the values that `owner` was given is read anew next time: its server refused them. */
    readonly forget: (owner: string) => Effect.Effect<void>
  }
>()("mcp-live/services/SecretResolver") {}
