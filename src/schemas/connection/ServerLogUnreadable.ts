/** The files of the log about servers exist but cannot be read. */
import * as Schema from "effect/Schema"

export class ServerLogUnreadable extends Schema.TaggedError<ServerLogUnreadable>()("ServerLogUnreadable", {
  directory: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    return `The log about servers in ${this.directory} cannot be read: ${this.detail}`
  }
}
