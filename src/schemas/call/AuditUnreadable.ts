/** The files of the audit log exist but cannot be read. */
import * as Schema from "effect/Schema"

export class AuditUnreadable extends Schema.TaggedError<AuditUnreadable>()("AuditUnreadable", {
  directory: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    return `The audit log in ${this.directory} cannot be read: ${this.detail}`
  }
}
