/** Errors of agent requests. */
import * as Schema from "effect/Schema"
import type { OrderPart } from "./OrderAnswer.ts"

/** Not accepted: something is wrong with the request, or too many are under way. In our own words. */
export class OrderRefused extends Schema.TaggedError<OrderRefused>()("OrderRefused", { detail: Schema.String }) {
  override get message() {
    return this.detail
  }
}

/** Accepted, but the agent could not finish it. */
export class OrderFailed extends Schema.TaggedError<OrderFailed>()("OrderFailed", {
  /** Cleaned. */
  detail: Schema.String,
  /** For continuing the conversation. */
  sessionKey: Schema.String,
  /** What the agent had said before. */
  parts: Schema.Array(Schema.Unknown)
}) {
  override get message() {
    return this.detail
  }
  get said(): ReadonlyArray<OrderPart> {
    return this.parts as ReadonlyArray<OrderPart>
  }
}
