/** Credentials could not be read or written. Contains no secret. */
import * as Schema from "effect/Schema"

/** Credentials could not be read or written. Contains no secret. */
export class TokenStoreFailed extends Schema.TaggedError<TokenStoreFailed>()("TokenStoreFailed", {
  server: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    return `The credentials of MCP server '${this.server}' are out of reach: ${this.detail}`
  }
}
