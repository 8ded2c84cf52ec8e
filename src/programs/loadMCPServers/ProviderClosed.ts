/** Something was asked of a provider that has been closed, or was closed before the answer came. */
import * as Schema from "effect/Schema"

/**
 * Something was asked of a provider that has been closed, or was closed before the answer came. Its methods reject
 * with it; `execute` of a tool gives a result with `isError: true` instead.
 */
export class ProviderClosed extends Schema.TaggedError<ProviderClosed>()("ProviderClosed", {}) {
  override get message() {
    return "the MCP servers of this provider are closed"
  }
}
