import * as Schema from "effect/Schema"

/** The pin files cannot be read or written. */
export class PinsFailed extends Schema.TaggedError<PinsFailed>()("PinsFailed", {
  /** In our own words. */
  detail: Schema.String
}) {
  override get message() {
    return `the stored definitions cannot be used: ${this.detail}`
  }
}
