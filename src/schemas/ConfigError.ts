/** Why a configuration cannot be used: every problem at once, each with its place. */
import * as Schema from "effect/Schema"
import { formatIssue } from "./GatewayConfig.ts"

export class ConfigError extends Schema.TaggedError<ConfigError>()("ConfigError", {
  issues: Schema.Array(
    Schema.Struct({
      file: Schema.String,
      line: Schema.Finite,
      path: Schema.String,
      message: Schema.String
    })
  )
}) {
  override get message() {
    return this.issues.map(formatIssue).join("\n")
  }
}
