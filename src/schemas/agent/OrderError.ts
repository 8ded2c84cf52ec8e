/** Why an order has no answer. */
import * as Schema from "effect/Schema"
import type { OrderPart } from "./OrderAnswer.ts"

/** Not taken: what is wrong with it, or too many are under way. Our own words. */
export class OrderRefused extends Schema.TaggedError<OrderRefused>()("OrderRefused", { detail: Schema.String }) {
  override get message() {
    return this.detail
  }
}

/** Taken, and the agent could not finish it. */
export class OrderFailed extends Schema.TaggedError<OrderFailed>()("OrderFailed", {
  /** Cleaned. */
  detail: Schema.String,
  /** For whoever wants to go on. */
  sessionKey: Schema.String,
  /** What it had said by then. */
  parts: Schema.Array(Schema.Unknown)
}) {
  override get message() {
    return this.detail
  }
  get said(): ReadonlyArray<OrderPart> {
    return this.parts as ReadonlyArray<OrderPart>
  }
}
