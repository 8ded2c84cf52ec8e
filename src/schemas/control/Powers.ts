/**
 * What whoever is connected may do. A door of its own to the control contract says so for each connection; over the socket of the commands,
 * everything is allowed.
 */
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"
import * as RpcMiddleware from "effect/rpc/RpcMiddleware"

/** `read-only`: each request that changes something, or makes calls wait for an answer, is refused. */
export const POWERS = ["all", "read-only"] as const
export type Power = (typeof POWERS)[number]

/**
 * The powers of a connection. A door annotates the client with it (`client.annotate(Powers, "read-only")`), or provides it to a whole
 * `RpcServer`; the client's own counts first.
 */
export class Powers extends Context.Reference<Power>("mcp-live/schemas/Powers", { defaultValue: () => "all" }) {}

/** The connection may only look. */
export class OnlyReading extends Schema.TaggedError<OnlyReading>()("OnlyReading", {
  /** The request, by its name in the contract. */
  request: Schema.String
}) {
  override get message() {
    return `this connection may only look, so '${this.request}' is refused`
  }
}

/** Lets only clients with all powers through. Every request that changes something has it. */
export class NeedsAll extends RpcMiddleware.Service<NeedsAll>()("mcp-live/schemas/NeedsAll", { error: OnlyReading }) {}
