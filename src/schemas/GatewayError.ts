/** The agent could not answer: no model, a refused key, a provider that is down. */
import * as Schema from "effect/Schema"

export class GatewayError extends Schema.TaggedError<GatewayError>()("GatewayError", {
  /** What happened and what to do; without secrets. */
  detail: Schema.String
}) {
  override get message() {
    return this.detail
  }
}
