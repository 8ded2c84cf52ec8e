/** A configuration is invalid: all problems at once, each with its place. */
import * as Schema from "effect/Schema"
import { formatIssue } from "./ConfigIssue.ts"

const Issue = Schema.Struct({
  file: Schema.String,
  line: Schema.Finite,
  path: Schema.String,
  message: Schema.String,
  about: Schema.optionalKey(Schema.Literal("credentials"))
})

/** A configuration is invalid: all problems at once, each with file, line and path. */
export class ConfigError extends Schema.TaggedError<ConfigError>()("ConfigError", {
  issues: Schema.Array(Issue),
  /** The warnings that there would be if it were valid; the message leaves them out. */
  warnings: Schema.optionalKey(Schema.Array(Issue))
}) {
  override get message() {
    return this.issues.map(formatIssue).join("\n")
  }
}
