/** Something was asked of a provider that has been closed, or was closed before the answer came. */
import * as Schema from "effect/Schema"

export class ProviderClosed extends Schema.TaggedError<ProviderClosed>()("ProviderClosed", {}) {
  override get message() {
    return "the MCP servers of this provider are closed"
  }
}
