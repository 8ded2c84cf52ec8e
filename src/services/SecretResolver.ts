/** Turns `secret://…` references into values, just before a spawn or a connect. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { SecretUnavailable } from "../schemas/McpError.ts"

export class SecretResolver extends Context.Service<
  SecretResolver,
  {
    /**
     * Replaces every reference in `text`, which may stand inside a longer string (`Bearer secret://env/TOKEN`).
     * Fails closed: an unknown provider, a malformed reference, a missing or an empty value is an error that names the
     * reference, never a fall back to the text. What a reference gives is not searched for further references.
     * Every value that is handed out is known to `Redactor` first.
     */
    readonly resolve: (owner: string, text: string) => Effect.Effect<Redacted.Redacted<string>, SecretUnavailable>
  }
>()("mcp-live/services/SecretResolver") {}
