/** Why connections to a gateway end, in words that say what to do. */
import { ERROR_TEXT_MAX_CHARS } from "../../../schemas/defaults/Results.ts"
import { GatewayError } from "../../../schemas/agent/GatewayError.ts"
import { GATEWAY_PROTOCOL, type GatewayFailure } from "../../../schemas/agent/GatewayFrames.ts"

/** Why there is no connection. */
export interface Ended {
  /** `refused`: another attempt would be refused as well. `unpaired`: refused until somebody approves our device. */
  readonly kind: "passing" | "refused" | "unpaired"
  readonly error: GatewayError
  readonly retryAfterMs: number
}

const FAREWELL_MAX_CHARS = 200

export const passing = (error: GatewayError, retryAfterMs = 0): Ended => ({ kind: "passing", error, retryAfterMs })
export const down = (detail: string) => new GatewayError({ code: "LINK_DOWN", detail })

export interface Words {
  /** The address as shown to people. */
  readonly address: string
  /** What to do about a refused token: its source, never its value. */
  readonly tokenAdvice: string
  /** Makes a text of the gateway safe to show. */
  readonly clean: (text: string, maxChars: number) => string
}

/** Explains a refusal of the handshake and what to do. */
export const refusalOf = (failure: GatewayFailure, { address, clean, tokenAdvice }: Words): Ended => {
  const { code, message, reason, retryAfterMs, retryable } = failure
  const said = clean(message, ERROR_TEXT_MAX_CHARS)
  const error = (detail: string) => new GatewayError({ code: "LINK_REFUSED", detail })
  if (code === "PAIRING_REQUIRED" || code === "NOT_PAIRED") {
    return {
      kind: "unpaired",
      retryAfterMs,
      error: error(
        `the OpenClaw gateway does not know this device yet (${said}): approve it on its machine with "openclaw devices list" and "openclaw devices approve"`
      )
    }
  }
  if (retryable || code === "UNAVAILABLE" || code === "AUTH_RATE_LIMITED") {
    const why = reason === "startup-sidecars" ? "it is still starting" : said
    return passing(down(`the OpenClaw gateway at ${address} does not answer yet: ${why}`), retryAfterMs)
  }
  if (code === "PROTOCOL_MISMATCH" || /protocol mismatch/i.test(message)) {
    return {
      kind: "refused",
      retryAfterMs,
      error: error(
        `the OpenClaw gateway does not speak protocol ${GATEWAY_PROTOCOL}, the only one spoken here: ${said}`
      )
    }
  }
  const hint = code.startsWith("AUTH_") ? `; ${tokenAdvice}` : ""
  return {
    kind: "refused",
    retryAfterMs,
    error: error(`the OpenClaw gateway at ${address} refuses us (${code}): ${said}${hint}`)
  }
}

/** Explains why a socket closed, or never opened. */
export const closed = (reason: string, failure: Error | undefined, wasOpen: boolean, words: Words): Ended => {
  const { address, clean } = words
  if (failure !== undefined && Reflect.get(failure, "_tag") === "AddressBlocked") {
    const detail = "the OpenClaw gateway was not contacted: its address leads to where its token must not be sent"
    return { kind: "refused", error: new GatewayError({ code: "LINK_REFUSED", detail }), retryAfterMs: 0 }
  }
  if (/protocol mismatch/i.test(reason)) {
    const mismatch = { code: "PROTOCOL_MISMATCH", message: reason, reason: "", retryAfterMs: 0, retryable: false }
    return refusalOf(mismatch, words)
  }
  if (failure === undefined && !wasOpen) {
    return passing(
      down(
        `the OpenClaw gateway at ${address} cannot be reached: it does not support WebSocket, or the port is one that no WebSocket may use, such as 6000`
      )
    )
  }
  const why = failure === undefined ? clean(reason, FAREWELL_MAX_CHARS) : codeOf(failure)
  const what = failure === undefined ? "closed the connection" : "cannot be reached"
  return passing(down(`the OpenClaw gateway at ${address} ${what}${why === "" ? "" : ` (${why})`}`))
}

const codeOf = (error: Error): string => {
  const code: unknown = Reflect.get(error, "code")
  return typeof code === "string" ? code : error.name
}
