import * as Schema from "effect/Schema"

/** The files of the definition ledger cannot be read or written. */
export class PinsFailed extends Schema.TaggedError<PinsFailed>()("PinsFailed", {
  /** In our own words. */
  detail: Schema.String
}) {
  override get message() {
    return `the approved definitions that are kept cannot be used: ${this.detail}`
  }
}
