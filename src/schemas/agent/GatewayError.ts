/** The agent could not answer: there is no model, a key was refused, or a provider or gateway is down. */
import * as Schema from "effect/Schema"

/**
 * For decisions in programs. `LINK_DOWN`: not connected, nothing was sent. `LINK_LOST` and `LINK_TIMEOUT`: the request may
 * have had its effect. `LINK_REFUSED`: access was refused. `LINK_TOO_LARGE`: not sent. Every other code is the gateway's own.
 */
const LINK_CODES = ["LINK_DOWN", "LINK_LOST", "LINK_TIMEOUT", "LINK_REFUSED", "LINK_TOO_LARGE"] as const

/** The agent could not answer: there is no model, a key was refused, or a provider or gateway is down. */
export class GatewayError extends Schema.TaggedError<GatewayError>()("GatewayError", {
  /** What happened and what to do; without secrets. */
  detail: Schema.String,
  code: Schema.optionalKey(Schema.String)
}) {
  override get message() {
    return this.detail
  }
}

const PASSING: ReadonlySet<string | undefined> = new Set([...LINK_CODES, "UNAVAILABLE", "RATE_LIMITED"])

/** A later attempt may succeed: the gateway was not connected, or is busy. */
export const isPassing = ({ code }: GatewayError): boolean => PASSING.has(code) && code !== "LINK_TOO_LARGE"

/** For a person who waits for a gateway that is not connected. */
export const AWAY_ADVICE =
  "If it is not running, start it (openclaw gateway run); or name another one with --gateway, or use the built-in agent with --backend embedded."
