/** The agent could not answer: no model, a refused key, a provider or a gateway that is down. */
import * as Schema from "effect/Schema"

/**
 * What a program can decide by. Of the link to an OpenClaw gateway: `LINK_DOWN`, not reached, nothing was sent; `LINK_LOST` and
 * `LINK_TIMEOUT`, what was sent may have had its effect; `LINK_REFUSED`, it does not let us in; `LINK_TOO_LARGE`, not sent.
 * Everything else is the gateway's own code.
 */
export const LINK_CODES = ["LINK_DOWN", "LINK_LOST", "LINK_TIMEOUT", "LINK_REFUSED", "LINK_TOO_LARGE"] as const
export type LinkCode = (typeof LINK_CODES)[number]

/** The agent could not answer: no model, a refused key, a provider or a gateway that is down. */
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

/** The gateway may do it another time: it was not reached, or has too much to do. */
export const isPassing = ({ code }: GatewayError): boolean => PASSING.has(code) && code !== "LINK_TOO_LARGE"

/** For who waits for a gateway that is not there. */
export const AWAY_ADVICE =
  "If it is not running, start it (openclaw gateway run); or name another one with --gateway, or have the built-in agent answer with --backend embedded."
