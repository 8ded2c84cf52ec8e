/** Why a configuration cannot be used: every problem at once, each with its place. */
import * as Schema from "effect/Schema"
import { formatIssue } from "./ConfigIssue.ts"

const Issue = Schema.Struct({
  file: Schema.String,
  line: Schema.Finite,
  path: Schema.String,
  message: Schema.String,
  about: Schema.optionalKey(Schema.Literal("credentials"))
})

/** Why a configuration cannot be used: every problem at once, each with file, line and path. */
export class ConfigError extends Schema.TaggedError<ConfigError>()("ConfigError", {
  issues: Schema.Array(Issue),
  /** What would be warned about if it could be used; the message leaves it out. */
  warnings: Schema.optionalKey(Schema.Array(Issue))
}) {
  override get message() {
    return this.issues.map(formatIssue).join("\n")
  }
}
