/** No agent of that id is configured. */
import * as Schema from "effect/Schema"

/** No agent of that id is configured. */
export class UnknownAgent extends Schema.TaggedError<UnknownAgent>()("UnknownAgent", {
  agent: Schema.String,
  known: Schema.Array(Schema.String)
}) {
  override get message() {
    return `There is no agent '${this.agent}' in the configuration; known: ${this.known.join(", ")}`
  }
}
