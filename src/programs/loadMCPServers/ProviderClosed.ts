/** The error of a provider that has been closed. */
import * as Schema from "effect/Schema"

/**
 * The provider was closed, before or during a request. Its methods reject with this error; `execute` of a tool returns a
 * result with `isError: true` instead.
 */
export class ProviderClosed extends Schema.TaggedError<ProviderClosed>()("ProviderClosed", {}) {
  override get message() {
    return "the MCP servers of this provider are closed"
  }
}
