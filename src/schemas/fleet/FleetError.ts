/** Errors of a fleet. Messages say what to do, and contain no secret. */
import * as Schema from "effect/Schema"
import { seconds } from "../connection/ErrorFields.ts"

/** The database does not answer now. What needs it has to be tried again later. */
export class DatabaseAway extends Schema.TaggedError<DatabaseAway>()("DatabaseAway", {
  /** What was not possible, in our own words. */
  detail: Schema.String,
  retryInMs: Schema.Finite
}) {
  override get message() {
    return `${this.detail}: the database of the fleet is not available; try again in ${seconds(this.retryInMs)}`
  }
}

/** The node is dead, draining or unknown, or it ended the connection. `maybeSent` says whether the request can have reached it. */
export class NodeUnreachable extends Schema.TaggedError<NodeUnreachable>()("NodeUnreachable", {
  node: Schema.String,
  detail: Schema.String,
  maybeSent: Schema.Boolean
}) {
  override get message() {
    return `node '${this.node}' of the fleet cannot be reached: ${this.detail}`
  }
}

/** A fleet cannot be joined: one sentence that says what to do. */
export class FleetRefused extends Schema.TaggedError<FleetRefused>()("FleetRefused", {
  detail: Schema.String
}) {
  override get message() {
    return `fleet: ${this.detail}`
  }
}
